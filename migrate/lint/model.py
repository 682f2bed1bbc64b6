"""What the linter knows of a graph, however it learnt it, and what a rule says.

A wired graph is plain data: nodes, edges, waiting edges, routers, state keys, each with the place that wrote it. The static
reader and the reader of compiled graphs both make it; the rules see nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

START, END = "__start__", "__end__"

Level = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Place:
    """Where in the source: a relative path with forward slashes, line and column from 1."""

    file: str
    line: int
    column: int = 1


@dataclass(frozen=True)
class Facts:
    """What the source of a node's function or of a router shows.

    `writes` are the state keys it returns, None when that cannot be seen. `picks` are the sets of nodes a router may pick,
    one for each way it can return; None when some way is not constant. `gotos` are the nodes that its Commands go to, and
    `open_goto` says that one of them is not constant. `raises` pairs a line with what can raise there.
    """

    place: Place
    writes: frozenset[str] | None = None
    whole_state: tuple[int, ...] = ()
    copied_keys: tuple[tuple[int, str], ...] = ()
    mutations: tuple[tuple[int, str], ...] = ()
    asks: bool = False
    gotos: tuple[tuple[int, str], ...] = ()
    open_goto: bool = False
    sends: tuple[tuple[int, str], ...] = ()
    picks: tuple[frozenset[str], ...] | None = None
    several: bool = False
    nothing: tuple[int, ...] = ()
    literal: frozenset[str] | None = None
    raises: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Node:
    """One node. `facts` is None when its function was not found."""

    name: str
    place: Place
    defer: bool = False
    facts: Facts | None = None


@dataclass(frozen=True)
class Edge:
    """A plain edge."""

    source: str
    target: str
    place: Place


@dataclass(frozen=True)
class Join:
    """A waiting edge."""

    sources: tuple[str, ...]
    target: str
    place: Place
    inclusive: bool = False


@dataclass(frozen=True)
class Router:
    """A conditional edge. `targets` are what its path map leads to; None when there is none.

    `unmapped` is what it returns that its path map does not have.
    """

    source: str
    place: Place
    targets: frozenset[str] | None
    facts: Facts | None = None
    unmapped: frozenset[str] = frozenset()

    @property
    def picks(self) -> tuple[frozenset[str], ...] | None:
        """Every set of nodes it may pick; None when that is open. One at a time unless it is seen to return several."""
        if self.facts is not None and self.facts.picks is not None:
            return self.facts.picks
        known = self.targets if self.targets is not None else self.facts.literal if self.facts else None
        if known is None:
            return None
        single = tuple(frozenset({target}) for target in sorted(known))
        return (*single, known) if self.facts is not None and self.facts.several and len(known) > 1 else single


@dataclass(frozen=True)
class Key:
    """One key of the state and its reducer as written; "" for none. `ordered`: the result depends on the writers' order."""

    name: str
    reducer: str = ""
    ordered: bool = False
    merges: bool = False


@dataclass(frozen=True)
class Wired:
    """One graph. `complete` is False when some of its wiring could not be seen, so that runs cannot be played through."""

    name: str
    place: Place
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    joins: tuple[Join, ...] = ()
    routers: tuple[Router, ...] = ()
    keys: dict[str, Key] | None = None
    complete: bool = True
    stock: bool = True
    saved: Place | None = None
    looped: tuple[tuple[Place, str, str], ...] = ()


@dataclass(frozen=True)
class Finding:
    """One hazard at one place: what it is here, why it is one, and the mend."""

    rule: str
    level: Level
    place: Place
    graph: str
    message: str
    why: str
    mend: str
