"""What the ratchet gets when a symbol goes: its file capped at the size that is left, and the symbol's return forbidden. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..ratchet.book import Retired, Rule, parse_book
from ..ratchet.editing import add_retired, add_rule
from ..ratchet.keys import Key
from ..ratchet.lock import Lock
from ..ratchet.measuring import ARMED
from ..ratchet.metrics.lines import count_lines

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from .evidence import Evidence

HEAD = "# What may not grow; see `graphlift ratchet --help`.\n"


def armed(
    rules: str, where: str, rows: Lock, *, symbol: str, path: str, content: bytes, reason: str, left: Mapping[Key, int]
) -> tuple[str, dict[Key, int]]:
    """The people's file and the rows, with the cap of `path` (which now holds `content`) and the ban on `symbol`.

    The alias keeps the old name usable, so live references to it are capped as well: at those that are `left`, which are
    none unless the retirement was forced. Rules that are there already are used; a cap that is stricter stays.
    """
    text = rules or HEAD
    book = parse_book(text, where)
    name = symbol.rpartition(".")[2]
    ids = {rule.id for rule in book.rule}
    size = count_lines(content)
    if not any(rule.metric == "lines" and path in rule.paths for rule in book.rule):
        text = add_rule(text, _rule(_fresh(f"{name}-file", ids), "lines", {"paths": [path]}, reason), where)
    absent = [rule for rule in book.rule if rule.metric == "absent" and symbol in rule.names]
    if not absent:
        text = add_rule(text, _rule(_fresh(f"no-{name}", ids), "absent", {"names": [symbol]}, reason), where)
    if not any(_counts(rule, symbol) for rule in book.rule):
        rule_id = _fresh(f"{name}-references", ids)
        text = add_rule(text, _rule(rule_id, "references", {"symbols": [symbol]}, reason), where)
    key = Key("lines", path)
    after = {**rows, key: min(size, rows.get(key, size))}
    after.update({item: min(count, rows.get(item, count)) for item, count in left.items()})
    waiting = (rule.id for rule in book.rule if rule.when_absent in (symbol, name))
    after.update({Key(ARMED, rule_id): 0 for rule_id in waiting})
    return text, after


def recorded(
    rules: str, where: str, symbol: Symbol, evidence: Evidence | None, forced: str | None, missing: Collection[str]
) -> str:
    """The people's file with the record of a retirement: what the gate said then, and why it was forced, if it was."""
    engines = dict(evidence.engines) if evidence else {}
    record = Retired(
        symbol=symbol.legacy,
        target=symbol.alias_target,
        verdict=evidence.verdict if evidence else None,
        cases=evidence.cases if evidence else 0,
        known=evidence.known if evidence else 0,
        definitions=evidence.definitions if evidence else None,
        legacy=engines.get("legacy"),
        candidate=engines.get("candidate"),
        forced=forced if missing else None,
        missing=tuple(missing),
    )
    return add_retired(rules, record, where)


def _counts(rule: Rule, symbol: str) -> bool:
    """Whether a rule already counts the references to a symbol, wherever they may appear."""
    everywhere = "**" in rule.paths and not rule.exclude
    return rule.metric == "references" and everywhere and (not rule.symbols or symbol in rule.symbols)


def _rule(rule_id: str, metric: str, lists: dict[str, list[str]], reason: str) -> dict[str, Any]:
    return {"id": rule_id, "metric": metric, **lists, "reason": reason}


def _fresh(wanted: str, ids: set[str]) -> str:
    return next(name for name in (wanted, *(f"{wanted}-{n}" for n in range(2, 1000))) if name not in ids)
