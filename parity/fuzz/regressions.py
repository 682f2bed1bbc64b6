"""Counterexamples that were found once, kept in a folder and replayed before anything new is drawn.

One JSON file each, named by its content, so that two branches which add some never conflict. A file that cannot be read is an
error: a regression is never dropped without somebody deleting its file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...adapters.errors import ConfigurationError, GraphliftError
from ..divergence import Divergence
from ..engine import Engine
from ..gate import MakePool
from ..observation import Side
from ..plain import digest
from ..rule import Rule
from ..running import InProcess
from .draft import Draft
from .searching import Counterexample, differences

VERSION = 1
MARK = "graphlift-regression"


@dataclass(frozen=True)
class Regression:
    """A kept counterexample: its file's name, its workflow, and in what the engines differed when it was found."""

    name: str
    draft: Draft
    found: str = ""


@dataclass(frozen=True)
class Replayed:
    """A regression, and in what the engines differ on it now."""

    regression: Regression
    divergences: tuple[Divergence, ...]


def file_of(found: Counterexample) -> tuple[str, str]:
    """The name and the text of the file that keeps a counterexample."""
    draft, first = found.draft, found.divergences[0]
    content = {name: dict(getattr(draft, name)) for name in ("definition", "bodies", "inputs", "options")}
    data = {MARK: VERSION, "found": f"{first.rule} at {first.node or 'the run'}", **content}
    name = f"{first.rule.lower()}-{digest(content)[:12]}.json"
    return name, json.dumps(data, indent=2, sort_keys=True, ensure_ascii=True) + "\n"


def read_regressions(folder: Path, shown: str) -> tuple[Regression, ...]:
    """The regressions of a folder, by name; none where there is no folder. Raises ConfigurationError for a file that is none."""
    if not folder.is_dir():
        return ()
    return tuple(_read(path, f"{shown}/{path.name}") for path in sorted(folder.glob("*.json")))


def _read(path: Path, shown: str) -> Regression:
    mend = "restore it, or delete it if the workflow need not be tried any more"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot be read: {error}", where=shown, mend=mend) from None
    version = data.get(MARK) if isinstance(data, Mapping) else None
    if version != VERSION:
        raise ConfigurationError(f"is a regression of version {version!r}, not {VERSION}", where=shown, mend=mend)
    try:
        parts: Any = {name: data[name] for name in ("definition", "bodies", "inputs", "options")}
        draft = Draft(**parts)
        draft.case()
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"is no regression: {error!r}", where=shown, mend=mend) from None
    except GraphliftError as error:
        raise ConfigurationError(f"is no valid workflow: {error.message}", where=shown, mend=mend) from None
    return Regression(path.name, draft, str(data.get("found", "")))


def replay(
    engines: Mapping[Side, Engine],
    rules: Sequence[Rule],
    regressions: Sequence[Regression],
    pool: MakePool = InProcess,
) -> Iterator[Replayed]:
    """Run each regression, and say in what the engines differ on it now; `pool` says how they are run."""
    for one in regressions:
        yield Replayed(one, differences(engines, rules, one.draft, pool))
