"""The gate: observe both engines on every case, let the rules compare, set aside what is flaky, judge by the baseline.

Every engine runs twice under different seeded schedules. A difference between the engines that is also one between two
runs of one engine says nothing about the migration; it is reported apart, as flaky.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..adapters.errors import ConfigurationError, UsageError
from .baseline import Known, judge
from .model import Case, Divergence, Engine, Observation, Rule, Side
from .observing import HELD_SEED, observe
from .report import Evidence, Finding, Report, gather_evidence
from .values import is_opaque

Observer = Callable[[Engine, Case, int], Observation]
Confirm = Callable[[], tuple[Observation, Observation]]
SEEDS = (1, 2)
ORDER = "order"
_LAST = 1 << 30


@dataclass(frozen=True)
class Compared:
    """What the rules found in one case: divergences in order of the trace, flaky ones, and what could not be seen."""

    case: str
    divergences: tuple[Divergence, ...]
    follows: tuple[str | None, ...]
    flaky: tuple[Divergence, ...]
    unseen: tuple[str, ...]


def pick_engines(engines: Iterable[Engine]) -> tuple[Engine, Engine]:
    """The legacy engine and the candidate. Raises `ConfigurationError` unless there is exactly one of each."""
    known = list(engines)
    sides = {side: [engine for engine in known if engine.side == side] for side in ("legacy", "candidate")}
    for side, found in sides.items():
        if len(found) != 1:
            names = ", ".join(engine.name for engine in found) or "none"
            raise ConfigurationError(
                f"the parity gate needs exactly one {side} engine; the plugins give {names}",
                mend="return it from the hook graphlift_engines, in a module named under `plugins`",
            )
    return sides["legacy"][0], sides["candidate"][0]


def pick_cases(cases: Iterable[Case], only: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases by id, those that `only` names if it is given. Raises for two with one id, none at all, an unknown one."""
    known: dict[str, Case] = {}
    for case in cases:
        if case.id in known:
            raise ConfigurationError(f"two cases have the id {case.id!r}", mend="give each case an id of its own")
        known[case.id] = case
    if not known:
        raise ConfigurationError("no plugin gives a case", mend="return cases from the hook graphlift_cases")
    missing = [name for name in only if name not in known]
    if missing:
        raise UsageError(f"there is no case {missing[0]!r}", mend=f"the cases are {', '.join(sorted(known))}")
    return tuple(known[name] for name in sorted(known) if not only or name in only)


def compare(
    case: Case, rules: Sequence[Rule], pair: Mapping[Side, Sequence[Observation]], confirm: Confirm | None = None
) -> Compared:
    """Let the rules compare the observations of one case: `pair` holds each side's runs, as many of one as of the other.

    A finding counts when every pair of runs shows it and no engine shows it against itself. `confirm` observes both engines
    once more with every activation held open; it is asked only when the engines seem to differ in order, since what an
    engine starts at once may look ordered by luck.
    """
    legacy, candidate = pair["legacy"], pair["candidate"]
    found = _check(case, rules, legacy[0], candidate[0])
    flaky = [item for side in (legacy, candidate) for item in _against_itself(case, rules, side)]
    noise = {item.key for item in flaky}
    again = [_keys(_check(case, rules, *runs)) for runs in zip(legacy[1:], candidate[1:], strict=True)]
    steady = [item for item in found if item.key not in noise and all(item.key in keys for keys in again)]
    if confirm and any(_family(item, rules) == ORDER for item in steady):
        held = _keys(_check(case, rules, *confirm()))
        steady = [item for item in steady if _family(item, rules) != ORDER or item.key in held]
    ordered = sorted(steady, key=lambda item: (_position(item, legacy[0]), item.rule, item.node or "", item.subject))
    return Compared(
        case.id, tuple(ordered), _follows(ordered, legacy[0]), tuple(flaky), _unseen(case, legacy[0], candidate[0])
    )


def _check(case: Case, rules: Sequence[Rule], legacy: Observation, candidate: Observation) -> list[Divergence]:
    return [item for rule in rules for item in rule.check(case, legacy, candidate)]


def _keys(found: Iterable[Divergence]) -> set[tuple[str, str, int, str]]:
    return {item.key for item in found}


def _family(item: Divergence, rules: Sequence[Rule]) -> str:
    return next(rule.family for rule in rules if rule.id == item.rule)


def _against_itself(case: Case, rules: Sequence[Rule], runs: Sequence[Observation]) -> list[Divergence]:
    """What two runs of one engine differ in, each once; what a rule says of a run even beside itself is no difference."""
    always = _keys(_check(case, rules, runs[0], runs[0]))
    found: dict[tuple[str, str, int, str], Divergence] = {}
    for other in runs[1:]:
        for item in _check(case, rules, runs[0], other):
            if item.key not in always:
                cause = f"differs between two runs of the {runs[0].side} engine: {item.cause}"
                found.setdefault(item.key, replace(item, cause=cause))
    return list(found.values())


