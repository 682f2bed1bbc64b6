"""`graphlift parity`: run both engines on every case, compare what they did, and judge."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, GlobalOptions, OutputFormat, emit, note, open_project, track

if TYPE_CHECKING:
    from ...parity.baseline import Known
    from ...parity.case import Case
    from ...parity.engine import Engine
    from ...parity.judging import Judged
    from ...parity.report import Report
    from ...parity.rule import Rule
    from ...plugins.manager import Plugins
    from ...plugins.project import Project


def parity(
    ctx: typer.Context,
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="PATTERN", help="Run only this case (* and ? match); may be repeated."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the cases and engines, and run nothing.")] = False,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="RULE", help="Print a rule's page and exit.")
    ] = None,
    report: Annotated[
        list[str] | None,
        typer.Option("--report", metavar="ID=FILE", help="Also write a report: junit, markdown, github, text."),
    ] = None,
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Run in this process (for a debugger): no time limit, a crash is a crash."),
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Runs at once; 0 is one for each processor.")] = 0,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="RULE", help="List a known divergence of this rule in the baseline file."),
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="GLOB", help="With --accept: only at this node.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="With --accept: why it is accepted.")] = "",
    owner: Annotated[str, typer.Option("--owner", help="With --accept: who answers for it.")] = "",
    expires: Annotated[
        str, typer.Option("--expires", metavar="YYYY-MM-DD", help="With --accept: when it fails the gate again.")
    ] = "",
    verdict: Annotated[
        str, typer.Option("--verdict", help="With --accept: 'legacy bug', 'engine limit' or 'intended'.")
    ] = "intended",
    at_most: Annotated[int, typer.Option("--at-most", min=1, help="With --accept: how often it may be found.")] = 1,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Run both engines on every case and compare traces, statuses and results.

    Exit code 1 for a divergence that the baseline does not list, or a baseline entry that is out of date. Where the legacy
    engine differs from itself, the report says so and judges nothing.
    The whole run (not a part of it) is written to the evidence file that `retire` and `status` read.

    Example: graphlift parity --case checkout/happy
    """
    if explain:
        _explain(ctx, explain, style)
        return
    from ...plugins.gating import HOOKS, engines_and_cases

    # What user code prints, at its import or in its run, is for people; standard output is the report's.
    with contextlib.redirect_stdout(sys.stderr):
        project, plugins = open_project(ctx, HOOKS)
        project.require_config()
        engines, cases = engines_and_cases(project, plugins) if not accept else ((), ())
    if accept:
        _accept(project, plugins, accept, case or [], node, (reason, owner, expires, verdict, at_most), style)
        return
    if listing:
        _list(engines, cases, style)
        return
    wanted = _reporters(plugins, report or [])
    evidence = _inside(project, project.settings.parity.report)
    with contextlib.redirect_stdout(sys.stderr):
        found = _run(ctx, project, plugins, engines, cases, tuple(case or ()), in_process, jobs or os.cpu_count() or 1)
    _say(found, wanted, evidence, style)
    asked = bool(case) and not found.stopped
    if not found.green and not (asked and found.clean):
        raise typer.Exit(FINDINGS)


def _say(
    found: Report, wanted: Sequence[tuple[Path, Callable[[Report], str]]], evidence: Path, style: OutputFormat
) -> None:
    from ...parity.report import write_report
    from ...parity.reporters.terminal import text

    for path, render in wanted:
        _write(path, render(found))
    # A part that was asked for says nothing of the whole; one that was interrupted must not leave an older verdict behind.
    if found.stopped or not found.partial:
        write_report(found, evidence)
    emit(style, lambda: text(found), found.to_json)


def _run(
    ctx: typer.Context,
    project: Project,
    plugins: Plugins,
    engines: Sequence[Engine],
    cases: Sequence[Case],
    only: tuple[str, ...],
    in_process: bool,
    jobs: int,
) -> Report:
    from ...parity.baseline import read_baseline
    from ...parity.gate import run_gate
    from ...parity.isolation import isolated
    from ...plugins.gating import Loading, evidence_files

    settings = project.settings.parity
    arguments: dict[str, Any] = {
        "root": project.root,
        "baseline": read_baseline(project.root / settings.baseline, settings.baseline),
        "files": evidence_files(project),
        "only": only,
        "progress": _progress,
    }
    rules: list[Rule] = plugins.gather("graphlift_rules")
    if in_process:
        return run_gate(engines, cases, rules, **arguments)
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    load = Loading(str(options.directory.resolve()), options.disabled)
    return run_gate(engines, cases, rules, pool=isolated(load, jobs=jobs, timeout=settings.timeout), **arguments)


