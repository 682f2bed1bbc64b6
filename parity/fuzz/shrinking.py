"""Shrinking by structure: whole steps, edges and rules go as long as the engines still differ.

hypothesis shrinks the choices that a workflow was drawn with; dropping a step in the middle changes all choices after it, so
that much is left. This ends with a workflow from which nothing can be taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ...adapters.errors import GraphliftError
from .draft import Draft

MOST = 500
"""How many smaller workflows are tried."""
Differs = Callable[[Draft], bool]


def shrink(draft: Draft, differs: Differs, attempts: int = MOST) -> Draft:
    """The smallest draft that `differs` accepts, by removals from this one; at most so many attempts."""
    again = True
    while again and attempts > 0:
        again = False
        for smaller in _smaller(draft):
            attempts -= 1
            if attempts >= 0 and _is_valid(smaller) and differs(smaller):
                draft, again = smaller, True
                break
    return draft


def _is_valid(draft: Draft) -> bool:
    try:
        draft.case()
    except GraphliftError:
        return False
    return True


def _smaller(draft: Draft) -> Iterator[Draft]:
    key = "steps" if "steps" in draft.definition else "nodes"
    items: list[dict[str, Any]] = [dict(item) for item in draft.definition[key]]

    def rebuilt(changed: list[dict[str, Any]]) -> Draft:
        names = {item["name"] for item in changed}
        bodies = {name: body for name, body in draft.bodies.items() if name in names}
        return replace(draft, definition={**draft.definition, key: changed}, bodies=bodies)

    for item in items:
        yield rebuilt([_without(other, item) for other in items if other is not item])
    for place, item in enumerate(items):
        for simpler in _simpler(item):
            yield rebuilt([*items[:place], simpler, *items[place + 1 :]])
    for name, body in draft.bodies.items():
        if body != "digest":
            yield replace(draft, bodies={**draft.bodies, name: "digest"})
    if any(item["name"] > other["name"] for item, other in itertools.pairwise(items)):
        yield rebuilt(sorted(items, key=lambda item: str(item["name"])))
    yield from (replace(draft, inputs={"n": n}) for n in range(draft.inputs.get("n", 0)))


def _without(item: dict[str, Any], gone: dict[str, Any]) -> dict[str, Any]:
    """A step that no longer names another one; whoever waited for that waits for what it waited for."""
    name, changed = gone["name"], dict(item)
    for key in ("depends_on", "next"):
        if name in item.get(key, ()):
            others = [other for other in item[key] if other != name]
            changed[key] = list(dict.fromkeys([*others, *(x for x in gone.get(key, ()) if x != item["name"])]))
    if isinstance(item.get("branches"), dict):
        changed["branches"] = {label: target for label, target in item["branches"].items() if target != name}
    elif name in item.get("branches", ()):
        changed["branches"] = [branch for branch in item["branches"] if branch != name]
    return changed


def _simpler(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in ("when", "loop_until", "max_concurrency", "timeout"):
        if item.get(key) is not None:
            yield {
                other: value
                for other, value in item.items()
                if other not in (key, "loop_max" if key == "loop_until" else key)
            }
    for key in ("depends_on", "next"):
        for name in item.get(key, ()):
            yield {**item, key: [other for other in item[key] if other != name]}
    if isinstance(item.get("branches"), dict):
        for label in item["branches"]:
            yield {**item, "branches": {one: target for one, target in item["branches"].items() if one != label}}
    if item.get("loop_max", 1) > 1:
        yield {**item, "loop_max": item["loop_max"] - 1}
