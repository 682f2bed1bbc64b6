"""What the project's configuration hides from the metric `references` that it showed at the merge base.

The other metrics list files by git and do not care about `source` and `exclude`; `references` reads the ledger, which
does. So an exclusion added to hide a call is found here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from ...plugins.configuration import CONFIG_NAMES
from ...plugins.project import Project
from .book import RULE_KEY
from .findings import Finding
from .judge import Facts
from .trees import StoredTree

METRIC = "references"


def hidden_by_settings(project: Project, past: StoredTree, facts: Facts) -> list[Finding]:
    """Findings for each rule of the metric `references`, where the configuration shows less than at the merge base."""
    rules = [rule for rule in facts.now.book.rule if rule.metric == METRIC and rule.id not in facts.now.waiting]
    if not rules or project.config_file is None:
        return []
    now, before = project.settings.model_dump(mode="json"), settings_at(past)
    if before is None:
        return []
    found = []
    for rule in rules:
        key = f"{RULE_KEY}:{rule.id}"
        if key not in facts.new_raises and facts.past is not None and facts.past.side.book.find(rule.id):
            mend = f'undo it, or add a [[raise]] with key = "{key}", a reason and an owner'
            found += [
                Finding("settings", "error", key, how, mend, project.config_file.name) for how in _less(before, now)
            ]
    return found


def settings_at(past: StoredTree) -> dict[str, Any] | None:
    """The configuration of another state as plain data, unvalidated; None where there is none that can be read."""
    for name in CONFIG_NAMES:
        text = past.text(name)
        if text is None:
            continue
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        found = data if name == CONFIG_NAMES[0] else data.get("tool", {}).get("graphlift")
        if isinstance(found, dict):
            return found
    return None


def _less(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for pattern in now["exclude"]:
        if pattern not in before.get("exclude", []) and not pattern.startswith("!"):
            yield f"`exclude` has a new entry {pattern!r}"
    for pattern in before.get("exclude", []):
        if pattern.startswith("!") and pattern not in now["exclude"] and now["exclude"]:
            yield f"`exclude` lost the exception {pattern!r}"
    for name in before.get("source", ["."]):
        if name not in now["source"] and "." not in now["source"]:
            yield f"`source` lost {name!r}"
    symbols = {symbol["legacy"] for symbol in now["symbol"]}
    for symbol in before.get("symbol", []):
        if symbol.get("legacy") not in symbols:
            yield f"the symbol {symbol.get('legacy')!r} is gone"
