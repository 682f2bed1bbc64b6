"""`graphlift ratchet`: check that no number grew; record, lower, raise and move the caps."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...adapters.errors import EnvironmentProblem, UsageError
from ..console import FINDINGS, FormatOption, OutputFormat, emit, note
from ..ratchet.opening import day_of, inside, make_request, open_bench

if TYPE_CHECKING:
    from ..ratchet.checking import Report, Request, Workbench
    from ..ratchet.tightening import Change

FORMATS = ("text", "json", "sarif", "github")

app = typer.Typer(invoke_without_command=True, no_args_is_help=False, rich_markup_mode=None)

BaseOption = Annotated[
    str | None, typer.Option("--base", metavar="REF", help="Compare with the merge base of HEAD and REF.")
]
AbsoluteOption = Annotated[
    bool, typer.Option("--absolute", help="Compare with the caps alone: for main and for merge queues.")
]
StagedOption = Annotated[bool, typer.Option("--staged", help="Check what is staged, for a pre-commit hook.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="Judge goals and expiries as of this day (YYYY-MM-DD).")
]
ReportOption = Annotated[
    str, typer.Option("--format", metavar="[text|json|sarif|github]", help="How to say the result.")
]


@app.callback()
def ratchet(
    ctx: typer.Context,
    base: BaseOption = None,
    absolute: AbsoluteOption = False,
    staged: StagedOption = False,
    as_of: AsOfOption = None,
    style: ReportOption = "text",
) -> None:
    """Check that no capped number grew since the merge base; subcommands keep the caps.

    Exit code 1 when something grew, or when a cap or a rule was loosened without a reason on record.

    Example: graphlift ratchet --base origin/main
    """
    if ctx.invoked_subcommand is None:
        _check(ctx, make_request(base, absolute, staged, as_of), style)


@app.command()
def check(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(help="Check these files and folders only; all, if none is given.")
    ] = None,
    base: BaseOption = None,
    absolute: AbsoluteOption = False,
    staged: StagedOption = False,
    as_of: AsOfOption = None,
    style: ReportOption = "text",
) -> None:
    """Check all numbers, or those of some files.

    Example: graphlift ratchet check src/walker.py
    """
    _check(ctx, make_request(base, absolute, staged, as_of, tuple(files or ())), style)


@app.command()
def init(
    ctx: typer.Context,
    merge_driver: Annotated[
        bool, typer.Option("--merge-driver", help="Let git merge the two files: the stricter cap wins.")
    ] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Write first rules, or to those that are there the missing ones against a symbol's return, and record today's numbers as caps.

    Example: graphlift ratchet init --merge-driver
    """
    from ..ratchet.installing import first_rules, install_merge_driver, with_guards
    from ..ratchet.writing import write

    bench = open_bench(ctx)
    if bench.is_deleted:
        _ = bench.side  # says that the rules were deleted and how to get them back
    written = []
    before = bench.text(bench.rules_name)
    fresh = before is None or not before.strip()
    rules = (
        first_rules(bench.project, bench.tree) if fresh else with_guards(bench.project, before or "", bench.rules_name)
    )
    if rules != before:
        write(bench.project.root, bench.rules_name, rules.encode())
        written.append(bench.rules_name)
    if merge_driver:
        written += install_merge_driver(bench.project.root, bench.lock_name, bench.rules_name)
    _tighten(open_bench(ctx), style, record=True, written=written)


@app.command()
def tighten(ctx: typer.Context, style: FormatOption = OutputFormat.TEXT) -> None:
    """Lower the caps to today's numbers; follow renames, drop what is gone. Raises nothing.

    Example: graphlift ratchet tighten
    """
    _tighten(open_bench(ctx), style, record=False, written=[])


@app.command(name="raise")
def raise_(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(help="The cap's key, such as lines:src/a.py, or rule:ID.")],
    to: Annotated[int | None, typer.Option("--to", min=0, help="The new cap; none for a rule.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why it has to be.")] = "",
    owner: Annotated[str, typer.Option("--owner", help="Who answers for it.")] = "",
    expires: Annotated[str | None, typer.Option("--expires", metavar="DATE", help="Until when (YYYY-MM-DD).")] = None,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Raise a cap, with the reason on record.

    Example: graphlift ratchet raise lines:src/a.py --to 320 --reason "new courier" --owner logistics
    """
    from ..ratchet.deadlines import far_off
    from ..ratchet.raising import raise_cap

    bench = open_bench(ctx)
    until = day_of(expires) if expires else None
    changed = raise_cap(bench, key, to, reason, owner, until)
    if until and (told := far_off(until, datetime.date.today())):
        note(f"warning: {told}")
    _told(style, changed, [bench.rules_name, bench.lock_name])


@app.command()
def mv(
    ctx: typer.Context,
    old: Annotated[str, typer.Argument(help="The path that the lock knows.")],
    new: Annotated[list[str], typer.Argument(help="The path that it became, or those that it was split into.")],
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Hand a file's caps on to the files that it became; together they may not be above the old cap.

    Example: graphlift ratchet mv src/walker.py src/walker.py src/results.py
    """
    from ..ratchet.raising import move_caps

    bench = open_bench(ctx)
    _told(style, move_caps(bench, old, tuple(new)), [bench.rules_name, bench.lock_name])


