"""Paths through a graph of dotted names, in which each name stands for others and some names are ends.

Each name is entered once for a question, however many ways and circles lead through it, so that a question costs what
the graph holds and not what its paths are. What names stand for, and which are ends, others say.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_TAILS = 32
"""How many names with the same head one question follows: `X = X.y` makes a new one (`X.y.y.y`) without end."""


@dataclass(frozen=True)
class Way:
    """What a name may stand for: `head`, with what the name asked for behind it; not `certain` where it is one of several."""

    head: str
    rest: tuple[str, ...] = ()
    certain: bool = True

    @property
    def name(self) -> str:
        """The name that the way leads to."""
        return ".".join((self.head, *self.rest))


@dataclass(frozen=True)
class Step:
    """A name on a path, and whether the way out of it is certain."""

    name: str
    certain: bool = True


@dataclass
class _Visit:
    """A name whose ways are tried one by one. `low` is the earliest name still open that it, or what it leads to, met."""

    name: str
    ways: Iterator[Way]
    number: int
    low: int
    certain: bool = True


Ways = Callable[[str], Iterator[Way]]


def first_path(start: str, ways: Ways, leads: Callable[[str], bool | None]) -> tuple[list[Step], set[str]]:
    """The path that taking the first way at each name gives, wrong turns taken back; and the names that lead nowhere.

    `leads` says True for an end, False for a name that is known to lead nowhere, None for one to follow. The path ends
    with an end, or is empty. A name that only met a circle on this path may lead somewhere on another, so it is not among
    the names that lead nowhere unless its whole circle is (Tarjan's strongly connected components).
    """
    open_: list[_Visit] = [_Visit(start, ways(start), 0, 0)]
    numbers, pending, dead = {start: 0}, [start], set[str]()
    tails: Counter[str] = Counter()
    while open_:
        visit = open_[-1]
        way = next(visit.ways, None)
        if way is None:
            open_.pop()
            if visit.low == visit.number:
                while pending and numbers[pending[-1]] >= visit.number:
                    dead.add(pending.pop())
            else:
                open_[-1].low = min(open_[-1].low, visit.low)
            continue
        name, visit.certain = way.name, way.certain
        known = leads(name)
        if known:
            return [*(Step(each.name, each.certain) for each in open_), Step(name)], dead
        if known is False or name in dead:
            continue
        if name in numbers or tails[way.head] >= MAX_TAILS:
            # A way that was not tried to its end leaves everything open, down to the start.
            visit.low = min(visit.low, numbers.get(name, 0))
            continue
        tails[way.head] += 1
        numbers[name] = len(numbers)
        pending.append(name)
        open_.append(_Visit(name, ways(name), numbers[name], numbers[name]))
    return [], dead


def shortest_path(start: str, ways: Ways, is_end: Callable[[str], bool], longest: int) -> list[Step]:
    """A path with the fewest names, of at most `longest`; empty where there is none."""
    came: dict[str, Step | None] = {start: None}
    depths, tails = {start: 1}, Counter[str]()
    queue = deque([start])
    while queue and depths[queue[0]] < longest:
        name = queue.popleft()
        for way in ways(name):
            following = way.name
            if following in came or tails[way.head] >= MAX_TAILS:
                continue
            tails[way.head] += 1
            came[following], depths[following] = Step(name, way.certain), depths[name] + 1
            if is_end(following):
                return _back(Step(following), came)
            queue.append(following)
    return []


def reachable(start: str, ways: Ways, is_end: Callable[[str], bool]) -> list[str]:
    """The name and all that it may stand for, whether directly or through others; what is behind an end is left out."""
    names, tails = {start: None}, Counter[str]()
    queue = deque([start])
    while queue:
        for way in ways(queue.popleft()):
            if way.name not in names and tails[way.head] < MAX_TAILS:
                tails[way.head] += 1
                names[way.name] = None
                if not is_end(way.name):
                    queue.append(way.name)
    return list(names)


def _back(end: Step, came: dict[str, Step | None]) -> list[Step]:
    path = [end]
    while step := came[path[-1].name]:
        path.append(step)
    return path[::-1]
