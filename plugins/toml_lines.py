"""Where a key stands in a TOML text: the parsers of the standard library and of tomlkit do not say.

Only for messages. A key that cannot be found (a dotted or quoted form this does not read) gives the line of its table.
"""

from __future__ import annotations

import re
from collections import Counter

_TABLE = re.compile(r"^\s*\[(?P<array>\[)?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*(?P<key>[A-Za-z0-9_\-."']+)\s*=""")

Location = tuple[int | str, ...]


def line_of(text: str, location: Location) -> int:
    """The 1-based line of the deepest part of `location` that can be found; 1 when none can."""
    best_line, best_depth = 1, 0
    for line, path in _keys(text):
        depth = _common(path, location)
        if depth == len(path) and depth > best_depth:
            best_line, best_depth = line, depth
    return best_line


def _keys(text: str) -> list[tuple[int, Location]]:
    found: list[tuple[int, Location]] = []
    table: Location = ()
    arrays: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if head := _TABLE.match(line):
            table = _table_path(head["name"], bool(head["array"]), arrays)
            found.append((number, table))
        elif key := _KEY.match(line):
            found.append((number, (*table, *_parts(key["key"]))))
    return found


def _table_path(name: str, is_array: bool, arrays: Counter[str]) -> Location:
    if is_array:
        arrays[name] += 1
    path: list[int | str] = []
    for part in _parts(name):
        path.append(part)
        key = ".".join(str(item) for item in path if isinstance(item, str))
        if arrays[key]:
            path.append(arrays[key] - 1)
    return tuple(path)


def _parts(name: str) -> list[str]:
    return [part.strip().strip("\"'") for part in name.split(".")]


def _common(path: Location, location: Location) -> int:
    count = 0
    for one, other in zip(path, location, strict=False):
        if one != other:
            break
        count += 1
    return count
