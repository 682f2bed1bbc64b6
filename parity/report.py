"""The gate's report: divergences, the verdict of each family, and the evidence that says what was compared.

The file form (schema 1) is deterministic: sorted, without times or absolute paths. Evidence is by content: a report is
stale as soon as one of the files it names has changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .baseline import Known, Problem
from .coverage import Coverage
from .divergence import Divergence, Flaky
from .evidence import Evidence
from .judging import GATE
from .traces import CaseTrace
from .writing import replace_file

SCHEMA = 1


@dataclass(frozen=True)
class Finding:
    """A divergence, and the entry that knows it."""

    divergence: Divergence
    known: Known | None = None

    @property
    def follows(self) -> str | None:
        """The divergence of the same case that this one follows from, as `GL101 at review`."""
        return self.divergence.under


@dataclass(frozen=True)
class Report:
    """What the gate found.

    `partial` says that not every case ran, so that nothing is proved; `stopped`, by an interrupt; `shard`, because it is one of several
    parts. `flaky` is where the
    legacy engine differs from itself: nothing can be said there, and with `flaky_fails` that is not enough; `unseen` is what an engine does not show. `traces` are the runs of some of the diverging
    cases (at most `traces.MOST_CASES`), by case. `coverage` is how much of their workflows the cases reach.
    """

    cases: tuple[str, ...]
    families: tuple[str, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    flaky: tuple[Flaky, ...]
    unseen: tuple[str, ...]
    evidence: Evidence
    partial: bool = False
    stopped: bool = False
    shard: str | None = None
    traces: tuple[CaseTrace, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    flaky_fails: bool = False

    @property
    def new(self) -> tuple[Finding, ...]:
        """The findings that no entry of the baseline knows."""
        return tuple(finding for finding in self.findings if finding.known is None)

    @property
    def clean(self) -> bool:
        """Whether something ran, nothing unknown was found in it, and the baseline is in order."""
        return bool(self.cases) and self.holds_as_far_as_it_went

    @property
    def blind(self) -> bool:
        """Whether some case showed nothing that could have differed."""
        return any(text.startswith(f"{GATE}: ") for text in self.unseen)

    @property
    def expires(self) -> str | None:
        """The first day (ISO) on which an entry that this verdict leans on expires."""
        days = [item.known.expires for item in self.findings if item.known is not None]
        return min(days).isoformat() if days else None

    @property
    def holds_in_part(self) -> bool:
        """Whether a part that was asked for holds; a shard may be empty, since the others have the cases."""
        return not self.stopped and self.holds_as_far_as_it_went and bool(self.cases or self.shard)

    @property
    def holds_as_far_as_it_went(self) -> bool:
        """Whether nothing was found in what ran, whole or not."""
        return not self.new and not self.problems and not self.blind and not (self.flaky_fails and self.flaky)

    @property
    def green(self) -> bool:
        """Whether the gate holds: clean, and every case ran."""
        return self.clean and not self.partial

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """By family: "green" or "red", how many findings, known ones, flaky places, and whether all of it could be judged."""
        found: dict[str, dict[str, Any]] = {}
        for family in self.families:
            mine = [item for item in self.findings if item.divergence.family == family]
            known = sum(item.known is not None for item in mine)
            flaky = sum(item.family == family for item in self.flaky)
            verdict = "green" if known == len(mine) and not (flaky and self.flaky_fails) else "red"
            complete = not flaky and not any(text.startswith(f"{family}: ") for text in self.unseen)
            found[family] = {
                "verdict": verdict,
                "count": len(mine),
                "known": known,
                "flaky": flaky,
                "complete": complete,
            }
        return found

    def to_json(self) -> dict[str, Any]:
        """The file form."""
        return {
            "schema": SCHEMA,
            "verdict": "green" if self.green else "red",
            "partial": self.partial,
            "stopped": self.stopped,
            "shard": self.shard,
            "cases": len(self.cases),
            "case_ids": list(self.cases),
            "families": self.verdicts(),
            "divergences": [_finding(item) for item in self.findings],
            "flaky": [item.to_json() for item in self.flaky],
            "baseline": [{"kind": item.kind, "text": item.text} for item in self.problems],
            "unseen": list(self.unseen),
            "expires": self.expires,
            "evidence": self.evidence.to_json(),
            "traces": [trace.to_json() for trace in self.traces],
            "coverage": self.coverage.to_json(),
        }


def _finding(item: Finding) -> dict[str, Any]:
    reason = item.known.reason if item.known else None
    return {**item.divergence.to_json(), "known": item.known is not None, "reason": reason, "follows": item.follows}


def write_report(report: Report, path: Path) -> None:
    """Write the file form; the folder is made, and kept out of version control by a `.gitignore` of its own.

    The caller has made sure that the path, links resolved, lies inside the project.
    """
    if not path.parent.exists():
        path.parent.mkdir(parents=True)
        (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    text = json.dumps(report.to_json(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    # A lone surrogate becomes an escape, which in JSON means the same.
    replace_file(path, text)
