"""The gate: run both engines on every case, let the rules compare, set aside what is chance, judge by the baseline.

It knows no plugin manager: engines, cases and rules are given. Where and how many at once things run is the pool's matter.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..adapters.errors import ConfigurationError, UsageError
from .baseline import Known, judge
from .case import Case, Normaliser, expand_cases
from .cassette import Cassette, Mode, Tape
from .coverage import gather, measure
from .engine import Engine
from .evidence import gather_evidence
from .globs import matches
from .judging import Judged, judge_case, wants_another_run
from .loaded import loaded_files, within
from .observation import SIDES, Observation, Side
from .report import Finding, Report
from .rule import Rule
from .running import InProcess, Pool, Task
from .shape import Shape, shape_of
from .sharding import Shard
from .tracing import TraceKeeper

MakePool = Callable[[Mapping[Side, Engine], Mapping[str, Case]], Pool]
Progress = Callable[[Iterator[Judged], int], Iterable[Judged]]


def pick_engines(engines: Iterable[Engine]) -> dict[Side, Engine]:
    """The engines by side. Raises `ConfigurationError` unless there is exactly one of each."""
    known = list(engines)
    picked: dict[Side, Engine] = {}
    for side in SIDES:
        found = [engine for engine in known if engine.side == side]
        if len(found) != 1:
            names = ", ".join(engine.name for engine in found) or "none"
            raise ConfigurationError(
                f"the parity gate needs exactly one {side} engine; the plugins give {names}",
                mend="return it from the hook graphlift_engines, in a module named under `plugins`",
            )
        picked[side] = found[0]
    return picked


def pick_cases(cases: Iterable[Case], only: Sequence[str] = ()) -> tuple[Case, ...]:
    """Every case of every matrix by id, those that a pattern of `only` matches if it is given (`*` and `?`).

    Raises for no case at all, two with one id, and a pattern that matches none.
    """
    every = expand_cases(cases)
    if not every:
        raise ConfigurationError("no plugin gives a case", mend="return cases from the hook graphlift_cases")
    for case in every:
        _check_names(case)
    for pattern in only:
        if not any(matches(pattern, case.id) for case in every):
            shown = ", ".join(case.id for case in every[:20]) + (" …" if len(every) > 20 else "")
            raise UsageError(f"there is no case {pattern!r}", mend=f"the cases are {shown}")
    return tuple(case for case in every if not only or any(matches(pattern, case.id) for pattern in only))


@dataclass
class _Runs:
    """The observations of one case so far, by side and schedule."""

    case: Case
    shape: Shape | None
    seen: dict[tuple[Side, int], Observation] = field(default_factory=dict)

    def add(self, task: Task, observation: Observation) -> None:
        self.seen[task.side, task.schedule] = replace(observation, shape=self.shape)

    def has(self, schedule: int) -> bool:
        return all((side, schedule) in self.seen for side in SIDES)

    def by_side(self) -> dict[Side, list[Observation]]:
        return {side: [self.seen[side, n] for n in (0, 1) if self.has(n)] for side in SIDES}


def _check_names(case: Case) -> None:
    """Raise UsageError for a stub or a recorded pattern that is about no node of the case: the real handler would run."""
    if not isinstance(case.handlers, Mapping) or not case.handlers or not (case.stubs or case.recorded):
        return
    shape = shape_of(case)
    names = sorted({*map(str, case.handlers), *(shape.sources if shape else ())})
    for what, patterns in (("recorded", case.recorded), ("stubs", case.stubs)):
        for pattern in sorted(patterns):
            if not any(matches(pattern, name) for name in names):
                raise UsageError(
                    f"case {case.id!r}: {what}: {pattern!r} is none of its nodes", mend=f"they are {', '.join(names)}"
                )


def judge_cases(
    cases: Sequence[Case], rules: Sequence[Rule], pool: Pool, cassette: Cassette | None = None, record: Mode = "once"
) -> Generator[Judged, None, None]:
    """Run and judge cases, each as soon as its runs under both schedules are in.

    Where a case has recorded handlers the legacy engine runs first, and every later run replays.
    """
    tapes = cassette if cassette is not None else Cassette()
    runs = {case.id: _Runs(case, shape_of(case)) for case in cases}
    shares = bool(getattr(pool, "shares", False))
    for case in cases:
        for side in SIDES[:1] if case.recorded else SIDES:
            tape = Tape(record, tapes.of(case.id) if case.recorded else ())
            # What has effects happens once.
            pool.submit(Task(case.id, side, 0, tape, alone=not shares or bool(case.recorded)))
    for task, observation in pool.finished():
        case_runs = runs[task.case]
        case_runs.add(task, observation)
        tapes.add(observation.recordings)
        replay = Tape("none", tapes.of(task.case)) if case_runs.case.recorded else Tape()
        if case_runs.case.recorded and (task.side, task.schedule) == (SIDES[0], 0):
            pool.submit(Task(task.case, SIDES[1], 0, replay, alone=True))
        if not case_runs.has(task.schedule):
            continue
        first = case_runs.seen["legacy", 0], case_runs.seen["candidate", 0]
        if task.schedule == 0 and wants_another_run(*first):
            for side in SIDES:
                pool.submit(Task(task.case, side, 1, replay, alone=task.alone))
            continue
        ended = case_runs.by_side()
        judged = judge_case(task.case, rules, ended, calls=bool(case_runs.case.handlers))
        if not task.alone and (judged.divergences or judged.flaky):
            # No difference is told that could come from runs that shared a process.
            case_runs.seen.clear()
            for side in SIDES:
                pool.submit(Task(task.case, side, 0, replay, alone=True))
            continue
        del runs[task.case]
        loaded = sorted({file for run in case_runs.seen.values() for file in run.loaded})
        yield replace(judged, measured=measure(case_runs.case, ended), loaded=tuple(loaded))


def run_gate(
    engines: Iterable[Engine],
    cases: Iterable[Case],
    rules: Sequence[Rule],
    *,
    root: Path,
    baseline: Iterable[Known] = (),
    files: Iterable[str] = (),
    only: Sequence[str] = (),
    shard: Shard | None = None,
    today: dt.date | None = None,
    pool: MakePool = InProcess,
    normalise: Sequence[Normaliser] = (),
    cassette: Cassette | None = None,
    record: Mode = "once",
    progress: Progress | None = None,
) -> Report:
    """Run the gate and give its report.

    `root` is the project's root, for the evidence; `files` are more files that the evidence names. `only` are patterns of
    case ids, `shard` a part of the cases; with either, the report is partial, and with both it is no shard of a whole. `pool` says how runs are carried out (by
    default in this process, one after the other). `normalise` are applied in turn to every value before it is recorded.
    `cassette` holds recorded answers and takes new ones in; `record` says what the legacy engine may record. Ctrl-C gives a
    partial report of what had been judged. Raises `ConfigurationError` and `UsageError` as `pick_engines` and `pick_cases`
    do.
    """
    by_side, every = pick_engines(engines), pick_cases(cases)
    picked = [case for case in pick_cases(every, only) if shard is None or shard.has(case.id)]
    chosen = [case.normalised(normalise) for case in picked]
    evidence = gather_evidence(root, by_side, every, files)
    running = judge_cases(chosen, rules, pool(by_side, {case.id: case for case in chosen}), cassette, record)
    entries = tuple(baseline)
    keeper = TraceKeeper(entries)
    judged, stopped = _collect(keeper.watch(running), len(chosen), progress)
    ran = frozenset(one.case for one in judged)
    # By what was judged, not by what was asked for: a pool that loses a run must not make the rest a whole.
    partial = stopped or len(ran) < len(every)
    # Shards are merged into a whole, so one of which a part did not run must not call itself one.
    is_shard = shard is not None and (stopped or ran == {case.id for case in every if shard.has(case.id)})
    day = today or dt.datetime.now(dt.UTC).date()
    verdict = judge((item for one in judged for item in one.divergences), entries, day, ran if partial else None)
    return Report(
        cases=tuple(sorted(ran)),
        families=tuple(dict.fromkeys(rule.family for rule in rules)),
        findings=tuple(Finding(item, known) for item, known in verdict.divergences),
        problems=verdict.problems,
        flaky=tuple(item for one in judged for item in one.flaky),
        unseen=tuple(sorted({*_untraceable(by_side), *_unseen(judged)})),
        evidence=evidence.with_files(
            root, within(root, [*loaded_files(), *(file for one in judged for file in one.loaded)])
        ),
        partial=partial,
        stopped=stopped,
        shard=str(shard) if is_shard else None,
        traces=keeper.traces(),
        coverage=gather(one.measured for one in judged),
    )


def _collect(
    running: Generator[Judged, None, None], total: int, progress: Progress | None
) -> tuple[list[Judged], bool]:
    """What was judged, by case, and whether Ctrl-C ended it."""
    judged: list[Judged] = []
    stopped = False
    try:
        judged.extend(progress(running, total) if progress else running)
    except KeyboardInterrupt:
        stopped = True
    finally:
        running.close()
    return sorted(judged, key=lambda one: one.case), stopped


def _untraceable(engines: Mapping[Side, Engine]) -> list[str]:
    """Engines that could change without making the evidence stale."""
    return [
        f"evidence: the {side} engine names no sources, so a change of its code is not seen"
        for side, engine in engines.items()
        if not engine.sources and not getattr(engine, "version", "")
    ]


def _unseen(judged: Iterable[Judged]) -> set[str]:
    """What could not be seen, each reason once."""
    return {f"{family}: {why}" for one in judged for family, why in one.unseen}
