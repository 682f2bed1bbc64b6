"""Edit the people's file: add a raise, a move or a rule, and follow a path. Comments, order and newlines stay.

From text to text; the file is written in `writing.py`. Every result is a valid book, or nothing is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .book import Move, Raise, Retired, parse_book
from .keys import Key

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import AoT, Table


def add_raise(text: str, item: Raise, where: str) -> str:
    """The text with this raise in the order of keys; an older raise of the same key makes room (git keeps it)."""
    values = {
        "key": item.key,
        "from": item.before,
        "to": item.to,
        "reason": item.reason,
        "owner": item.owner,
        "expires": item.expires,
    }

    def change(document: TOMLDocument) -> None:
        tables = _tables(document, "raise")
        for index in reversed([i for i, table in enumerate(tables) if table.get("key") == item.key]):
            del tables[index]
        # By key, not at the end: two branches that raise two caps then seldom touch the same lines.
        place = sum(1 for table in tables if str(table.get("key")) < item.key)
        tables.insert(place, _table(values))

    return _edited(text, change, where)


def add_move(text: str, move: Move, where: str) -> str:
    """The text with this move, and with the new paths where a rule lists the old one by name."""

    def change(document: TOMLDocument) -> None:
        _tables(document, "move").append(_table({"from": move.source, "to": list(move.to)}))
        for rule in _tables(document, "rule") if "rule" in document else ():
            _follow(rule, move.source, move.to)
        for item in _tables(document, "raise") if "raise" in document else ():
            key = Key.parse(str(item["key"]))
            if key.place == move.source and len(move.to) == 1:
                item["key"] = str(key.at(move.to[0]))

    return _edited(text, change, where)


def follow(text: str, source: str, target: str, where: str) -> str:
    """The text with a renamed path in the rules that list it by name."""

    def change(document: TOMLDocument) -> None:
        for rule in _tables(document, "rule") if "rule" in document else ():
            _follow(rule, source, (target,))

    return _edited(text, change, where)


def add_rule(text: str, values: Mapping[str, Any], where: str) -> str:
    """The text with one more rule at its end; `values` in the order in which they are written, None left out."""
    return _edited(text, lambda document: _tables(document, "rule").append(_table(values)), where)


def add_retired(text: str, item: Retired, where: str) -> str:
    """The text with the record of a retirement in the order of symbols, in the place of an older one."""
    values = item.model_dump(exclude_defaults=True)
    if "missing" in values:
        values["missing"] = list(item.missing)

    def change(document: TOMLDocument) -> None:
        tables = _tables(document, "retired")
        for index in reversed([i for i, table in enumerate(tables) if table.get("symbol") == item.symbol]):
            del tables[index]
        tables.insert(sum(1 for table in tables if str(table.get("symbol")) < item.symbol), _table(values))

    return _edited(text, change, where)


def _edited(text: str, change: Callable[[TOMLDocument], None], where: str) -> str:
    import tomlkit

    crlf = "\r\n" in text
    plain = text.replace("\r\n", "\n")
    parse_book(plain, where)
    # An empty line at the end, so that what is appended stands apart.
    document = tomlkit.parse(plain.rstrip("\n") + "\n\n" if plain.strip() else "")
    change(document)
    result = document.as_string().rstrip("\n") + "\n"
    parse_book(result, where)
    return result.replace("\n", "\r\n") if crlf else result


def _tables(document: TOMLDocument, name: str) -> AoT:
    import tomlkit

    if name not in document:
        document.add(name, tomlkit.aot())
    return cast("AoT", document[name])


def _table(values: Mapping[str, Any]) -> Table:
    import tomlkit

    table = tomlkit.table()
    for key, value in values.items():
        if value is not None:
            table.add(key, value)
    table.add(tomlkit.nl())
    return table


def _follow(rule: Any, source: str, targets: tuple[str, ...]) -> None:
    paths = rule.get("paths", ())
    for index in range(len(paths)):
        if paths[index] == source:
            paths[index] = targets[0]
            for offset, target in enumerate(targets[1:], start=1):
                if target not in paths:
                    paths.insert(index + offset, target)
            return
