"""`graphlift parity`, the run itself: the gate over a project's cases, and the reports of shards as one."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from ..adapters.errors import UsageError
from .console import GlobalOptions, track
from .gate_files import inside

if TYPE_CHECKING:
    from ..parity.case import Case
    from ..parity.engine import Engine
    from ..parity.judging import Judged
    from ..parity.report import Report
    from ..plugins.manager import Plugins
    from ..plugins.project import Project

RECORD = ("none", "once", "all")


@dataclass(frozen=True)
class Running:
    """What of the project's cases is run, and how."""

    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="PATTERN", help="Run only this case (* and ? match); may be repeated."),
    ] = None
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Run in this process (for a debugger): no time limit, a crash is a crash."),
    ] = False
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Runs at once; 0 is one for each processor.")] = 0
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Run only this part of the cases, as 1/8.")
    ] = None
    cassette: Annotated[
        str | None,
        typer.Option("--cassette", metavar="FILE", help="Answers of recorded handlers, relative to the project."),
    ] = None
    record: Annotated[
        str, typer.Option("--record", help="With recorded handlers: none (only replay), once (what is missing) or all.")
    ] = "once"

    @property
    def only(self) -> tuple[str, ...]:
        """The patterns of the cases that were asked for; none: all."""
        return tuple(self.case or ())

    @property
    def in_part(self) -> bool:
        """Whether only some of the cases were asked for."""
        return bool(self.only) or self.shard is not None


def run(
    options: GlobalOptions,
    project: Project,
    plugins: Plugins,
    given: tuple[Sequence[Engine], Sequence[Case]],
    asked: Running,
) -> Report:
    """Run the gate. A cassette in a file takes in what was recorded, also by a run that was interrupted."""
    from ..parity.baseline import read_baseline
    from ..parity.case import expand_cases
    from ..parity.cassette import load_cassette
    from ..parity.gate import run_gate
    from ..parity.isolation import isolated
    from ..parity.sharding import Shard
    from ..plugins.gating import Loading, evidence_files, rules_of

    if asked.record not in RECORD:
        raise UsageError(f"--record: {asked.record!r} is none of {', '.join(RECORD)}", mend="choose one of them")
    settings = project.settings.parity
    tape = inside(project, asked.cassette) if asked.cassette else None
    cassette = load_cassette(tape, asked.cassette or "") if tape else None
    rules = rules_of(plugins)
    load = Loading(str(options.directory.resolve()), options.disabled)
    pool = isolated(load, jobs=asked.jobs or os.cpu_count() or 1, timeout=settings.timeout)
    more: dict[str, Any] = {} if asked.in_process else {"pool": pool}
    report = run_gate(
        *given,
        rules,
        root=project.root,
        baseline=read_baseline(project.root / settings.baseline, settings.baseline),
        files=[*evidence_files(project), *([asked.cassette] if asked.cassette and asked.record == "none" else [])],
        only=asked.only,
        shard=Shard.parse(asked.shard) if asked.shard else None,
        cassette=cassette,
        record=cast("Literal['none', 'once', 'all']", asked.record),
        progress=_progress,
        **more,
    )
    if tape and cassette and cassette.changed and asked.record != "none":
        hidden = {case.id: case.redact for case in expand_cases(given[1]) if case.redact is not None}
        cassette.save(tape, hidden)
    return replace(report, flaky_fails=settings.flaky == "fail")


def _progress(judged: Iterator[Judged], total: int) -> Iterable[Judged]:
    return track(judged, "parity", total=total)


def merge(project: Project, names: Sequence[str]) -> Report:
    """The JSON reports of all shards as one. Raises UsageError for a file that is no report."""
    from ..parity.baseline import read_baseline
    from ..parity.sharding import merge_reports

    settings = project.settings.parity
    known = read_baseline(project.root / settings.baseline, settings.baseline)
    parts = [_part(name) for name in names]
    try:
        merged = merge_reports(parts, known, dt.datetime.now(dt.UTC).date())
        return replace(merged, flaky_fails=settings.flaky == "fail")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{', '.join(names)}: not all of them are whole reports: {error!r}",
            mend="write it with --shard 1/8 --report json=FILE",
        ) from None


def _part(name: str) -> dict[str, Any]:
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{name} cannot be read: {error}", mend="write it with --shard 1/8 --report json=FILE"
        ) from None
    if not isinstance(data, dict):
        raise UsageError(f"{name} is no report", mend="write it with --shard 1/8 --report json=FILE")
    return data
