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
from .observing import observe
from .report import Finding, Report, gather_evidence

Observer = Callable[[Engine, Case, int], Observation]
SEEDS = (1, 2)


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


def compare(case: Case, rules: Sequence[Rule], pair: Mapping[Side, Sequence[Observation]]) -> Compared:
    """Let the rules compare the observations of one case: `pair` holds each side's runs."""
    legacy, candidate = pair["legacy"], pair["candidate"]
    found = _check(case, rules, legacy[0], candidate[0])
    noise = {
        item.key for side in (legacy, candidate) for other in side[1:] for item in _check(case, rules, side[0], other)
    }
    # Liveness and endings compare an engine with a rule, not with the other one: both runs agreeing is no noise.
    steady = [item for item in found if item.key not in noise or _is_absolute(item, rules)]
    ordered = sorted(steady, key=lambda item: (_position(item, legacy[0]), item.rule, item.node or ""))
    flaky = tuple(item for item in found if item not in steady)
    extra = tuple(_flaky_alone(case, rules, side) for side in (legacy, candidate))
    return Compared(
        case.id,
        tuple(ordered),
        _follows(ordered, legacy[0]),
        (*flaky, *(item for group in extra for item in group if item.key not in {one.key for one in flaky})),
        _unseen(case, legacy[0], candidate[0]),
    )


def _check(case: Case, rules: Sequence[Rule], legacy: Observation, candidate: Observation) -> list[Divergence]:
    return [item for rule in rules for item in rule.check(case, legacy, candidate)]


def _is_absolute(item: Divergence, rules: Sequence[Rule]) -> bool:
    return any(rule.id == item.rule and rule.family in ("liveness", "ending") for rule in rules)


def _flaky_alone(case: Case, rules: Sequence[Rule], runs: Sequence[Observation]) -> list[Divergence]:
    found = [
        item for other in runs[1:] for item in _check(case, rules, runs[0], other) if not _is_absolute(item, rules)
    ]
    return [
        replace(item, cause=f"differs between two runs of the {runs[0].side} engine: {item.cause}") for item in found
    ]


def _position(item: Divergence, legacy: Observation) -> int:
    begins = [run.begin for run in legacy.trace if run.node == item.node]
    return min(begins, default=1 << 30)


def _follows(ordered: Sequence[Divergence], legacy: Observation) -> tuple[str | None, ...]:
    """For each divergence, the first divergent node of the case, where this one begins after that one."""
    first = next((item for item in ordered if item.node), None)
    if first is None:
        return tuple(None for _ in ordered)
    start = _position(first, legacy)
    return tuple(
        f"{first.rule} at {first.node}" if item is not first and _position(item, legacy) > start else None
        for item in ordered
    )


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
    legacy, candidate = pick_engines(engines)
    every = pick_cases(cases)
    chosen = pick_cases(every, only)
    compared: list[Compared] = []
    stopped = False
    try:
        for case in progress(chosen):
            pair: dict[Side, list[Observation]] = {
                engine.side: [observer(engine, case, seed) for seed in SEEDS] for engine in (legacy, candidate)
            }
            compared.append(compare(case, rules, pair))
    except KeyboardInterrupt:
        stopped = True
    found = [item for one in compared for item in one.divergences]
    follows = [item for one in compared for item in one.follows]
    ran = frozenset(one.case for one in compared)
    judged = judge(found, baseline, today or dt.datetime.now(dt.UTC).date(), ran)
    findings = tuple(
        Finding(item, known, after) for (item, known), after in zip(judged.divergences, follows, strict=True)
    )
    named = [*files, *(name for case in every for name in case.files)]
    evidence = gather_evidence(
        root,
        {legacy.side: legacy.sources, candidate.side: candidate.sources},
        {case.id: case.fingerprint for case in every},
        named,
    )
    return Report(
        cases=tuple(sorted(ran)),
        families=tuple(dict.fromkeys(rule.family for rule in rules)),
        findings=findings,
        problems=judged.problems,
        flaky=tuple(item for one in compared for item in one.flaky),
        unseen=tuple(text for one in compared for text in one.unseen),
        evidence=evidence,
        partial=stopped or len(chosen) < len(every),
        family_of={rule.id: rule.family for rule in rules},
    )
