"""The four visibility rules' one check: the input differences of a kind as divergences."""

from __future__ import annotations

from collections.abc import Iterator

from .divergence import Divergence
from .inputs import Kind, cause_of, input_differences, shown
from .observation import Observation
from .rule import BuiltIn


def visibility(rule: BuiltIn, kind: Kind, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    """The divergences of one kind."""
    for difference in input_differences(legacy, candidate):
        if difference.kind is kind:
            yield rule.found(
                difference.candidate.node,
                activation=difference.candidate.ordinal,
                legacy=shown(difference, difference.legacy),
                candidate=shown(difference, difference.candidate),
                cause=cause_of(legacy, candidate, difference),
                paths=tuple(".".join(path) for path in difference.paths),
                at=difference.candidate.begin,
            )
