"""GL202: an engine did not end in time."""

from __future__ import annotations

from collections.abc import Iterator

from ..breaking import broken_runs
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return broken_runs(rule, "timeout", legacy, candidate)


RULE = BuiltIn(
    "GL202",
    "timeout",
    "ending",
    "an engine did not end in time",
    """\
The run was killed after its time limit: a loop without an end, a deadlock, a wait for something that never comes. The case
cannot be judged, so it fails even when both engines hang.""",
    "look at the node that the cause names; raise `timeout` only if the work really takes that long",
    _check,
)
