"""`graphlift parity --mutants` and `--from-shadow`: how much the gate sees, and what production showed."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit, track

if TYPE_CHECKING:
    from ..parity.mutants import Killed
    from ..parity.report import Report
    from ..parity.rule import Rule
    from ..parity.shadow import Sighting
    from ..parity.traces import CaseTrace
    from ..plugins.project import Project

BAR = 0.95
"""The share of mutants that the gate must see."""


@dataclass(frozen=True)
class Measuring:
    """What is looked at instead of running the project's cases under both engines."""

    from_shadow: Annotated[
        str | None,
        typer.Option("--from-shadow", metavar="FILE", help="Judge what a shadow saw in production; runs nothing."),
    ] = None
    mutants: Annotated[
        int,
        typer.Option(
            "--mutants",
            min=0,
            metavar="N",
            help="Measure the gate: wrong candidates on the shapes and N drawn workflows.",
        ),
    ] = 0

    @property
    def asked(self) -> bool:
        """Whether any of it was asked for."""
        return self.from_shadow is not None or self.mutants > 0


def mutants(rules: Sequence[Rule], drawn: int, seed: int, style: OutputFormat) -> bool:
    """Try every mutant on the shipped shapes and `drawn` random workflows; whether enough of them are seen."""
    from ..parity.mutants import MUTANTS, kill_rate, measure
    from ..parity.mutants.killing import corpus

    workflows = corpus(drawn, seed)
    with contextlib.redirect_stdout(sys.stderr):
        tried = (measure([mutant], rules, workflows)[0] for mutant in MUTANTS)
        fates = list(track(tried, "mutants", total=len(MUTANTS)))
    rate = kill_rate(fates)
    verdict = "green" if rate >= BAR else "red"
    emit(
        style,
        lambda: "\n".join([*map(_row, fates), f"{verdict}: {rate:.1%} of {len(fates)} mutants are seen"]),
        lambda: {
            "verdict": verdict,
            "rate": round(rate, 4),
            "mutants": [
                {"id": fate.mutant, "summary": fate.summary, "rules": list(fate.rules), "tried": fate.tried}
                for fate in fates
            ],
        },
    )
    return rate >= BAR


def _row(fate: Killed) -> str:
    told = "survives" if fate.survives else f"{', '.join(fate.rules)} (workflow {fate.tried})"
    return f"{fate.mutant:<22} {told}"


def from_shadow(project: Project, rules: Sequence[Rule], name: str) -> tuple[Report, bool]:
    """What a shadow's file of sightings says, judged by the baseline; and whether every run could be shadowed.

    A divergence that was seen many times counts once for each case. An entry of the baseline that production did not show is
    not called unneeded: not every case occurs there.
    """
    from ..parity.baseline import judge, read_baseline
    from ..parity.evidence import Evidence
    from ..parity.report import Finding, Report
    from ..parity.shadow import read_sightings
    from ..parity.tracing import pick_traces

    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{name} does not exist", mend="give the file that a JsonLines sink wrote")
    sightings = read_sightings(path, path.name)
    settings = project.settings.parity
    known = read_baseline(project.root / settings.baseline, settings.baseline)
    seen = {(item.case, item.place): item for sighting in sightings for item in sighting.divergences}
    found = [seen[key] for key in sorted(seen, key=str)]
    verdict = judge(found, known, dt.datetime.now(dt.UTC).date(), frozenset())
    failed = sorted({f"shadow: {item.case}: {item.failed}" for item in sightings if item.failed})
    report = Report(
        cases=tuple(sorted({item.case for item in sightings})),
        families=tuple(dict.fromkeys(rule.family for rule in rules)),
        findings=tuple(Finding(item, entry) for item, entry in verdict.divergences),
        problems=verdict.problems,
        flaky=(),
        unseen=tuple(failed),
        evidence=Evidence("", {}, {}),
        partial=True,
        traces=pick_traces(_first_traces(sightings), found, known),
    )
    return report, report.clean and not failed


def _first_traces(sightings: Iterable[Sighting]) -> list[CaseTrace]:
    """Of each case the first trace that was told."""
    traces: dict[str, CaseTrace] = {}
    for sighting in sightings:
        if sighting.trace is not None:
            traces.setdefault(sighting.case, sighting.trace)
    return list(traces.values())
