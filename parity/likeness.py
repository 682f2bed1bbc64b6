"""How two values that differ are alike: by rounding, by type, by order. A cause that says so saves the search for a lost update.

Works on recorded plain data; what was too large to keep is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .plain import TAG, canonical
from .recorded import Value

PLACES = 7
"""Decimal places that a rounding is looked for in."""


def likeness(one: Value | None, other: Value | None) -> str | None:
    """In what two different values are the same, with the place; None where they are not alike, or nothing is known."""
    if one is None or other is None or not one.kept or not other.kept or one.digest == other.digest:
        return None
    found: dict[str, str] = {}
    for path, how in _differences(one.content, other.content, ""):
        if how is None:
            return None
        found.setdefault(how, path)
    told = [f"{how} (at {path})" if path else how for how, path in list(found.items())[:2]]
    return " and ".join(told) or None


def _differences(one: Any, other: Any, path: str) -> Iterator[tuple[str, str | None]]:
    """Every place at which two values differ, with how they are alike there."""
    if canonical(one) == canonical(other):
        return
    kinds = _kind(one), _kind(other)
    inner = _content(one), _content(other)
    if kinds == ("dict", "dict"):
        yield from _of_dicts(_keyed(inner[0]), _keyed(inner[1]), path)
    elif isinstance(inner[0], list) and isinstance(inner[1], list):
        yield from _of_lists(kinds, inner, path)
    else:
        yield path, _of_leaves(kinds, inner)


Keyed = dict[str, tuple[str, Any]]
"""The items of a dict by their key's text, each with the kind of the key."""


def _keyed(inner: Any) -> Keyed | None:
    """None where two keys of other types have one text."""
    pairs = inner.items() if isinstance(inner, Mapping) else inner
    found = {str(_content(key)): (_kind(key), item) for key, item in pairs}
    return found if len(found) == len(pairs) else None


def _of_dicts(one: Keyed | None, other: Keyed | None, path: str) -> Iterator[tuple[str, str | None]]:
    if one is None or other is None or one.keys() != other.keys():
        yield path, None
        return
    for key, (kind, item) in one.items():
        there, value = other[key]
        if kind != there:
            yield path, f"the same keys as {kind} and as {there}"
        yield from _differences(item, value, f"{path}.{key}" if path else key)


def _of_lists(kinds: tuple[str, str], inner: tuple[Any, Any], path: str) -> Iterator[tuple[str, str | None]]:
    if kinds[0] != kinds[1]:
        same = canonical(_sorted(inner[0])) == canonical(_sorted(inner[1]))
        yield path, f"the same content as {kinds[0]} and as {kinds[1]}" if same else None
    elif canonical(_sorted(inner[0])) == canonical(_sorted(inner[1])):
        yield path, "the same items in another order"
    elif len(inner[0]) == len(inner[1]):
        for place, pair in enumerate(zip(*inner, strict=True)):
            yield from _differences(*pair, f"{path}[{place}]")
    else:
        yield path, None


def _of_leaves(kinds: tuple[str, str], inner: tuple[Any, Any]) -> str | None:
    numbers = [_number(kind, value) for kind, value in zip(kinds, inner, strict=True)]
    if numbers[0] is not None and numbers[1] is not None:
        return _of_numbers(kinds, (numbers[0], numbers[1]))
    if kinds[0] != kinds[1] and str(inner[0]) == str(inner[1]):
        return f"the same content as {kinds[0]} and as {kinds[1]}"
    return None


def _of_numbers(kinds: tuple[str, str], pair: tuple[float, float]) -> str | None:
    one, other = pair
    if one == other:
        return f"the same number as {kinds[0]} and as {kinds[1]}"
    if math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12):
        return f"numbers {abs(one - other):.1g} apart, as floating point rounds"
    if not (math.isfinite(one) and math.isfinite(other)):
        return None
    for places in range(PLACES):
        if round(one, places) == other or round(other, places) == one:
            return f"the number rounded to {places} place{'' if places == 1 else 's'}"
    return None


def _kind(data: Any) -> str:
    if isinstance(data, Mapping):
        if TAG not in data:
            return "dict"
        name = str(data.get("t") or data[TAG])
        return name.rsplit(".", 1)[-1]
    return "None" if data is None else type(data).__name__


def _content(data: Any) -> Any:
    return data.get("v") if isinstance(data, Mapping) and TAG in data else data


def _number(kind: str, value: Any) -> float | None:
    """The value as a number, where it is one: not a truth value, and a text only as a decimal's."""
    if kind in ("int", "float") and isinstance(value, (int, float)):
        return float(value)
    if kind in ("Decimal", "Fraction", "str") and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=canonical)
