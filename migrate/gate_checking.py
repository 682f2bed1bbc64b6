"""`graphlift check`: what each engine shows by itself, told as text or JSON."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import OutputFormat, emit, track
from .gate_files import inside

if TYPE_CHECKING:
    from ..parity.alone import Alone, Found, Pools
    from ..parity.cassette import Answer
    from ..plugins.gating import Loading
    from ..plugins.manager import Plugins
    from ..plugins.project import Project


class Which(StrEnum):
    """Which engines are checked."""

    LEGACY = "legacy"
    CANDIDATE = "candidate"
    BOTH = "both"


@dataclass(frozen=True)
class Checking:
    """What is checked, and how it is run."""

    engine: Annotated[Which, typer.Option("--engine", help="The engine to check, alone.")] = Which.BOTH
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="PATTERN", help="Check only this case (* and ? match); may be repeated."),
    ] = None
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Runs at once; 0 is one for each processor.")] = 0
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Run in this process (for a debugger): no time limit, a crash is a crash."),
    ] = False
    cassette: Annotated[
        str | None,
        typer.Option("--cassette", metavar="FILE", help="Replay recorded handlers from this file, and never run them."),
    ] = None


def check(project: Project, plugins: Plugins, load: Loading, asked: Checking, style: OutputFormat) -> bool:
    """Check each engine that was asked for; whether all of it holds, and something was checked."""
    from ..parity.alone import check_engine, pick
    from ..parity.gate import pick_cases
    from ..parity.observation import SIDES
    from ..plugins.gating import engines_and_cases, rules_of

    tape = _tape(project, asked.cassette)
    with contextlib.redirect_stdout(sys.stderr):
        engines, given = engines_and_cases(project, plugins)
        chosen = pick(engines, SIDES if asked.engine is Which.BOTH else [s for s in SIDES if s == asked.engine.value])
        cases = pick_cases(given, asked.case or ())
        pools, rules = _pools(project, load, asked), rules_of(plugins)
        checked = [check_engine(one, cases, rules, pools, tape=tape, progress=_progress) for one in chosen]
    emit(style, lambda: _text(checked), lambda: _json(checked))
    return all(one.is_green for one in checked)


def _progress(items: Any, what: str, total: int) -> Any:
    return track(items, what, total=total)


def _tape(project: Project, name: str | None) -> tuple[Answer, ...] | None:
    from ..parity.cassette import load_cassette

    return None if name is None else tuple(load_cassette(inside(project, name), name).answers.values())


def _pools(project: Project, load: Loading, asked: Checking) -> Pools:
    from ..parity.alone import Rewritten, in_process
    from ..parity.isolation import isolated

    if asked.in_process:
        return in_process
    jobs, timeout = asked.jobs or os.cpu_count() or 1, project.settings.parity.timeout
    return lambda answers: isolated(load if answers is None else Rewritten(load, answers), jobs=jobs, timeout=timeout)


def _json(checked: Sequence[Alone]) -> dict[str, Any]:
    engines = [
        {
            "side": one.side,
            "name": one.engine,
            "verdict": "green" if one.is_green else "red",
            "cases": list(one.cases),
            "written_otherwise": one.written,
        }
        for one in checked
    ]
    return {
        "verdict": "green" if all(one.is_green for one in checked) else "red",
        "engines": engines,
        "divergences": [item.to_json() for one in checked for item in one.found],
        "flaky": [item.to_json() for one in checked for item in one.flaky],
        "not_checked": [
            {"engine": item.side, "case": item.case, "what": item.what, "why": item.why}
            for one in checked
            for item in one.unchecked
        ],
    }


def _text(checked: Sequence[Alone]) -> str:
    blocks = [_block(one, item) for one in checked for item in one.found if item.divergence.under is None]
    for title, rows in (("flaky (it differs from itself by the order of completion):", _flaky), ("not checked:", _not)):
        lines = [f"  {row}" for one in checked for row in rows(one)]
        blocks.extend(["\n".join([title, *lines])] if lines else [])
    return "\n\n".join([*blocks, "\n".join(_verdict(one) for one in checked)])


def _block(one: Alone, item: Found) -> str:
    from ..parity.reporters.base import one_line

    found = item.divergence
    again = f", activation {found.activation + 1}" if found.activation else ""
    head = f"{found.rule}  {found.case}{f', node {found.node}{again}' if found.node else ''}"
    how = f" when {item.relation}" if item.relation else ""
    rows = [("engine", f"{one.side} ({one.engine}){how}")]
    if item.relation:
        rows += [("as written", found.legacy), ("otherwise", found.candidate)]
    rows += [("cause", found.cause), ("mend", "" if item.relation else found.mend)]
    follows = [
        other.divergence.key
        for other in one.found
        if other.divergence.under == found.key
        and (other.divergence.case, other.relation) == (found.case, item.relation)
    ]
    rows.append(("followed by", ", ".join(dict.fromkeys(follows))))
    return "\n".join([one_line(head), *(f"  {label:<11} {one_line(value)}" for label, value in rows if value)])


def _flaky(one: Alone) -> Iterator[str]:
    for item in one.flaky:
        yield f"{item.case}{f', node {item.node}' if item.node else ''}, {item.family}: {item.what}"


def _not(one: Alone) -> Iterator[str]:
    """Reasons that several cases share are told once."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for item in one.unchecked:
        by_reason.setdefault((item.what, item.why), []).append(item.case)
    for (what, why), cases in by_reason.items():
        told = ", ".join(cases[:5]) + (f" and {len(cases) - 5} more" if len(cases) > 5 else "")
        yield f"{one.side}, {what} of {told}: {why}"


def _verdict(one: Alone) -> str:
    told = f"{len(one.cases)} case{'' if len(one.cases) == 1 else 's'}, {one.written} written otherwise"
    if not one.cases:
        told = "no case could be checked"
    new = f", {len(one.found)} difference{'' if len(one.found) == 1 else 's'}" if one.found else ""
    return f"{'green' if one.is_green else 'red'}: {one.side} engine {one.engine}: {told}{new}"
