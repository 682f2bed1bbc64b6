"""What the project's configuration hides from the metric `references` that it showed at the merge base.

The other metrics list files by git and do not care about `source` and `exclude`; `references` reads the ledger, which
does. So an exclusion added to hide a call is found here; so is, for `absent`, another end that a deleted name may lead to.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from ...plugins.configuration import CONFIG_NAMES
from ...plugins.project import Project
from .book import RULE_KEY, Rule
from .findings import Finding
from .judge import Facts
from .trees import StoredTree

METRIC, ABSENT = "references", "absent"


def hidden_by_settings(project: Project, past: StoredTree, facts: Facts) -> list[Finding]:
    """Findings for each rule that reads the configuration, where that shows less, or allows more, than at the merge base."""
    armed = [rule for rule in facts.now.book.rule if rule.id not in facts.now.waiting]
    rules = [rule for rule in armed if rule.metric in (METRIC, ABSENT)]
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
            ways = _less(before, now) if rule.metric == METRIC else _other_ends(rule, facts, before, now)
            found += [Finding("settings", "error", key, how, mend, project.config_file.name) for how in ways]
    return found


def _other_ends(rule: Rule, facts: Facts, before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Deleted symbols behind whose names something else may stand than before, where no record says what."""
    for name in rule.names:
        if not facts.now.book.became(name) and (old := _targets(before, name)):
            for target in sorted(_targets(now, name) - old):
                yield f"lets {name}, which may not come back, become {target}"


def _targets(settings: dict[str, Any], name: str) -> set[str]:
    symbols = (symbol for symbol in settings.get("symbol", []) if symbol.get("legacy") == name)
    return {symbol[role] for symbol in symbols for role in ("to", "called", "type", "alias") if symbol.get(role)}


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
