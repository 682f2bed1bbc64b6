"""Channel versions as what they are: opaque values that can be compared, and nothing else.

A saver chooses their type (an integer, a sortable string); nothing here parses one or counts with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def null_version(versions: Mapping[str, Any]) -> Any:
    """The version before any version: the empty value of the type this saver uses; None when nothing was written yet."""
    return next((type(version)() for version in versions.values()), None)


def newer(version: Any, seen: Any) -> bool:
    """Whether `version` came after `seen`; a missing version is older than any, and not newer than another missing one."""
    if version is None:
        return False
    return bool(seen is None or version > seen)


class Ordinals:
    """Small numbers in place of versions, in the order in which they compare, so that a person can read a table."""

    def __init__(self, versions: Iterable[Any]) -> None:
        self._rank = {version: rank for rank, version in enumerate(sorted(set(versions)), start=1)}

    def __call__(self, version: Any) -> int | None:
        """The version's place among all of the thread's, from 1; None for no version."""
        return None if version is None else self._rank.get(version)
