"""What a compiled graph keeps in its state, and so in every checkpoint.

`run` is written once: the fingerprint of the definition and the inputs. Everything else grows by deltas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from .records import Record


def merge(left: dict[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """A new dict with the delta applied; the old one stays as it was, a checkpoint may still be reading it."""
    return {**left, **right}


def append(left: list[str], right: list[str]) -> list[str]:
    """A new list with the delta at its end."""
    return [*left, *right]


class DependencyState(TypedDict, total=False):
    """State under the traversal `dependency`: a record for every step that has run or been skipped."""

    run: dict[str, Any]
    steps: Annotated[dict[str, Record], merge]


class BreadthFirstState(TypedDict, total=False):
    """State under the traversal `breadth-first`: the shared data, the pending nodes in order, and all that were ever seen."""

    run: dict[str, Any]
    steps: Annotated[dict[str, Record], merge]
    data: Annotated[dict[str, Any], merge]
    frontier: list[str]
    visited: Annotated[list[str], append]
