"""What the pytest plugin does once it is asked for: cases as items, and the gate as a fixture. Imported only then."""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..adapters.errors import GraphliftError
from ..parity.baseline import Known, judge, read_baseline
from ..parity.evidence import Evidence
from ..parity.forking import Forking
from ..parity.gate import judge_cases, pick_cases, pick_engines, run_gate
from ..parity.isolation import isolated
from ..parity.report import Finding, Report
from ..parity.reporters.terminal import text
from ..parity.rules import builtin_rules
from ..parity.running import InProcess, Pool
from .gating import HOOKS, Loading, engines_and_cases, rules_of
from .manager import load_plugins
from .project import Project

if TYPE_CHECKING:
    from ..parity.case import Case
    from ..parity.engine import Engine
    from ..parity.judging import Judged
    from ..parity.rule import Rule


class Session:
    """A project's gate for one pytest run: engines, cases, rules and baseline, loaded once, and where runs are carried out."""

    def __init__(self, folder: Path) -> None:
        self.project = Project.open(folder)
        plugins = load_plugins(self.project, hooks=HOOKS)
        self.rules: list[Rule] = rules_of(plugins)
        engines, cases = engines_and_cases(self.project, plugins)
        self._given = engines
        self.cases: Sequence[Case] = pick_cases(cases) if cases else ()
        settings = self.project.settings.parity
        self.known = read_baseline(self.project.root / settings.baseline, settings.baseline)
        self._pool: Pool | None = None

    @property
    def engines(self) -> Iterable[Engine]:
        """The project's own engines."""
        return self._given

    def judge(self, case: Case) -> Report:
        """Run and judge one of the project's cases, isolated from this process."""
        (judged,) = judge_cases([case], self.rules, self._isolated())
        report = _report(judged, self.rules, [entry for entry in self.known if _is_for(entry, case.id)])
        return replace(report, flaky_fails=self.project.settings.parity.flaky == "fail")

    def _isolated(self) -> Pool:
        # Not before it is needed: what it is depends on the threads that run then.
        if self._pool is None:
            settings = self.project.settings.parity
            make = isolated(Loading(str(self.project.root)), timeout=settings.timeout, keep=True)
            self._pool = make(pick_engines(self._given), {case.id: case for case in self.cases})
        return self._pool

    def close(self) -> None:
        """End the worker process, if there is one."""
        if close := getattr(self._pool, "close", None):
            close()


def _is_for(entry: Known, case: str) -> bool:
    """Whether an entry can be judged by one case alone; one with a pattern only where it is needed."""
    return entry.case == case or "*" in entry.case or "?" in entry.case


def _report(judged: Judged, rules: Sequence[Rule], known: Sequence[Known]) -> Report:
    verdict = judge(judged.divergences, known, dt.datetime.now(dt.UTC).date(), frozenset({judged.case}))
    return Report(
        cases=(judged.case,),
        families=tuple(dict.fromkeys(rule.family for rule in rules)),
        findings=tuple(Finding(item, entry) for item, entry in verdict.divergences),
        # An entry with a pattern may be for other cases: that it is not needed shows only when all have run.
        problems=tuple(item for item in verdict.problems if item.entry.case == judged.case),
        flaky=judged.flaky,
        unseen=tuple(f"{family}: {why}" for family, why in judged.unseen),
        evidence=Evidence("", {}, {}),
    )


SESSION = pytest.StashKey[Session]()


def session_of(config: pytest.Config, folder: Path) -> Session:
    """The gate of this pytest run."""
    if SESSION not in config.stash:
        config.stash[SESSION] = Session(folder)
        config.add_cleanup(config.stash[SESSION].close)
    return config.stash[SESSION]


class ParityFile(pytest.File):
    """The project's configuration file, as the collector of its cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each case, by id."""
        try:
            session = session_of(self.config, self.path.parent)
        except GraphliftError as error:
            raise self.CollectError(str(error)) from None
        for case in session.cases:
            yield ParityItem.from_parent(self, name=case.id, session_gate=session, case=case)


class ParityItem(pytest.Item):
    """One case: it passes when the engines agree on it, or differ only as the baseline lists."""

    def __init__(self, *, session_gate: Session, case: Case, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._gate, self._case = session_gate, case
        self.add_marker("graphlift_parity")

    def runtest(self) -> None:
        """Run and judge the case."""
        report = self._gate.judge(self._case)
        for finding in report.findings:
            self.user_properties.append(
                ("graphlift_divergence", f"{finding.divergence.rule} {finding.divergence.node or ''}".strip())
            )
        if report.flaky or report.unseen:
            self.add_report_section("call", "graphlift", text(report))
        if not report.clean:
            raise DivergenceError(report)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A divergence is told as the terminal report tells it, a user's mistake by its message alone."""
        if isinstance(excinfo.value, (DivergenceError, GraphliftError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where reports say that it is."""
        return self.path, None, f"parity case {self.name}"


class DivergenceError(AssertionError):
    """The engines diverge on a case; `report` says how."""

    def __init__(self, report: Report) -> None:
        super().__init__(text(report))
        self.report = report


class Gate:
    """The fixture `graphlift_gate`.

    Calling it with a case runs both engines (the project's own, unless given) and raises `DivergenceError`, an `AssertionError`, if
    they diverge otherwise than `known` lists; it returns the report. Runs are forked where that is safe (then a hang ends
    after `timeout` seconds and a crash is a divergence), else they are carried out in this process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The project's gate; loaded when first used. Raises `GraphliftError` where its configuration is wrong."""
        if self._session is None:
            self._session = Session(self._folder)
        return self._session

    def __call__(
        self,
        case: Case,
        *,
        engines: Iterable[Engine] | None = None,
        rules: Sequence[Rule] | None = None,
        known: Iterable[Known] = (),
        timeout: float = 30.0,
    ) -> Report:
        """Judge the case, or every case of its matrix."""
        report = self.judge(case, engines=engines, rules=rules, known=known, timeout=timeout)
        if not report.clean:
            raise DivergenceError(report)
        return report

    def judge(
        self,
        case: Case,
        *,
        engines: Iterable[Engine] | None = None,
        rules: Sequence[Rule] | None = None,
        known: Iterable[Known] = (),
        timeout: float = 30.0,
    ) -> Report:
        """The same without raising where the engines diverge: for a test that expects it."""

        def pool(by_side: Any, cases: Any) -> Pool:
            safe = hasattr(os, "fork") and threading.active_count() == 1
            return Forking(by_side, cases, timeout=timeout) if safe else InProcess(by_side, cases)

        chosen = list(engines) if engines is not None else list(self.session.engines)
        return run_gate(chosen, [case], rules or builtin_rules(), root=self._folder, baseline=known, pool=pool)
