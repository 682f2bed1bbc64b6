"""`graphlift parity`: run both engines on every case, compare what they did, and judge.

The options are with what they ask for, in `migrate/gate_*.py`.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import typer

from .. import gate_asking, gate_files, gate_fuzzing, gate_measuring, gate_running
from ..console import FINDINGS, FormatOption, GlobalOptions, OutputFormat, open_project
from ..gate_accepting import Accepting
from ..gate_accepting import accept as write_entry
from ..gate_asking import Asking
from ..gate_files import Reporting
from ..gate_fuzzing import Fuzzing
from ..gate_measuring import Measuring
from ..gate_running import Running
from ..options import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...parity.case import Case
    from ...parity.engine import Engine
    from ...plugins.manager import Plugins
    from ...plugins.project import Project


@grouped
def parity(
    ctx: typer.Context,
    running: Running,
    asking: Asking,
    reporting: Reporting,
    fuzzing: Fuzzing,
    measuring: Measuring,
    accepting: Accepting,
    style: FormatOption = OutputFormat.TEXT,
) -> None:
    """Run both engines on every case and compare traces, statuses and results.

    Exit code 1 for a divergence that the baseline does not list, or a baseline entry that is out of date. Where the legacy
    engine differs from itself, the report says so and judges nothing.
    The whole run (not a part of it) is written to the evidence file that `retire` and `status` read. With --fuzz
    nothing of that is written: it looks for differences that no case shows, replays every counterexample that it ever found
    first, and keeps a new one in the folder `graphlift-regressions`; --mutants measures the gate.

    Example: graphlift parity --case checkout/happy
    """
    from ...plugins.gating import HOOKS, engines_and_cases

    if asking.explain:
        gate_asking.explain(open_project(ctx, ("graphlift_rules",))[1], asking.explain, style)
        return
    # What user code prints, at its import or in its run, is for people; standard output is the report's.
    with contextlib.redirect_stdout(sys.stderr):
        project, plugins = open_project(ctx, HOOKS)
        project.require_config()
        given = ((), ()) if accepting.accept or reporting.merge else engines_and_cases(project, plugins)
    if accepting.accept:
        write_entry(project, plugins, accepting, running.only, style)
        return
    if asking.listing:
        gate_asking.list_all(*given, style)
        return
    if measuring.asked or fuzzing.fuzz:
        holds = _look_elsewhere((project, plugins), given, (running, reporting, fuzzing, measuring), style)
    else:
        options = ctx.find_object(GlobalOptions) or GlobalOptions()
        holds = _run(options, (project, plugins), given, (running, reporting), style)
    if not holds:
        raise typer.Exit(FINDINGS)


def _look_elsewhere(
    opened: tuple[Project, Plugins],
    given: tuple[Sequence[Engine], Sequence[Case]],
    asked: tuple[Running, Reporting, Fuzzing, Measuring],
    style: OutputFormat,
) -> bool:
    """Everything that is no run of the project's cases under both engines; whether it holds."""
    from ...plugins.gating import rules_of

    project, plugins = opened
    running, reporting, fuzzing, measuring = asked
    rules = rules_of(plugins)
    if measuring.mutants:
        return gate_measuring.mutants(rules, measuring.mutants, fuzzing.seed, style)
    if measuring.from_shadow:
        wanted = gate_files.reporters(plugins, reporting.report or [])
        found, holds = gate_measuring.from_shadow(project, rules, measuring.from_shadow)
        gate_files.say(found, wanted, None, style)
        return holds
    return gate_fuzzing.fuzz(project, given[0], rules, fuzzing, style, in_process=running.in_process)


def _run(
    options: GlobalOptions,
    opened: tuple[Project, Plugins],
    given: tuple[Sequence[Engine], Sequence[Case]],
    asked: tuple[Running, Reporting],
    style: OutputFormat,
) -> bool:
    """The gate itself, or the reports of its shards as one; whether it holds."""
    project, plugins = opened
    running, reporting = asked
    wanted = gate_files.reporters(plugins, reporting.report or [])
    evidence = gate_files.inside(project, project.settings.parity.report)
    with contextlib.redirect_stdout(sys.stderr):
        if reporting.merge:
            found = gate_running.merge(project, reporting.merge)
        else:
            found = gate_running.run(options, project, plugins, given, running)
    gate_files.say(found, wanted, evidence, style, coverage=reporting.coverage)
    return reporting.covers(found) and (found.green or (running.in_part and found.holds_in_part))