@app.command()
def explain(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(help="A key, or a path or name that only one key has.")],
    base: BaseOption = None,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Say everything that decides about one number.

    Example: graphlift ratchet explain lines:src/walker.py
    """
    from ..ratchet.checking import check as run_check
    from ..ratchet.explaining import as_text, explain, find_key

    bench = open_bench(ctx)
    try:
        report = run_check(bench, make_request(base, False, False, None))
    except EnvironmentProblem:
        if base is not None:
            raise
        # Without a merge base there is still the cap and who set it; nothing is judged here.
        report = run_check(bench, make_request(None, True, False, None))
    told = explain(report, find_key(report, key))
    emit(style, lambda: as_text(told), lambda: told)


@app.command()
def prove(ctx: typer.Context, style: FormatOption = OutputFormat.TEXT) -> None:
    """Break every rule in a copy, one at a time, and see that the check turns red.

    Exit code 1 when a rule would not have noticed.

    Example: graphlift ratchet prove
    """
    from ..ratchet.checking import check as run_check
    from ..ratchet.proving import prove

    bench = open_bench(ctx)
    proofs = prove(bench, run_check(bench, make_request(None, True, False, None)))
    emit(
        style,
        lambda: "\n".join(f"{proof.rule}: {proof.outcome}: {proof.how}" for proof in proofs),
        lambda: {"proofs": [{"rule": p.rule, "outcome": p.outcome, "how": p.how} for p in proofs]},
    )
    if any(proof.failed for proof in proofs):
        raise typer.Exit(FINDINGS)


@app.command()
def history(
    ctx: typer.Context,
    rule: Annotated[str | None, typer.Argument(help="A rule's id; all, if none is given.")] = None,
    style: Annotated[str, typer.Option("--format", metavar="[text|json|svg]", help="How to say it.")] = "text",
) -> None:
    """Show how the caps fell, from git, and when the goals will be met at this pace.

    Example: graphlift ratchet history --format svg > burndown.svg
    """
    from ..git import Git
    from ..ratchet import burndown
    from ..ratchet.history import burndown as series_of
    from ..ratchet.history import read_history

    if style not in ("text", "json", "svg"):
        raise UsageError(f"there is no format {style!r}", mend="formats are text, json, svg")
    bench = open_bench(ctx)
    rules = [item for item in bench.side.book.rule if rule in (None, item.id)]
    if rule is not None and not rules:
        raise UsageError(f"there is no rule {rule!r}", mend=f"rules are in {bench.rules_name}")
    points = read_history(bench.git or Git.open(bench.project.root), bench.lock_name)
    series = series_of(bench.registry, points, rules)
    if style == "json":
        typer.echo(json.dumps(burndown.as_data(series), indent=2, sort_keys=True, ensure_ascii=False))
    else:
        typer.echo(burndown.as_svg(series) if style == "svg" else burndown.as_text(series))


@app.command(name="merge-driver")
def merge_driver(
    base: Annotated[Path, typer.Argument(help="The common ancestor's lock (%O).")],
    ours: Annotated[Path, typer.Argument(help="Our lock (%A); the result is written here.")],
    theirs: Annotated[Path, typer.Argument(help="Their lock (%B).")],
    rules: Annotated[bool, typer.Option("--rules", help="They are the files of the rules, not locks.")] = False,
) -> None:
    """Merge three locks: a change on one side is taken, of two the stricter. Git calls this.

    With --rules, tables are merged by what they are about; where both sides changed one, exit code 1 leaves the conflict in
    the file, as git does.

    Example: git config merge.graphlift-ratchet.driver "graphlift ratchet merge-driver %O %A %B"
    """
    from ..ratchet.driving import drive_lock, drive_rules

    if not rules:
        drive_lock(base, ours, theirs)
    elif not drive_rules(base, ours, theirs):
        raise typer.Exit(FINDINGS)


def _check(ctx: typer.Context, request: Request, style: str) -> None:
    from dataclasses import replace

    from ..ratchet.checking import check as run_check

    if style not in FORMATS:
        raise UsageError(f"there is no format {style!r}", mend=f"formats are {', '.join(FORMATS)}")
    bench = open_bench(ctx, staged=request.staged)
    if request.only is not None:
        request = replace(request, only=inside(ctx, bench, request.only))
    report = run_check(bench, request)
    _say(report, style)
    if report.failed:
        raise typer.Exit(FINDINGS)


def _say(report: Report, style: str) -> None:
    from ..ratchet import reports

    if style == "text":
        typer.echo(reports.as_text(report))
    elif style == "github":
        typer.echo(reports.as_github(report) or reports.as_text(report))
    else:
        data = reports.as_data(report) if style == "json" else reports.as_sarif(report)
        typer.echo(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False))


def _tighten(bench: Workbench, style: OutputFormat, *, record: bool, written: list[str]) -> None:
    from ..ratchet.raising import tighten_caps

    changed = tighten_caps(bench, record=record)
    _told(style, changed, [*written, *([bench.lock_name] if changed else [])])


def _told(style: OutputFormat, changed: tuple[Change, ...], written: list[str]) -> None:
    def data() -> dict[str, Any]:
        rows = [{"key": str(change.key), "before": change.before, "after": change.after} for change in changed]
        return {"changes": rows, "written": sorted(set(written))}

    emit(style, lambda: "\n".join(map(str, changed)) or "nothing to change", data)
    if style is OutputFormat.TEXT and written:
        note(f"wrote {', '.join(sorted(set(written)))}")
