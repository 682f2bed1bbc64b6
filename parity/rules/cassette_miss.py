"""GL210: an activation was not on the cassette."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key in sorted({*legacy.misses, *candidate.misses}):
        node, _, ordinal = key.rpartition("#")
        sides = [run.side for run in (legacy, candidate) if key in run.misses]
        items = candidate.by_node.get(node, ())
        yield rule.found(
            node,
            activation=int(ordinal) - 1,
            legacy="not recorded" if "legacy" in sides else "recorded",
            candidate="not recorded" if "candidate" in sides else "recorded",
            cause=f"no recording of activation {ordinal} of {node} with this input",
            at=items[0].begin if items else None,
        )


RULE = BuiltIn(
    "GL210",
    "cassette-miss",
    "cassette",
    "an activation has no recording",
    """\
The handler is replayed, not run: what it answered under one engine is given under the other, by node, activation and input.
An activation that has no recording saw another input, or is one more than was recorded. Handlers with effects are never run to
fill the gap.""",
    "mend the divergence that changed the input; record again (`--record all`) when the handler itself changed",
    _check,
)
