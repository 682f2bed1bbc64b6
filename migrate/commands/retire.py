"""`graphlift retire`: delete the walker, if it may be deleted. A plan first; files are written with `--apply` only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, OutputFormat, emit, note, open_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.project import Project
    from ..edits import Applied
    from ..retire.planning import Outcome, Retirement


def retire(
    ctx: typer.Context,
    symbols: Annotated[
        list[str] | None, typer.Argument(help="Legacy symbols, by dotted or last name; all, if none is given.")
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print the plan as a patch that `git apply` takes.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Write the changes, verified and journalled.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last applied plan back.")] = False,
    with_tests: Annotated[
        bool, typer.Option("--with-tests", help="Delete the tests that only test the symbol's inside, too.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="NAME", help="A name of its file that stays.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete it although conditions are missing; needs --reason.")
    ] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why it is forced; kept in the ratchet's rules.")] = "",
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="Write although the work tree has uncommitted changes.")
    ] = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Delete a legacy symbol and what only it used, leave an alias, and cap what is left.

    Refused, with the conditions that are missing, while the parity gate is not green for this code, live references or
    uses of private members remain, or nothing stands ready for the old name. Exit code 1 when it is refused, and when the
    plan would change something.

    Example: graphlift retire --diff
    """
    if sum((diff, apply, undo)) > 1:
        raise UsageError("--diff, --apply and --undo exclude each other", mend="give one of them")
    if force != bool(reason.strip()):
        raise UsageError("--force and --reason belong together", mend="give both, or neither")
    from ..ledger import build_ledger
    from ..retire.planning import Request, plan_retirement

    project, plugins = open_project(ctx, hooks=("graphlift_reference_finders",))
    if undo:
        _undo(project, style)
        return
    project.require_names()
    request = Request(tuple(symbols or ()), with_tests, frozenset(keep or ()), reason.strip() or None)

    def plan() -> Outcome:
        return plan_retirement(project, build_ledger(project, finders), request)

    finders = plugins.gather("graphlift_reference_finders")
    outcome = plan()
    if apply and not outcome.refused:
        _apply(project, plan, outcome, style, allow_dirty)
    else:
        _show(outcome, style, diff)
    if outcome.refused or (outcome.plan and not apply):
        raise typer.Exit(FINDINGS)


def _undo(project: Project, style: OutputFormat) -> None:
    from ..edits import undo

    undone = undo(project)
    emit(style, lambda: "\n".join(_applied(undone, "put back")), lambda: _applied_data(undone))
    if undone.refused:
        raise typer.Exit(FINDINGS)


def _apply(
    project: Project, again: Callable[[], Outcome], outcome: Outcome, style: OutputFormat, allow_dirty: bool
) -> None:
    from ..retire.running import apply_retirement

    applied = apply_retirement(project, outcome, again, allow_dirty=allow_dirty)
    emit(
        style,
        lambda: "\n".join([*map(_told, outcome.retirements), *_applied(applied, "changed")]),
        lambda: {**_data(outcome, diff=False), **_applied_data(applied)},
    )
    if applied.refused:
        raise typer.Exit(FINDINGS)


def _show(outcome: Outcome, style: OutputFormat, diff: bool) -> None:
    if diff and style is OutputFormat.TEXT and not outcome.refused:
        from ..edits import render_diff

        sys.stdout.buffer.write(render_diff(outcome.plan))
        sys.stdout.flush()
        note("\n".join(map(_told, outcome.retirements)))
        return

    def text() -> str:
        verdict = (
            "refused" if outcome.refused else f"{len(outcome.plan.changes)} files to change; write them with --apply"
        )
        files = [f"would change {change.path}" for change in outcome.plan.changes]
        done = not outcome.refused and not outcome.plan
        return "\n".join([*map(_told, outcome.retirements), *files, "nothing to do" if done else verdict])

    emit(style, text, lambda: _data(outcome, diff))


def _told(item: Retirement) -> str:
    if item.done:
        return f"{item.symbol}: is gone from {item.path}"
    lines = [f"{item.symbol} ({item.path})", *(f"  {line}" for c in item.conditions for line in str(c).split("\n"))]
    if item.alias and item.lines != (0, 0):
        how = "looked up late, since that module imports this one" if item.alias.lazy else "imported"
        names = ", ".join(item.alias.names) or "nothing"
        left = f"  shim:   {names} of {item.alias.target}" if item.is_module else ""
        lines.append(left or f"  alias:  {names} = {item.alias.target} ({how})")
        lines.append(f"  goes:   {', '.join(item.goes) or 'nothing else'}")
        lines.append(f"  stays:  {', '.join(f'{name} ({files} files)' for name, files in item.stays) or 'nothing'}")
        lines.append(f"  lines:  {item.lines[0]} -> {item.lines[1]}, capped there")
    if item.tests:
        lines.append(f"  tests of its inside only: {', '.join(item.tests)}")
    return "\n".join(lines)


def _applied(applied: Applied, verb: str) -> list[str]:
    left = [f"{flag.file}: left alone ({flag.kind}): {flag.reason}" for flag in applied.refused]
    return [*(f"{verb} {path}" for path in applied.written), *left]


def _applied_data(applied: Applied) -> dict[str, Any]:
    return {"written": list(applied.written), "left_alone": [flag.to_dict() for flag in applied.refused]}


def _data(outcome: Outcome, diff: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "schema": 1,
        "refused": outcome.refused,
        "symbols": [_symbol(item) for item in outcome.retirements],
        "files": [change.path for change in outcome.plan.changes],
    }
    if diff:
        from ..edits import render_diff

        data["diff"] = render_diff(outcome.plan).decode("utf-8", "backslashreplace")
    return data


def _symbol(item: Retirement) -> dict[str, Any]:
    return {
        "symbol": item.symbol,
        "file": item.path,
        "done": item.done,
        "conditions": [
            {"id": c.id, "holds": c.holds, "summary": c.summary, "evidence": list(c.evidence), "mend": c.mend}
            for c in item.conditions
        ],
        "alias": {"names": list(item.alias.names), "target": item.alias.target, "late": item.alias.lazy}
        if item.alias
        else None,
        "goes": list(item.goes),
        "stays": dict(item.stays),
        "lines": {"before": item.lines[0], "after": item.lines[1]},
        "tests": list(item.tests),
    }
