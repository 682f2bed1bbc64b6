"""What of a rule got looser: itself, a path or name, an exclusion, a cap, a goal or its day, a condition.

Pure comparison of two books. Stricter changes are nobody's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .book import Book, Rule
from .keys import has_magic, matches


@dataclass(frozen=True)
class Loosening:
    """A rule that got looser, and in words how."""

    rule: str
    how: str


def loosenings(before: Book, after: Book, renames: Mapping[str, tuple[str, ...]]) -> tuple[Loosening, ...]:
    """Every loosening from one book to the next. `renames` are old paths with the new ones that a rule may list instead."""
    found: list[Loosening] = []
    for old in before.rule:
        new = after.find(old.id)
        if new is None:
            found.append(Loosening(old.id, "was removed"))
        else:
            found.extend(Loosening(old.id, how) for how in _compare(old, new, renames))
            found.extend(Loosening(old.id, how) for how in _forgotten(old, before, after))
    return tuple(found)


def _forgotten(rule: Rule, before: Book, after: Book) -> Iterator[str]:
    """What the records say that deleted symbols became is all that may stand behind their names."""
    for name in rule.names:
        old, new = before.became(name), after.became(name)
        if old and new != old:
            yield f"has another record of what {name} became: {_listed(new)} instead of {_listed(old)}"


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _compare(old: Rule, new: Rule, renames: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if old.metric != new.metric:
        yield f"measures {new.metric!r} instead of {old.metric!r}"
    for path in old.paths:
        followed = renames.get(path, ())
        moved_along = bool(followed) and all(matches(new.paths, item) for item in followed)
        covered = not has_magic(path) and matches(new.paths, path)
        if not moved_along and not covered and path not in new.paths and "**" not in new.paths:
            yield f"no longer lists the path {path!r}"
    yield from (f"excludes {path!r}" for path in new.exclude if path not in old.exclude)
    yield from _narrowed("symbols", old.symbols, new.symbols)
    yield from _narrowed("names", old.names, new.names)
    if old.cap is not None and (new.cap is None or new.cap > old.cap):
        yield f"has a cap of {new.cap} instead of {old.cap}" if new.cap is not None else f"lost its cap of {old.cap}"
    if new.when_absent is not None and new.when_absent != old.when_absent:
        yield f"waits until {new.when_absent!r} is absent"
    if old.goal is not None and (new.goal is None or new.goal > old.goal):
        yield (
            f"has a goal of {new.goal} instead of {old.goal}"
            if new.goal is not None
            else f"lost its goal of {old.goal}"
        )
    if old.by is not None and new.goal is not None and (new.by is None or new.by > old.by):
        yield f"is due by {new.by} instead of {old.by}" if new.by else f"is no longer due by {old.by}"
    if new.skip_generated and not old.skip_generated:
        yield "skips generated files"
    if old.options != new.options:
        yield "has other options"


def _narrowed(field: str, old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    if not old and new:
        yield f"is narrowed to some {field}"
    elif old and new:
        yield from (f"no longer lists {name!r} in `{field}`" for name in old if name not in new)
