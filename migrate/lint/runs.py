"""Plays a wired graph through for every way its routers can go, by the superstep rules, and notes what happened.

Edges that lead back are left out, so that every play ends; what loops do is the business of rules of their own. No code of
the user runs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

from .model import END, START, Join, Router, Wired

MOST = 1024
"""Plays of one graph; beyond it a fixed sample of them."""
BUDGET = 200_000
"""Node runs in all plays of one graph; a wide and deep graph with much repetition is played fewer times."""


@dataclass
class Play:
    """One run: node -> [(superstep, the nodes whose edges led there; none for a Send)], and what joins did."""

    ran: dict[str, list[tuple[int, frozenset[str]]]] = field(default_factory=dict)
    fired: set[Join] = field(default_factory=set)
    held: dict[Join, frozenset[str]] = field(default_factory=dict)

    def at(self) -> dict[int, set[str]]:
        """Superstep -> the nodes that run in it."""
        steps: dict[int, set[str]] = {}
        for node, times in self.ran.items():
            for step, _ in times:
                steps.setdefault(step, set()).add(node)
        return steps


class Analysis:
    """A wired graph with what is computed of it once for all rules."""

    def __init__(self, wired: Wired) -> None:
        self.wired = wired

    @cached_property
    def routers(self) -> tuple[Router, ...]:
        """The routers, and what a node's Commands do to the same effect."""
        declared = {router.source for router in self.wired.routers}
        commands = [
            Router(node.name, node.facts.place, frozenset(name for _, name in node.facts.gotos))
            for node in self.wired.nodes.values()
            if node.facts is not None and node.facts.gotos and node.name not in declared
        ]
        return (*self.wired.routers, *commands)

    @cached_property
    def successors(self) -> Mapping[str, frozenset[str]]:
        """Where each node can lead, loops included; routers by all they may pick."""
        found: dict[str, set[str]] = {name: set() for name in (START, *self.wired.nodes)}
        for edge in self.wired.edges:
            found.setdefault(edge.source, set()).add(edge.target)
        for join in self.wired.joins:
            for source in join.sources:
                found.setdefault(source, set()).add(join.target)
        for router in self.routers:
            found.setdefault(router.source, set()).update(*(router.picks or ()))
            if router.facts is not None:
                found[router.source].update(name for _, name in router.facts.sends)
        for node in self.wired.nodes.values():
            if node.facts is not None:
                found[node.name].update(name for _, name in node.facts.sends)
        return {name: frozenset(targets - {END}) for name, targets in found.items()}

    def reach(self, node: str) -> frozenset[str]:
        """Every node that can run after this one; the node itself when it is in a loop."""
        if node not in self._reach:
            found: set[str] = set()
            todo = [node]
            while todo:
                for other in self.successors.get(todo.pop(), ()):
                    if other not in found:
                        found.add(other)
                        todo.append(other)
            self._reach[node] = frozenset(found)
        return self._reach[node]

    @cached_property
    def _reach(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def back_edges(self) -> frozenset[tuple[str, str]]:
        """The edges that close a loop, found depth first from the start."""
        found: set[tuple[str, str]] = set()
        state: dict[str, int] = {}
        for root in (START, *sorted(self.successors)):
            if root in state:
                continue
            state[root] = 1
            work = [(root, iter(sorted(self.successors.get(root, ()))))]
            while work:
                node, others = work[-1]
                other = next(others, None)
                if other is None:
                    state[node] = 2
                    work.pop()
                elif state.get(other) == 1:
                    found.add((node, other))
                elif other not in state:
                    state[other] = 1
                    work.append((other, iter(sorted(self.successors.get(other, ())))))
        return frozenset(found)

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """One play for every combination of what the routers pick; none when the wiring is not wholly known."""
        open_goto = any(node.facts is not None and node.facts.open_goto for node in self.wired.nodes.values())
        if not self.wired.complete or open_goto or any(router.picks is None for router in self.routers):
            return ()
        played: list[Play] = []
        spent = 0
        for choice in _choices(self.routers):
            played.append(self._play(choice))
            spent += sum(map(len, played[-1].ran.values()))
            if spent > BUDGET:
                break
        return tuple(played)

    @cached_property
    def _always(self) -> Mapping[str, tuple[str, ...]]:
        """Node -> the nodes that it starts whatever the routers pick, without loops."""
        found: dict[str, list[str]] = {}
        for edge in self.wired.edges:
            if self._forward(edge.source, edge.target):
                found.setdefault(edge.source, []).append(edge.target)
        return {source: tuple(targets) for source, targets in found.items()}

    @cached_property
    def _routed(self) -> Mapping[str, tuple[int, ...]]:
        """Node -> the places of its routers."""
        found: dict[str, list[int]] = {}
        for place, router in enumerate(self.routers):
            found.setdefault(router.source, []).append(place)
        return {source: tuple(places) for source, places in found.items()}

    @cached_property
    def _sent(self) -> Mapping[str, frozenset[str]]:
        """Node -> the nodes that it, or a router after it, is seen to send to."""
        facts = [(node.name, node.facts) for node in self.wired.nodes.values()]
        facts += [(router.source, router.facts) for router in self.routers]
        found: dict[str, set[str]] = {}
        for source, one in facts:
            for _, target in one.sends if one is not None else ():
                if self._forward(source, target):
                    found.setdefault(source, set()).add(target)
        return {source: frozenset(targets) for source, targets in found.items()}

    @cached_property
    def _joined(self) -> Mapping[str, tuple[Join, ...]]:
        """Node -> the waiting edges that list it."""
        found: dict[str, list[Join]] = {}
        for join in self.wired.joins:
            for source in set(join.sources):
                if (source, join.target) not in self.back_edges:
                    found.setdefault(source, []).append(join)
        return {source: tuple(joins) for source, joins in found.items()}

    def _play(self, choice: Mapping[int, frozenset[str]]) -> Play:
        play, step = Play(), 0
        arrived: dict[Join, set[str]] = {}
        due: dict[str, set[str]] = {START: set()}
        while due:
            tokens: dict[str, set[str]] = {}
            for node, sources in due.items():
                play.ran.setdefault(node, []).append((step, frozenset(sources)))
                for target in self._next(node, choice):
                    tokens.setdefault(target, set()).add(node)
                for target in self._sent.get(node, ()):
                    tokens.setdefault(target, set())
                for join in self._joined.get(node, ()):
                    arrived.setdefault(join, set()).add(node)
            for join in [join for join, names in arrived.items() if names == set(join.sources)]:
                play.fired.add(join)
                names = arrived.pop(join)
                if join.target in self.wired.nodes:
                    tokens.setdefault(join.target, set()).update(names)
            due, step = tokens, step + 1
        play.held = {join: frozenset(names) for join, names in arrived.items() if not join.inclusive}
        return play

    def _next(self, node: str, choice: Mapping[int, frozenset[str]]) -> Iterator[str]:
        yield from self._always.get(node, ())
        for place in self._routed.get(node, ()):
            yield from (target for target in choice[place] if self._forward(node, target))

    def _forward(self, node: str, target: str) -> bool:
        return target != END and target in self.wired.nodes and (node, target) not in self.back_edges


def _choices(routers: tuple[Router, ...]) -> Iterator[dict[int, frozenset[str]]]:
    """Every combination, or a sample; in an order that varies all routers early, always the same."""
    options = [router.picks or (frozenset[str](),) for router in routers]
    rng = random.Random(0)  # noqa: S311  (a fixed order, not a secret)
    if prod(len(one) for one in options) <= MOST:
        every = list(product(*options))
        rng.shuffle(every)
        yield from (dict(enumerate(picked)) for picked in every)
        return
    for _ in range(MOST):
        yield {place: rng.choice(one) for place, one in enumerate(options)}
