"""Runs that ended without a result: the two rules about them share this check."""

from __future__ import annotations

from collections.abc import Iterator

from .divergence import Divergence
from .observation import BreakKind, Observation
from .rule import BuiltIn
from .shape import as_text


def broken_runs(rule: BuiltIn, kind: BreakKind, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    """A divergence when at least one run broke in this way; both count too, since nothing can be judged then."""
    broken = [run for run in (legacy, candidate) if run.broken is not None and run.broken.kind == kind]
    if not broken:
        return
    inside = sorted({item.node for run in broken for item in run.unfinished})
    both = len(broken) == 2 and legacy is not candidate  # else one run, judged by itself
    sides = "both engines" if both else f"the {broken[0].side} engine"
    place = f"in {as_text(inside)}" if inside else "outside of any node that was seen"
    yield rule.found(
        inside[0] if len(inside) == 1 else None,
        legacy=_told(legacy),
        candidate=_told(candidate),
        cause=f"{sides} ended {place}",
        at=0,
    )


def _told(run: Observation) -> str:
    return run.broken.error if run.broken else f"ended, {len(run.activations)} activations"
