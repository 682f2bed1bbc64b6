"""What a rule is: a stable id, why the shape is a hazard, the mend, and a check over one graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..model import Level, Place
from ..runs import Analysis

Hit = tuple[Place, str]
"""Where, and what is wrong there, in one sentence without a full stop."""


@dataclass(frozen=True)
class Rule:
    """One hazard. The id is stable: it is what people ignore, select and look up."""

    id: str
    level: Level
    summary: str
    why: str
    mend: str
    check: Callable[[Analysis], Iterator[Hit]]


def listed(names: object) -> str:
    """Names in order, for a sentence."""
    return ", ".join(sorted(map(str, names)))  # type: ignore[call-overload]
