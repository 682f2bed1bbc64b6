"""One engine by itself: what its run of a case shows, and whether it does the same when the workflow is written otherwise.

Two engines can be wrong alike, and then comparing them shows nothing. The rules are the gate's; the runs are a pool's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..adapters.errors import ConfigurationError
from .case import Case, expand_cases
from .cassette import Answer, Tape
from .divergence import Divergence, Flaky
from .engine import Engine
from .judging import ABSOLUTE, check, fold
from .metamorphic import Variant, translated, variants
from .observation import Observation, Side
from .rule import Rule
from .running import InProcess, Pool, Task
from .shape import shape_of, workflow_in
from .wording import ORDERS, OTHERWISE, reworded

MakePool = Callable[[Mapping[Side, Engine], Mapping[str, Case]], Pool]
Pools = Callable[[tuple[Answer, ...] | None], MakePool]
"""What makes the pool for the cases as they are (None), or for those written otherwise with the answers they replay."""
Progress = Callable[[Iterable[Any], str, int], Iterable[Any]]


@dataclass(frozen=True)
class Found:
    """`relation` says how the workflow was written otherwise; None: the run shows it by itself."""

    side: Side
    relation: str | None
    divergence: Divergence

    def to_json(self) -> dict[str, Any]:
        """JSON data: a divergence in the words of one engine."""
        told = self.divergence.to_json()
        shown = {"as_written": told.pop("legacy"), "otherwise": told.pop("candidate")}
        if self.relation is None:
            shown = {"shown": self.divergence.legacy}
        return {**told, **shown, "engine": self.side, "relation": self.relation, "follows": self.divergence.under}


@dataclass(frozen=True)
class Unchecked:
    """What of a case could not be checked, and why."""

    side: Side
    case: str
    what: str
    why: str


@dataclass(frozen=True)
class Alone:
    """What was found of one engine. `written` counts the runs of workflows that were written otherwise."""

    side: Side
    engine: str
    cases: tuple[str, ...]
    written: int
    found: tuple[Found, ...]
    flaky: tuple[Flaky, ...]
    unchecked: tuple[Unchecked, ...]

    @property
    def is_green(self) -> bool:
        """Whether something was checked, and nothing was found."""
        return bool(self.cases) and not self.found


@dataclass(frozen=True)
class Rewritten:
    """Loads what `load` loads, every case written otherwise: for worker processes. Picklable when `load` is."""

    load: Callable[[], tuple[Sequence[Engine], Sequence[Case]]]
    answers: tuple[Answer, ...]

    def __call__(self) -> tuple[Sequence[Engine], Sequence[Case]]:
        """The engines, and the cases."""
        engines, cases = self.load()
        return engines, [one.case for case in expand_cases(cases) for one in _variants(case, self.answers)]


def pick(engines: Iterable[Engine], sides: Sequence[Side]) -> list[Engine]:
    """The engines of some sides. Raises `ConfigurationError` unless there is exactly one of each."""
    known = list(engines)
    for side in sides:
        found = [engine.name for engine in known if engine.side == side]
        if len(found) != 1:
            raise ConfigurationError(
                f"this needs exactly one {side} engine; the plugins give {', '.join(found) or 'none'}",
                mend="return it from the hook graphlift_engines, in a module named under `plugins`",
            )
    return [engine for side in sides for engine in known if engine.side == side]


def in_process(answers: tuple[Answer, ...] | None) -> MakePool:
    """Pools that run in this process: for a debugger and for tests."""
    del answers
    return InProcess


def check_engine(
    engine: Engine,
    cases: Sequence[Case],
    rules: Sequence[Rule],
    pools: Pools = in_process,
    *,
    tape: tuple[Answer, ...] | None = None,
    progress: Progress = lambda items, _what, _total: items,
) -> Alone:
    """Run cases under one engine as they are, then written otherwise, and judge what it did.

    Recorded handlers run once, in the case as it is, and are replayed after that; with `tape` (answers of a cassette) they
    never run. Only a run that succeeds is compared with others: what else ran before a failure may depend on timing.
    """
    by_side: dict[Side, Engine] = {engine.side: engine}
    tasks = [
        Task(case.id, engine.side, 0, Tape("once") if tape is None else Tape("none", _of(tape, case))) for case in cases
    ]
    pool = pools(None)(by_side, {case.id: case for case in cases})
    plain = {case.id: _Plain(case, rules) for case in cases}
    for name, seen in progress(_run(pool, tasks, _again), "as written", len(tasks)):
        plain[name].add(seen)
    answers = tuple(item for one in plain.values() for item in one.answers(tape or ()))
    judged = [one for one in plain.values() if one.why_not is None]
    other = {item.case.id: (one, item) for one in judged for item in _variants(one.case, answers)}
    pool = pools(answers)(by_side, {name: item.case for name, (_, item) in other.items()})
    found = [Found(engine.side, None, item) for one in plain.values() for item in one.own]
    tasks = [Task(name, engine.side, 0) for name in other]
    for name, seen in progress(_run(pool, tasks), "written otherwise", len(tasks)):
        found.extend(
            Found(engine.side, other[name][1].relation, item) for item in other[name][0].compare(seen, other[name][1])
        )
    return Alone(
        engine.side,
        engine.name,
        tuple(sorted(one.case.id for one in plain.values() if one.is_checked)),
        len(other),
        tuple(sorted(found, key=_order)),
        tuple(dict.fromkeys(item for one in plain.values() for item in one.flaky(engine.side))),
        tuple(item for one in plain.values() for item in one.unchecked(engine.side)),
    )


def _of(tape: Iterable[Answer], case: Case) -> tuple[Answer, ...]:
    return tuple(item for item in tape if item.case == case.id)


def _variants(case: Case, answers: Iterable[Answer]) -> tuple[Variant, ...]:
    return variants(case, _of(answers, case)) if workflow_in(case) is not None else ()


def _again(task: Task, seen: Observation) -> Task | None:
    """A second completion order, where the first run had something that overlapped."""
    if task.schedule or not seen.overlapped:
        return None
    return replace(task, schedule=1, tape=Tape("none", (*task.tape.answers, *seen.recordings)))


def _run(
    pool: Pool, tasks: Iterable[Task], again: Callable[[Task, Observation], Task | None] = lambda _task, _seen: None
) -> Iterator[tuple[str, Observation]]:
    for task in tasks:
        pool.submit(task)
    for task, seen in pool.finished():
        more = again(task, seen)
        if more is not None:
            pool.submit(more)
        yield task.case, seen


def _order(item: Found) -> tuple[str, bool, str]:
    return item.divergence.case, item.relation is not None, item.relation or ""


class _Plain:
    """The runs of a case as it is, under one completion order or two."""

    def __init__(self, case: Case, rules: Sequence[Rule]) -> None:
        self.case, self.rules, self.shape = case, rules, shape_of(case)
        self.runs: list[Observation] = []

    def add(self, seen: Observation) -> None:
        self.runs.append(replace(seen, shape=self.shape))

    def answers(self, tape: Iterable[Answer]) -> tuple[Answer, ...]:
        return (*_of(tape, self.case), *(item for run in self.runs for item in run.recordings))

    @property
    def why_not(self) -> str | None:
        """Why the run cannot be compared with another one."""
        run = self.runs[0]
        if run.broken is not None:
            return f"the run ended without a result: {run.broken.error}"
        if run.succeeded is None:
            return "the engine does not say whether the run succeeded"
        return None if run.succeeded else f"the run failed: {run.error or 'without an error'}"

    @property
    def is_checked(self) -> bool:
        return self.why_not is None and (self.shape is not None or workflow_in(self.case) is not None)

    @property
    def own(self) -> list[Divergence]:
        """What the run shows by itself: liveness, and an end without a result."""
        alone = [rule for rule in self.rules if rule.family in ABSOLUTE]
        found = {item.place: item for run in self.runs for item in check(alone, run, run)}
        return [replace(item, case=self.case.id) for item in found.values()]

    def flaky(self, side: Side) -> list[Flaky]:
        """Where the runs differ under two completion orders."""
        return [
            Flaky(self.case.id, side, item.family, item.node, item.subject, reworded(item.cause, ORDERS))
            for other in self.runs[1:]
            for item in check(self.rules, self.runs[0], other)
            if item.family not in ABSOLUTE
        ]

    def compare(self, seen: Observation, variant: Variant) -> list[Divergence]:
        """What the run of a variant does otherwise, apart from what differs by chance and what is told already."""
        other = replace(translated(seen, variant.names), shape=self.shape)
        chance = {(item.family, item.node, item.subject) for item in self.flaky(seen.side)}
        told = {item.place for item in self.own}
        new = [
            item
            for item in check(self.rules, self.runs[0], other)
            if item.site not in chance and item.place not in told
        ]
        folded = fold(sorted(new, key=lambda item: item.moment), self.runs[0])
        return [replace(item, case=self.case.id, cause=reworded(item.cause, OTHERWISE)) for item in folded]

    def unchecked(self, side: Side) -> Iterator[Unchecked]:
        if self.why_not is not None:
            yield Unchecked(side, self.case.id, "everything", self.why_not)
            return
        if workflow_in(self.case) is None:
            why = "its definition is not one of graphlift's own workflows"
            yield Unchecked(side, self.case.id, "other ways of writing it", why)
        if self.shape is None:
            yield Unchecked(side, self.case.id, "liveness", "the graph is not known: give the case `edges`")
