"""GL112: an activation saw what it does not see yet under the legacy engine."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..inputs import Kind
from ..observation import Observation
from ..rule import BuiltIn
from ..visibility import visibility


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return visibility(rule, Kind.EARLY, legacy, candidate)


RULE = BuiltIn(
    "GL112",
    "early-input",
    "visibility",
    "an activation saw a value too early",
    """\
The candidate shows the node something that the legacy engine shows it later or never: the order of two nodes is turned, a
node sees a whole superstep, or a change in place leaks. A handler that branches on `is None` behaves differently.""",
    "if the node may see it, list the divergence as intended; else make the writer wait",
    _check,
    ("trace",),
)
