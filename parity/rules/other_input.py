"""GL113: an activation saw another value, neither older nor newer."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..inputs import Kind
from ..observation import Observation
from ..rule import BuiltIn
from ..visibility import visibility


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    return visibility(rule, Kind.OTHER, legacy, candidate)


RULE = BuiltIn(
    "GL113",
    "other-input",
    "visibility",
    "an activation saw another value",
    """\
Something before it differs: an output, a merge, the inputs. It mostly follows from another divergence, under which it is
folded; where it stands alone, an untapped node or the engine itself makes the value.""",
    "mend what it follows from; if it stands alone, tap the node that writes the value",
    _check,
    ("trace",),
)
