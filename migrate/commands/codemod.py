"""`graphlift codemod`: rewrite what refers to the legacy symbols. A plan first; files are written with `--apply` only."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...adapters.errors import UsageError
from ..console import FINDINGS, FormatOption, GlobalOptions, NoCacheOption, OutputFormat, emit, note, open_project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..codemods.model import Codemod
    from ..edits import Applied, Plan

HOOK = "graphlift_codemods"
FINDERS = "graphlift_reference_finders"


def codemod(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files and folders to change; all, if none is given.")
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print the plan as a patch that `git apply` takes.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Write the changes, verified and journalled.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Run this codemod; may be repeated.")
    ] = None,
    skip: Annotated[list[str] | None, typer.Option("--skip", metavar="ID", help="Leave this codemod out.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the codemods.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last applied plan back.")] = False,
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="Write although the work tree has uncommitted changes.")
    ] = False,
    no_cache: NoCacheOption = False,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Plan the rewrite of every reference to a legacy symbol, role by role; write it with --apply.

    Exit code 1 when the plan would change something, or when --apply or --undo had to leave a file alone.

    Example: graphlift codemod --diff src/
    """
    if sum((diff, apply, list_, undo)) > 1:
        raise UsageError("--diff, --apply, --list and --undo exclude each other", mend="give one of them")
    if list_:
        _list(ctx, style)
    elif undo:
        _undo(ctx, style)
    else:
        request = _Request(tuple(paths or ()), tuple(only or ()), tuple(skip or ()), not no_cache)
        _run(ctx, request, style, diff, apply, allow_dirty)


@dataclass(frozen=True)
class _Request:
    """What to run, and where; and whether the ledger may come from the cache."""

    paths: tuple[str, ...]
    only: tuple[str, ...]
    skip: tuple[str, ...]
    cache: bool


def _list(ctx: typer.Context, style: OutputFormat) -> None:
    _, plugins = open_project(ctx, hooks=(HOOK,))
    codemods: Sequence[Codemod] = plugins.gather(HOOK)
    width = max(len(codemod.id) for codemod in codemods)

    def text() -> str:
        return "\n".join(f"{codemod.id:<{width}}  {codemod.summary}" for codemod in codemods)

    emit(style, text, lambda: {"codemods": [{"id": c.id, "summary": c.summary, "opt_in": c.opt_in} for c in codemods]})


def _undo(ctx: typer.Context, style: OutputFormat) -> None:
    from ..edits import undo

    project, _ = open_project(ctx)
    undone = undo(project)
    emit(style, lambda: _told(undone, "put back"), lambda: _applied_data(undone))
    if undone.refused:
        raise typer.Exit(FINDINGS)


def _run(
    ctx: typer.Context, request: _Request, style: OutputFormat, diff: bool, apply: bool, allow_dirty: bool
) -> None:
    from ..codemods.running import apply_codemods, path_filter, plan_codemods
    from ..codemods.selection import select
    from ..targeting import require_targets

    project, plugins = open_project(ctx, hooks=(HOOK, FINDERS))
    project.require_symbols()
    if "add-compatibility-alias" not in request.only:  # which is for a symbol that somebody has deleted already
        project.require_names()
    require_targets(project, written=True)
    codemods = select(plugins.gather(HOOK), request.only, request.skip)
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    accepts = path_filter(project.root, options.directory.resolve(), request.paths)
    finders = plugins.gather(FINDERS)
    plan = plan_codemods(project, codemods, accepts, finders, cache=request.cache)
    if not apply:
        _show(plan, style, diff)
        if plan or _left_alone(plan):
            raise typer.Exit(FINDINGS)
        return
    applied = apply_codemods(project, plan, codemods, accepts, finders, allow_dirty=allow_dirty)
    if applied.unchecked:
        note("note: there is no git repository here, so nothing checked for uncommitted work; `--undo` takes this back")
    emit(
        style,
        lambda: "\n".join([*_flags(plan), _told(applied, "changed"), *_counts(plan)]),
        lambda: {**_plan_data(plan), **_applied_data(applied)},
    )
    if applied.refused or _left_alone(plan):
        raise typer.Exit(FINDINGS)


def _left_alone(plan: Plan) -> bool:
    """Whether a file was not changed because its result could not be verified."""
    return any(flag.kind == "unverified" for flag in plan.flags)


def _show(plan: Plan, style: OutputFormat, diff: bool) -> None:
    if diff and style is OutputFormat.TEXT:
        from ..edits import render_diff

        # Bytes, since a patch of a file in another encoding is not text.
        sys.stdout.buffer.write(render_diff(plan))
        sys.stdout.flush()
        note("\n".join([*_flags(plan), *_summary(plan)]))
        return
    emit(style, lambda: "\n".join([*_files(plan), *_flags(plan), *_summary(plan)]), lambda: _plan_data(plan, diff))


def _files(plan: Plan) -> list[str]:
    return [f"would change {change.path}" for change in plan.changes]


def _flags(plan: Plan) -> list[str]:
    return [f"{flag.place}: {flag.kind}: {flag.reason}" for flag in plan.flags]


def _counts(plan: Plan) -> list[str]:
    width = max((len(name) for name, _ in plan.counts), default=0)
    return [f"  {name:<{width}}  {count}" for name, count in plan.counts]


def _summary(plan: Plan) -> list[str]:
    head = f"{_many(len(plan.changes), 'file')} to change, {_many(len(plan.flags), 'place')} flagged"
    return [head, *_counts(plan)]


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _told(applied: Applied, verb: str) -> str:
    left = [f"{flag.file}: left alone ({flag.kind}): {flag.reason}" for flag in applied.refused]
    done = [f"{verb} {path}" for path in applied.written]
    return "\n".join([*done, *left, f"{_many(len(applied.written), 'file')} {verb}"])


def _applied_data(applied: Applied) -> dict[str, Any]:
    return {"written": list(applied.written), "refused": [flag.to_dict() for flag in applied.refused]}


def _plan_data(plan: Plan, diff: bool = False) -> dict[str, Any]:
    from ..edits import render_diff

    data = plan.to_dict()
    data["summary"] = {
        "files": len(plan.changes),
        "flags": len(plan.flags),
        "kinds": dict(sorted(Counter(flag.kind for flag in plan.flags).items())),
    }
    if diff:
        data["diff"] = render_diff(plan).decode("utf-8", "backslashreplace")
    return data
