"""GL110: an activation did not see something that it sees under the legacy engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..inputs import Kind
from ..observation import Observation
from ..rule import BuiltIn
from ..visibility import visibility


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return visibility(rule, Kind.MISSING, legacy, candidate)


RULE = BuiltIn(
    "GL110",
    "missing-input",
    "visibility",
    "an activation saw nothing where the legacy engine gives it a value",
    """\
The node began before the one that writes the value had ended, or the write was lost. This is what an early run of an uneven
join looks like: the slower sources' outputs read as None (ADR-062), and a handler that copes with None gives a plausible
result all the same.""",
    "make the node wait for the writer; the cause names it",
    _check,
    ("trace",),
)
