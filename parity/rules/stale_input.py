"""GL111: an activation saw an older value than under the legacy engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..inputs import Kind
from ..observation import Observation
from ..rule import BuiltIn
from ..visibility import visibility


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return visibility(rule, Kind.STALE, legacy, candidate)


RULE = BuiltIn(
    "GL111",
    "stale-input",
    "visibility",
    "an activation saw a value that had been overwritten under the legacy engine",
    """\
The value is one that the same place had earlier in the run. The node began too early, or a node that returns a full copy of
a shared map wrote an old value over a newer one.""",
    "make the node wait for the writer, and let nodes return only what they change",
    _check,
    ("trace",),
)
