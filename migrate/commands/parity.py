"""`graphlift parity`: run both engines on every case, compare what they did, and judge."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import gate_asking, gate_files, gate_fuzzing, gate_measuring, gate_running
from ..console import FINDINGS, FormatOption, GlobalOptions, OutputFormat, open_project
from ..gate_accepting import Accepting
from ..gate_accepting import accept as write_entry


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
        typer.Option("--report", metavar="ID=FILE", help="Also write a report: junit, markdown, github, json, text."),
    ] = None,
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Run in this process (for a debugger): no time limit, a crash is a crash."),
    ] = False,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Run only this part of the cases, as 1/8.")
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option("--merge", metavar="FILE", help="Join the JSON reports of all shards; repeated, runs nothing."),
    ] = None,
    cassette: Annotated[
        str | None,
        typer.Option("--cassette", metavar="FILE", help="Answers of recorded handlers, relative to the project."),
    ] = None,
    record: Annotated[
        str, typer.Option("--record", help="With recorded handlers: none (only replay), once (what is missing) or all.")
    ] = "once",
    fuzz: Annotated[
        int, typer.Option("--fuzz", min=0, metavar="N", help="Draw N random workflows instead of running the cases.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="With --fuzz and --mutants: draw from this seed.")] = 0,
    write_test: Annotated[
        Path | None,
        typer.Option("--write-test", metavar="FILE", help="With --fuzz: write a counterexample as a test."),
    ] = None,
    metamorphic: Annotated[
        bool,
        typer.Option(
            "--metamorphic", help="Check each engine alone, on every case with its workflow written otherwise."
        ),
    ] = False,
    from_shadow: Annotated[
        str | None,
        typer.Option("--from-shadow", metavar="FILE", help="Judge what a shadow saw in production; runs nothing."),
    ] = None,
    mutants: Annotated[
        int,
        typer.Option(
            "--mutants",
            min=0,
            metavar="N",
            help="Measure the gate: wrong candidates on the shapes and N drawn workflows.",
        ),
    ] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Runs at once; 0 is one for each processor.")] = 0,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="RULE", help="List a known divergence of this rule in the baseline file."),
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="PATTERN", help="With --accept: only at this node.")
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
    The whole run (not a part of it) is written to the evidence file that `retire` and `status` read. With --fuzz or
    --metamorphic nothing of that is written: they look for differences that no case shows; --mutants measures the gate.

    Example: graphlift parity --case checkout/happy
    """
    from ...plugins.gating import HOOKS, engines_and_cases

    if explain:
        gate_asking.explain(open_project(ctx, ("graphlift_rules",))[1], explain, style)
        return
    # What user code prints, at its import or in its run, is for people; standard output is the report's.
    with contextlib.redirect_stdout(sys.stderr):
        project, plugins = open_project(ctx, HOOKS)
        project.require_config()
        given = ((), ()) if accept or merge else engines_and_cases(project, plugins)
    only = tuple(case or ())
    if accept:
        entry = Accepting(accept, only, node, reason, owner, expires, verdict, at_most)
        write_entry(project, plugins, entry, style)
        return
    if listing:
        gate_asking.list_all(*given, style)
        return
    rules = plugins.gather("graphlift_rules")
    wanted = gate_files.reporters(plugins, report or [])
    if mutants:
        holds = gate_measuring.mutants(rules, mutants, seed, style)
    elif from_shadow:
        found, holds = gate_measuring.from_shadow(project, rules, from_shadow)
        gate_files.say(found, wanted, None, style)
    elif fuzz:
        asked = gate_fuzzing.Fuzzing(fuzz, seed, write_test)
        holds = gate_fuzzing.fuzz(given[0], rules, asked, style)
    elif metamorphic:
        holds = gate_fuzzing.check_alone(*given, rules, only, style)
    else:
        evidence = gate_files.inside(project, project.settings.parity.report)
        options = ctx.find_object(GlobalOptions) or GlobalOptions()
        run = gate_running.Asked(only, shard, jobs, in_process, cassette, record)
        with contextlib.redirect_stdout(sys.stderr):
            found = (
                gate_running.merge(project, merge) if merge else gate_running.run(options, project, plugins, given, run)
            )
        gate_files.say(found, wanted, evidence, style)
        holds = found.green or (run.in_part and found.holds_in_part)
    if not holds:
        raise typer.Exit(FINDINGS)
