"""GL101: a node ran, but not the same number of times."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import first_begin, why_again
from ..comparing import compared_nodes, is_loop, times
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for node in compared_nodes(legacy, candidate):
        counts = legacy.runs(node), candidate.runs(node)
        if None in counts or counts[0] == counts[1] or 0 in counts or is_loop(node, legacy, candidate):
            continue
        more, side = (candidate, "candidate") if (counts[1] or 0) > (counts[0] or 0) else (legacy, "legacy")
        extra = min(counts[0] or 0, counts[1] or 0) + 1
        items = more.by_node.get(node, ())
        cause, mend = why_again(more, node)
        yield rule.found(
            node,
            activation=extra - 1,
            legacy=times(counts[0]),
            candidate=times(counts[1]),
            cause=f"under the {side}, {cause}",
            mend=mend or rule.mend,
            at=items[0].begin if items else first_begin(more, node),
        )


RULE = BuiltIn(
    "GL101",
    "run-count",
    "run count",
    "a node ran a different number of times",
    """\
The body of a node ran more often under one engine than under the other. Final outputs are often equal all the same, because
the last run overwrites the first; effects (payments, mails, model calls) are not.

It comes about where a join has one edge for each source and the sources are at different depths: a graph engine runs the
node once for each superstep in which an edge fires (ADR-062). A walker whose visited set is never filled runs the join of a
diamond twice. A different count of retries shows here too: every attempt is a run. So does a body that paused for a person
and starts again when the run is resumed, or one that the engine simply calls twice.""",
    "give the join one waiting edge with all its sources, instead of one edge each",
    _check,
    ("runs",),
)