def _position(item: Divergence, legacy: Observation) -> int:
    return min((run.begin for run in legacy.trace if run.node == item.node), default=_LAST)


def _follows(ordered: Sequence[Divergence], legacy: Observation) -> tuple[str | None, ...]:
    """For each divergence, the first divergent node of the case, where this one began after that one had ended."""
    first = next((item for item in ordered if item.node), None)
    if first is None:
        return tuple(None for _ in ordered)
    end = min((run.end for run in legacy.trace if run.node == first.node and run.end), default=_LAST)
    return tuple(f"{first.rule} at {first.node}" if _position(item, legacy) > end else None for item in ordered)


def _unseen(case: Case, legacy: Observation, candidate: Observation) -> tuple[str, ...]:
    said: list[str] = []
    for side in (legacy, candidate):
        if side.outcome and side.outcome.nodes is None:
            said.append(f"{case.id}: the {side.side} engine shows no node results")
        if side.outcome and side.outcome.data is None:
            said.append(f"{case.id}: the {side.side} engine shows no final data")
        if side.outcome and not side.trace:
            said.append(f"{case.id}: no handler call was tapped on the {side.side} engine, so its trace is empty")
    return tuple(said)


def run_gate(
    engines: Iterable[Engine],
    cases: Iterable[Case],
    rules: Sequence[Rule],
    *,
    root: Path,
    baseline: Iterable[Known] = (),
    files: Iterable[str] = (),
    only: Sequence[str] = (),
    today: dt.date | None = None,
    observer: Observer = observe,
    progress: Callable[[Sequence[Case]], Iterable[Case]] = iter,
) -> Report:
    """Run the gate. `root` is the project's root, for the evidence; `files` are more files that the evidence names.

    `observer` runs one engine on one case under a seed; the default does so in this process. Ctrl-C gives a partial
    report of what had been compared.
    """
    pair = pick_engines(engines)
    every = pick_cases(cases)
    chosen = pick_cases(every, only)
    # Before the first run: a file that changes while the gate runs must make the evidence stale.
    evidence = _evidence(root, pair, every, files)
    compared: list[Compared] = []
    try:
        for case in progress(chosen):
            compared.append(observe_and_compare(pair, case, rules, observer))  # noqa: PERF401 - what was done stays
    except KeyboardInterrupt:
        pass
    ran = frozenset(one.case for one in compared)
    judged = judge(
        [item for one in compared for item in one.divergences],
        baseline,
        today or dt.datetime.now(dt.UTC).date(),
        ran if len(ran) < len(every) else None,
    )
    follows = [item for one in compared for item in one.follows]
    return Report(
        cases=tuple(sorted(ran)),
        families=tuple(dict.fromkeys(rule.family for rule in rules)),
        findings=tuple(Finding(*known, after) for known, after in zip(judged.divergences, follows, strict=True)),
        problems=judged.problems,
        flaky=tuple(item for one in compared for item in one.flaky),
        unseen=(*_untraceable(pair, every), *(text for one in compared for text in one.unseen)),
        evidence=evidence,
        partial=len(ran) < len(every),
        stopped=len(ran) < len(chosen),
        family_of={rule.id: rule.family for rule in rules},
    )


def observe_and_compare(pair: tuple[Engine, Engine], case: Case, rules: Sequence[Rule], observer: Observer) -> Compared:
    """Run both engines on one case, each under every seed, and compare."""
    legacy, candidate = pair
    runs: dict[Side, list[Observation]] = {
        engine.side: [observer(engine, case, seed) for seed in SEEDS] for engine in (legacy, candidate)
    }
    return compare(case, rules, runs, lambda: (observer(legacy, case, HELD_SEED), observer(candidate, case, HELD_SEED)))


def _evidence(root: Path, pair: tuple[Engine, Engine], cases: Iterable[Case], files: Iterable[str]) -> Evidence:
    every = list(cases)
    return gather_evidence(
        root,
        {engine.side: engine.sources for engine in pair},
        {case.id: case.fingerprint for case in every},
        [*files, *(name for case in every for name in case.files)],
    )


def _untraceable(pair: tuple[Engine, Engine], cases: Iterable[Case]) -> list[str]:
    """What could change without making the evidence stale."""
    engines = [
        f"the {engine.side} engine names no sources: its evidence never becomes stale"
        for engine in pair
        if not engine.sources
    ]
    opaque = [case.id for case in cases if not case.files and is_opaque(case.definition)]
    text = "its definition has no content that can be hashed, and its `files` name none"
    return [*engines, *(f"{name}: {text}" for name in opaque)]
