"""An independent model of LangGraph's superstep rules, and random graphs to hold against the real thing.

It knows nothing of channels, versions or checkpoints: it moves tokens over edges.
"""

from __future__ import annotations

import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


@dataclass(frozen=True)
class Route:
    """What a router picks on the node's n-th run: nodes to go to, and nodes to send to. The last entry repeats."""

    picks: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    def at(self, run: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.picks[min(run, len(self.picks)) - 1]


@dataclass(frozen=True)
class Graph:
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    joins: tuple[tuple[tuple[str, ...], str], ...] = ()
    routes: dict[str, Route] = field(default_factory=dict)
    inclusive: frozenset[tuple[tuple[str, ...], str]] = frozenset()
    deferred: frozenset[str] = frozenset()
    inner: dict[str, Graph] = field(default_factory=dict)


class State(TypedDict):
    ran: Annotated[list[str], operator.add]


class Nothing(TypedDict, total=False):
    """What a subgraph gives back: had it the whole list, each call would double it."""

    nothing: str


Fired = tuple[tuple[str, tuple[str, ...]], ...]
Row = tuple[str, str, Fired]
"""Node, "edge" or "send", and the triggers: ("edge" | "join a+b" | "send", writers)."""


@dataclass
class Run:
    """A finished simulation: one sorted list of rows a superstep, what each join still holds, and for each release of an
    incomplete join the superstep, the target, who arrived and who is missing.
    """

    steps: list[list[Row]]
    held: dict[tuple[tuple[str, ...], str], frozenset[str]]
    told: list[tuple[int, str, frozenset[str], frozenset[str]]]
    settled: bool


def simulate(graph: Graph, limit: int = 60) -> Run:
    """Run the graph by the superstep rules alone."""
    simulation = _Simulation(graph)
    while len(simulation.out.steps) < limit:
        if simulation.due() or simulation.sends:
            simulation.superstep()
        elif not simulation.release():
            simulation.out.settled = True
            break
    simulation.out.held = {join: frozenset(names) for join, names in simulation.arrived.items() if names}
    return simulation.out


Join = tuple[tuple[str, ...], str]


class _Simulation:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tokens: dict[str, list[str]] = {}
        self.sends: list[tuple[str, str]] = []
        self.arrived: dict[Join, list[str]] = {join: [] for join in graph.joins}
        self.released: set[Join] = set()
        self.runs: Counter[str] = Counter()
        self.out = Run([], {}, [], False)
        for target in _after(graph, START, 1)[0]:
            self.tokens.setdefault(target, []).append(START)

    def full(self, join: Join) -> bool:
        return set(self.arrived[join]) == set(join[0]) or join in self.released

    def due(self) -> set[str]:
        return {*self.tokens, *(join[1] for join in self.graph.joins if self.full(join))}

    def release(self) -> bool:
        wave = _release(self.graph, self.arrived)
        self.released.update(wave)
        return bool(wave)

    def superstep(self) -> None:
        rows: list[Row] = [(node, "send", (("send", (writer,)),)) for node, writer in self.sends]
        rows += [(node, "edge", self.consume(node)) for node in self.due()]
        self.tokens, self.sends = {}, []
        before = Counter(self.runs)
        self.runs.update(row[0] for row in rows)
        for node in sorted(row[0] for row in rows):
            # A subgraph gives nothing back, so that its host never counts as having run.
            self.write(node, 1 if node in self.graph.inner else before[node] + 1)
        self.out.steps.append(sorted(rows))

    def consume(self, node: str) -> Fired:
        fired = [("edge", tuple(sorted(set(self.tokens[node]))))] if node in self.tokens else []
        for join in self.graph.joins:
            if join[1] == node and self.full(join):
                came = set(self.arrived[join])
                fired.append((f"join {'+'.join(join[0])}", tuple(sorted(came))))
                if came != set(join[0]):
                    self.out.told.append((len(self.out.steps), node, frozenset(came), frozenset(join[0]) - came))
                self.arrived[join] = []
                self.released.discard(join)
        return tuple(sorted(fired))

    def write(self, node: str, run: int) -> None:
        targets, sent = _after(self.graph, node, run)
        for target in targets:
            self.tokens.setdefault(target, []).append(node)
        self.sends += [(target, node) for target in sent]
        for join in self.graph.joins:
            if node in join[0]:
                self.arrived[join].append(node)


def _release(graph: Graph, arrived: dict[Join, list[str]]) -> list[Join]:
    """The inclusive joins that a settled run releases, from upstream to downstream.

    One is passed over when a join released just before may still lead to it. In a ring the one with the fewest waiting
    targets upstream comes first, then by name.
    """
    ahead = {node: reach(graph, node) for node in graph.nodes}

    def leads(target: str, join: Join) -> bool:
        return target != join[1] and any(target == source or source in ahead[target] for source in join[0])

    def upstream(join: Join) -> int:
        return len({target for _, target in graph.joins if leads(target, join)})

    left = [join for join in graph.joins if join in graph.inclusive and arrived[join]]
    wave: list[Join] = []
    while left:
        first = [j for j in left if not any(j[1] in ahead[i[1]] and i[1] not in ahead[j[1]] for i in left)]
        join = min(first, key=lambda join: (upstream(join), join[1], join[0]))
        left.remove(join)
        if not any(leads(target, join) for _, target in wave):
            wave.append(join)
    return wave


def reach(graph: Graph, node: str) -> set[str]:
    """Every node that can run after this one."""
    found: set[str] = set()
    todo = [node]
    while todo:
        for other in successors(graph, todo.pop()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def successors(graph: Graph, node: str) -> set[str]:
    found = {b for a, b in graph.edges if a == node} | {t for names, t in graph.joins if node in names}
    for goto, sent in graph.routes.get(node, Route(())).picks:
        found |= {*goto, *sent}
    return found - {END}


def _after(graph: Graph, node: str, run: int) -> tuple[list[str], list[str]]:
    targets = [b for a, b in graph.edges if a == node]
    sent: tuple[str, ...] = ()
    if node in graph.routes:
        goto, sent = graph.routes[node].at(run)
        targets += goto
    return [t for t in targets if t != END], list(sent)


def build(
    graph: Graph,
    builder: Callable[..., Any] = StateGraph,
    add_join: Callable[..., Any] | None = None,
    body_of: Callable[[str], Any] | None = None,
) -> Any:
    """The same graph as a LangGraph builder; `add_join(builder, names, target, inclusive)` adds the waiting edges."""
    return _filled(graph, builder(State), builder, add_join, body_of or _body)


def _filled(
    graph: Graph,
    made: Any,
    builder: Callable[..., Any],
    add_join: Callable[..., Any] | None,
    body_of: Callable[[str], Any],
) -> Any:
    for name in graph.nodes:
        inner = graph.inner.get(name)
        nested = _filled(inner, builder(State, output_schema=Nothing), builder, add_join, body_of) if inner else None
        body: Any = nested.compile() if nested else body_of(name)
        made.add_node(name, body, defer=name in graph.deferred)
    for a, b in graph.edges:
        made.add_edge(a, b)
    for names, target in graph.joins:
        if add_join is None:
            made.add_edge(list(names), target)
        else:
            add_join(made, list(names), target, (names, target) in graph.inclusive)
    for name, route in graph.routes.items():
        every = {node for goto, sent in route.picks for node in (*goto, *sent)} | {END}
        made.add_conditional_edges(name, _router(name, route), sorted(every))
    return made


def _body(name: str) -> Callable[[State], dict[str, list[str]]]:
    def body(state: State) -> dict[str, list[str]]:
        return {"ran": [name]}

    return body


def _router(name: str, route: Route) -> Callable[[State], list[Any]]:
    def pick(state: State) -> list[Any]:
        goto, sent = route.at(max(1, state["ran"].count(name)))
        return [*goto, *(Send(node, {"ran": []}) for node in sent)]

    return pick


def random_graph(
    seed: int, *, inclusive: bool = False, deferred: bool = False, inner: bool = False, letter: str = "n"
) -> Graph:
    """Conditional entries, uneven chains, bounded loops, Send dispatchers, one to three joins, one subgraph.

    A subgraph has names of its own, since its routers count names, and settles, since an endless one ends the whole run.
    """
    rng = random.Random(seed)
    names = [f"{letter}{place}" for place in range(rng.randint(4, 9))]
    edges: list[tuple[str, str]] = []
    routes: dict[str, Route] = {}
    entries = rng.sample(names[:4], rng.randint(1, 3))
    if rng.random() < 0.4:
        routes[START] = Route(((tuple(rng.sample(names[:4], rng.randint(1, 3))), ()),))
    else:
        edges += [(START, name) for name in entries]
    for place, name in enumerate(names):
        later = names[place + 1 :]
        if later and rng.random() < 0.65:
            edges += [(name, b) for b in rng.sample(later, min(len(later), rng.choice((1, 1, 2))))]
        if rng.random() < 0.35:
            routes[name] = _random_route(rng, names, place)
    joins = []
    for _ in range(rng.randint(1, 3)):
        target = rng.choice(names[1:])
        before = names[: names.index(target)]
        # Mostly forward, since a join that leads back to its own sources makes most inclusive graphs endless.
        pool = before if len(before) > 1 and rng.random() < 0.8 else [name for name in names if name != target]
        join = (tuple(rng.sample(pool, rng.randint(2, min(3, len(pool))))), target)
        if join not in joins:
            joins.append(join)
    graph = Graph(tuple(names), tuple(dict.fromkeys(edges)), tuple(joins), routes)
    if inclusive:
        graph = replace(graph, inclusive=frozenset(join for join in joins if rng.random() < 0.75))
    if deferred:
        graph = replace(graph, deferred=frozenset(rng.sample(names, rng.randint(1, 2))))
    if inner:
        host = rng.choice(names)
        made = (random_graph(1_000_000 + 50 * seed + n, inclusive=inclusive, letter="m") for n in range(50))
        graph = replace(graph, inner={host: next(one for one in made if simulate(one, 30).settled)})
    return graph


def _random_route(rng: random.Random, names: list[str], place: int) -> Route:
    """Forward picks, at most two rounds back, and now and then a fan-out by Send; always ends forward."""
    later = names[place + 1 :]
    back = names[: place + 1]
    picks: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    picks += [((rng.choice(back),), ()) for _ in range(rng.choice((0, 0, 1, 2)))]
    goto = tuple(rng.sample(later, min(len(later), rng.randint(0, 2))))
    sent = tuple(rng.choices(later, k=rng.randint(1, 3))) if later and rng.random() < 0.4 else ()
    picks.append((goto or ((END,) if not sent else ()), sent))
    return Route(tuple(picks))


def seeds(count: int, start: int = 0) -> Iterator[int]:
    yield from range(start, start + count)
