"""GL120: a node ran before, or beside, one that it comes after."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import first_begin, uneven_join
from ..comparing import cut_short
from ..divergence import Divergence
from ..observation import Activation, Observation
from ..rule import BuiltIn
from ..shape import Shape

Reordered = tuple[Activation, Activation, Activation]
"""An activation that had ended before another began under the legacy engine: as it was there, as it is under the candidate,
and the other one under the candidate."""


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    shape = legacy.shape
    strict = shape is None or not shape.stepwise
    found = _by_edges(shape, legacy, candidate) if shape and not shape.stepwise else _by_time(legacy, candidate, strict)
    told: set[str] = set()
    for node, failed in cut_short(legacy, candidate):
        told.add(node)
        yield _before_failure(rule, legacy, candidate, node, failed)
    for one, there, item in found:
        if item.node not in told and not _together(shape, one, item):
            told.add(item.node)
            yield _found(rule, shape, one, there, item)


def _by_edges(shape: Shape, legacy: Observation, candidate: Observation) -> Iterator[Reordered]:
    """Each node against the nearest nodes before it in the graph that ran at all."""
    for node in sorted(legacy.by_node.keys() & candidate.by_node.keys()):
        first, here = legacy.by_node[node][0], candidate.by_node[node][0]
        for name in sorted(_nearest(shape, node, legacy.by_node.keys() & candidate.by_node.keys())):
            before = [item for item in legacy.by_node[name] if item.before(first)]
            same = candidate.by_node[name]
            if before and len(same) >= len(before) and not same[len(before) - 1].before(here):
                yield before[-1], same[len(before) - 1], here


def _nearest(shape: Shape, node: str, ran: set[str]) -> set[str]:
    found: set[str] = set()
    seen = {node}
    stack = list(shape.sources.get(node, ()))
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in ran:
            found.add(name)
        else:
            stack.extend(shape.sources.get(name, ()))
    return found


def _by_time(legacy: Observation, candidate: Observation, strict: bool) -> Iterator[Reordered]:
    """Everything that had ended before each activation began; where `strict`, only what is the other way round counts."""
    theirs = {(item.node, item.ordinal): item for item in candidate.activations}
    ours = [item for item in legacy.activations if (item.node, item.ordinal) in theirs]
    ended = sorted((item for item in ours if item.end is not None), key=lambda item: item.end or 0)
    place = 0
    last: tuple[Activation, Activation] | None = None
    for second in ours:
        # Of all that ended before it, the one that begins last under the candidate decides: one pass, not all pairs.
        while place < len(ended) and (ended[place].end or 0) < second.begin:
            there = theirs[ended[place].node, ended[place].ordinal]
            if last is None or there.begin >= last[1].begin:
                last = (ended[place], there)
            place += 1
        here = theirs[second.node, second.ordinal]
        if last and (here.before(last[1]) if strict else not last[1].before(here)):
            yield *last, here


def _together(shape: Shape | None, one: Activation, item: Activation) -> bool:
    """Whether both are branches of one parallel group, whose order says nothing."""
    group = shape.groups.get(one.node) if shape else None
    return shape is not None and group is not None and group == shape.groups.get(item.node)


def _found(rule: BuiltIn, shape: Shape | None, one: Activation, there: Activation, item: Activation) -> Divergence:
    turned = item.before(there)
    cause = f"{one.node} ended before {item.node} began; under the candidate it is the other way round"
    if not turned:
        cause = f"{one.node} ended before {item.node} began; under the candidate they overlap"
    join = uneven_join(shape, item.node) if shape and shape.joins else None
    return rule.found(
        item.node,
        activation=item.ordinal,
        legacy=f"{one.node}, then {item.node}",
        candidate=f"{item.node}, then {one.node}" if turned else f"{item.node} beside {one.node}",
        cause=f"{join}; {cause}" if join else cause,
        at=item.begin,
    )


def _before_failure(rule: BuiltIn, legacy: Observation, candidate: Observation, node: str, failed: str) -> Divergence:
    """A node that had run before a failure under one engine, and had not begun by then under the other."""
    ran_first = node in legacy.by_node
    orders = f"{node}, then {failed}, which fails", f"{failed}, which fails before {node} begins"
    side, other = ("legacy", "candidate") if ran_first else ("candidate", "legacy")
    return rule.found(
        node,
        legacy=orders[0 if ran_first else 1],
        candidate=orders[1 if ran_first else 0],
        cause=f"under the {side} engine {node} had ended before {failed} began, so the failure of {failed} could not stop it; "
        f"under the {other} engine {failed} comes first",
        at=first_begin(legacy if ran_first else candidate, node),
    )


RULE = BuiltIn(
    "GL120",
    "order",
    "order",
    "a node ran before, or beside, one that it comes after",
    """\
Only the order that means something is compared: where the graph is known, a node against those that it waits for; in
successor style, where one node runs at a time, all nodes but the branches of one group; without a graph, what is the other
way round under the candidate. Clock times are not compared, nor nodes that run at once under the legacy engine. A node that
begins before its slower ancestor has ended acts on half of what it waits for.""",
    "make the node wait for every source; if no effect depends on the order, list the divergence as intended",
    _check,
    ("trace",),
)