def _progress(judged: Iterator[Judged], total: int) -> Iterable[Judged]:
    return track(judged, "parity", total=total)


def _explain(ctx: typer.Context, rule_id: str, style: OutputFormat) -> None:
    _, plugins = open_project(ctx, ("graphlift_rules",))
    rules: dict[str, Rule] = {rule.id: rule for rule in plugins.gather("graphlift_rules")}
    rule = rules.get(rule_id)
    if rule is None:
        raise UsageError(f"there is no rule {rule_id!r}", mend=f"the rules are {', '.join(sorted(rules))}")
    page = {"id": rule.id, "family": rule.family, "summary": rule.summary, "explanation": rule.explanation}
    mend = getattr(rule, "mend", "")
    emit(
        style,
        lambda: f"{rule.id} ({rule.family}): {rule.summary}\n\n{rule.explanation}\n\nmend: {mend}",
        lambda: {**page, "mend": mend},
    )


def _list(engines: Sequence[Engine], given: Sequence[Case], style: OutputFormat) -> None:
    from ...parity.case import expand_cases

    cases = expand_cases(given)

    engines = sorted(engines, key=lambda engine: (engine.side != "legacy", engine.name))

    def text() -> str:
        lines = [f"{engine.side:<10} {engine.name}" for engine in engines]
        return "\n".join([*lines, *(f"case       {case.id}  ({case.name})" for case in cases)])

    emit(
        style,
        text,
        lambda: {
            "engines": [{"name": engine.name, "side": engine.side} for engine in engines],
            "cases": [{"id": case.id, "workflow": case.name, "fingerprint": case.fingerprint} for case in cases],
        },
    )


def _accept(
    project: Project,
    plugins: Plugins,
    rule: str,
    cases: Sequence[str],
    node: str | None,
    rest: tuple[str, str, str, str, int],
    style: OutputFormat,
) -> None:
    from ...parity.baseline import accept

    reason, owner, expires, verdict, at_most = rest
    known = sorted(item.id for item in plugins.gather("graphlift_rules"))
    if rule not in known:
        raise UsageError(f"there is no rule {rule!r}", mend=f"the rules are {', '.join(known)}")
    if len(cases) != 1:
        raise UsageError("--accept needs one --case", mend="name the case, or a glob of cases, that it is accepted in")
    entry = _entry(rule, cases[0], node, reason, owner, expires, verdict, at_most)
    name = project.settings.parity.baseline
    renewed = accept(_inside(project, name), entry, name)
    done, place = ("renewed" if renewed else "listed"), f"{cases[0]}{f' at {node}' if node else ''}"
    emit(
        style,
        lambda: f"{name}: {done} {rule} in {place}, until {expires}",
        lambda: {"accepted": entry.model_dump(mode="json"), "renewed": renewed},
    )


def _inside(project: Project, name: str) -> Path:
    """The file that is written to; a link that leads out of the project is not followed."""
    path = project.root / name
    if not path.resolve().is_relative_to(project.root.resolve()) or path.is_symlink():
        raise UsageError(
            f"{name} is a link, or lies behind one that leads out of the project", mend="put a regular file there"
        )
    return path


def _entry(
    rule: str, case: str, node: str | None, reason: str, owner: str, expires: str, verdict: str, at_most: int
) -> Known:
    from pydantic import ValidationError

    from ...parity.baseline import Known

    for name, value in (("--reason", reason), ("--owner", owner), ("--expires", expires)):
        if not value:
            raise UsageError(f"--accept needs {name}", mend="a known divergence has a reason, an owner and an expiry")
    try:
        day = dt.date.fromisoformat(expires)
    except ValueError:
        raise UsageError(f"--expires: {expires!r} is not a date", mend="write it as YYYY-MM-DD") from None
    try:
        return Known.model_validate(
            {
                "rule": rule,
                "case": case,
                "node": node,
                "reason": reason,
                "owner": owner,
                "expires": day,
                "verdict": verdict,
                "at_most": at_most,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}", mend="correct it") from None


def _reporters(plugins: Plugins, wanted: Sequence[str]) -> list[tuple[Path, Callable[[Report], str]]]:
    known = {reporter.id: reporter for reporter in plugins.gather("graphlift_reporters")}
    chosen: list[tuple[Path, Callable[[Report], str]]] = []
    for item in wanted:
        name, found, path = item.partition("=")
        if not found or not path or name not in known:
            raise UsageError(f"--report {item!r} is not ID=FILE", mend=f"the ids are {', '.join(sorted(known))}")
        chosen.append((Path(path), known[name].render))
    return chosen


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"{path.name} cannot be written: {error.strerror}", mend="give a file in a folder that exists"
        ) from None
    note(f"wrote {path.name}")
