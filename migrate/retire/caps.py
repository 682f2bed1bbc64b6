"""What the ratchet gets when a symbol goes: its file capped at the size that is left, and the symbol's return forbidden. Pure."""

from __future__ import annotations

from typing import Any

from ..ratchet.book import parse_book
from ..ratchet.editing import add_rule
from ..ratchet.keys import Key
from ..ratchet.lock import Lock
from ..ratchet.measuring import ARMED
from ..ratchet.metrics.lines import count_lines

HEAD = "# What may not grow; see `graphlift ratchet --help`.\n"


def armed(
    rules: str, where: str, rows: Lock, *, symbol: str, path: str, content: bytes, reason: str
) -> tuple[str, dict[Key, int]]:
    """The people's file and the rows, with the cap of `path` (which now holds `content`) and the ban on `symbol`.

    Rules that are there already are used; a cap that is stricter stays.
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
    key = Key("lines", path)
    after = {**rows, key: min(size, rows.get(key, size))}
    waiting = (rule.id for rule in book.rule if rule.when_absent in (symbol, name))
    after.update({Key(ARMED, rule_id): 0 for rule_id in waiting})
    return text, after


def _rule(rule_id: str, metric: str, lists: dict[str, list[str]], reason: str) -> dict[str, Any]:
    return {"id": rule_id, "metric": metric, **lists, "reason": reason}


def _fresh(wanted: str, ids: set[str]) -> str:
    return next(name for name in (wanted, *(f"{wanted}-{n}" for n in range(2, 1000))) if name not in ids)
