"""GL201: an engine's process died."""

from __future__ import annotations

from collections.abc import Iterator

from ..breaking import broken_runs
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return broken_runs(rule, "crashed", legacy, candidate)


RULE = BuiltIn(
    "GL201",
    "crash",
    "ending",
    "an engine's process died",
    """\
The process that ran the case ended without a result: a handler called os._exit, a native library crashed, memory ran out.
The case cannot be judged, so it fails even when both engines die.""",
    "find what ends the process in the node that the cause names",
    _check,
)
