"""The gate's report: divergences, the verdict of each family, and the evidence that says what was compared.

The file form (schema 1) is deterministic: sorted, without times or absolute paths. Evidence is by content: a report is
stale as soon as one of the files it names has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .baseline import Known, Problem
from .model import Divergence
from .writing import replace_file

SCHEMA = 1


@dataclass(frozen=True)
class Finding:
    """A divergence, the entry that knows it, and the divergence of the same case that it follows from."""

    divergence: Divergence
    known: Known | None = None
    follows: str | None = None


@dataclass(frozen=True)
class Evidence:
    """What was compared: a digest over the cases, one for each engine's code, and every file's digest by its path."""

    definitions: str
    engines: Mapping[str, str]
    files: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """What the gate found. `partial` says that not every case ran, so that nothing is proved; `stopped`, by an interrupt."""

    cases: tuple[str, ...]
    families: tuple[str, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    flaky: tuple[Divergence, ...]
    unseen: tuple[str, ...]
    evidence: Evidence
    partial: bool = False
    stopped: bool = False
    family_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def new(self) -> tuple[Finding, ...]:
        """The findings that no entry of the baseline knows."""
        return tuple(finding for finding in self.findings if finding.known is None)

    @property
    def clean(self) -> bool:
        """Whether something ran, nothing unknown was found in it, and the baseline is in order."""
        return bool(self.cases) and not self.new and not self.problems and not self.flaky

    @property
    def green(self) -> bool:
        """Whether the gate holds: clean, and every case ran."""
        return self.clean and not self.partial

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """By family: "green" or "red", how many findings, and how many of them are known."""
        found: dict[str, dict[str, Any]] = {}
        for family in self.families:
            mine = [item for item in self.findings if self.family_of[item.divergence.rule] == family]
            known = sum(item.known is not None for item in mine)
            found[family] = {"verdict": "green" if known == len(mine) else "red", "count": len(mine), "known": known}
        return found

    def to_json(self) -> dict[str, Any]:
        """The file form."""
        return {
            "schema": SCHEMA,
            "verdict": "green" if self.green else "red",
            "partial": self.partial,
            "cases": len(self.cases),
            "case_ids": list(self.cases),
            "families": self.verdicts(),
            "divergences": [_finding(item) for item in self.findings],
            "flaky": [
                {"rule": item.rule, "case": item.case, "node": item.node, "cause": item.cause} for item in self.flaky
            ],
            "baseline": [{"kind": item.kind, "text": item.text} for item in self.problems],
            "unseen": list(self.unseen),
            "evidence": {
                "definitions": self.evidence.definitions,
                "engines": dict(sorted(self.evidence.engines.items())),
                "files": dict(sorted(self.evidence.files.items())),
            },
        }


def _finding(item: Finding) -> dict[str, Any]:
    found = item.divergence
    return {
        "rule": found.rule,
        "case": found.case,
        "node": found.node,
        "activation": found.activation,
        "legacy": found.legacy,
        "candidate": found.candidate,
        "cause": found.cause,
        "mend": found.mend,
        "known": item.known is not None,
        "reason": item.known.reason if item.known else None,
        "follows": item.follows,
    }


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


def gather_evidence(
    root: Path, engines: Mapping[str, Iterable[str]], cases: Mapping[str, str], files: Iterable[str]
) -> Evidence:
    """Digest the engines' sources (files or folders, relative to the root), the cases' fingerprints and more files.

    A source that does not exist is recorded as absent, so that its appearing makes the report stale.
    """
    seen: dict[str, str] = {}
    by_engine: dict[str, str] = {}
    for side, sources in engines.items():
        mine = {name: _digest(root / name) for source in sources for name in _files(root, source)}
        by_engine[side] = _join(mine)
        seen.update(mine)
    seen.update({name: _digest(root / name) for name in files})
    return Evidence(_join(cases), by_engine, seen)


def _files(root: Path, source: str) -> list[str]:
    top = root / source
    if not top.is_dir():
        return [source]
    found = (path for path in top.rglob("*.py") if "__pycache__" not in path.parts)
    return sorted(path.relative_to(root).as_posix() for path in found)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "absent"


def _join(parts: Mapping[str, str]) -> str:
    text = "".join(f"{name}\0{digest}\n" for name, digest in sorted(parts.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
