"""The parity gate's report as evidence: is it green, whole, and about the files as they are now? Reads, never runs the gate."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...adapters.errors import ConfigurationError
from ...parity.evidence import stale_files

if TYPE_CHECKING:
    from ...plugins.project import Project

SCHEMA = 1
SHOWN = 3


@dataclass(frozen=True)
class Evidence:
    """What the last run of the gate says. `stale` are files whose content has changed since, `files` those it names.

    `definitions` and `engines` (by side) are the digests of what was compared.
    """

    path: str
    verdict: str
    partial: bool
    cases: int
    known: int
    files: tuple[str, ...]
    stale: tuple[str, ...]
    expires: str | None = None
    definitions: str | None = None
    engines: tuple[tuple[str, str], ...] = ()

    def problems(self, needed: str | None = None) -> tuple[str, ...]:
        """Why it proves nothing for today's code; `needed` is a file that it must have been about."""
        found = []
        if self.verdict != "green":
            found.append(f"the verdict is {self.verdict}")
        if self.partial:
            found.append("only some of the cases were run")
        if self.cases == 0:
            found.append("no case was run")
        if self.stale:
            more = f" and {len(self.stale) - SHOWN} more" if len(self.stale) > SHOWN else ""
            found.append(f"changed since: {', '.join(self.stale[:SHOWN])}{more}")
        if self.expires is not None and self.expires < dt.datetime.now(dt.UTC).date().isoformat():
            found.append(f"a known divergence that it leans on expired on {self.expires}")
        if needed is not None and needed not in self.files:
            found.append(f"it is not about {needed}: the legacy engine's sources do not list it")
        return tuple(found)


def read_evidence(project: Project) -> Evidence | None:
    """The evidence, or None where the gate has never run. Raises `ConfigurationError` for a file that is no report."""
    path = project.settings.parity.report
    try:
        data = json.loads((project.root / path).read_text(encoding="utf-8"))
        return _evidence(project, path, data)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        mend = "run `graphlift parity`, which writes it"
        raise ConfigurationError(f"is no report of the parity gate: {error!r}", where=path, mend=mend) from None


def _evidence(project: Project, path: str, data: dict[str, Any]) -> Evidence:
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA}")
    digests: dict[str, str] = dict(data["evidence"]["files"])
    stale = stale_files(project.root, digests, dict(data["evidence"].get("folders", {})))
    known = sum(1 for item in data["divergences"] if item["known"])
    return Evidence(
        path=path,
        verdict=str(data["verdict"]),
        partial=bool(data["partial"]),
        cases=int(data["cases"]),
        known=known,
        files=tuple(sorted(digests)),
        stale=stale,
        expires=data.get("expires"),
        definitions=data["evidence"].get("definitions"),
        engines=tuple(sorted(data["evidence"].get("engines", {}).items())),
    )
