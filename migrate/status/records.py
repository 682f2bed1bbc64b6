"""What the ratchet's file records of retirements: the proof that the engines agreed, once there is nothing left to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..ratchet.book import Retired, parse_book

if TYPE_CHECKING:
    from ...plugins.project import Project


def read_records(project: Project) -> dict[str, Retired]:
    """The records by symbol. Raises `ConfigurationError` for a file that is wrong; none where there is no file."""
    name = project.settings.ratchet.rules
    file = project.root / name
    if not file.is_file():
        return {}
    return {item.symbol: item for item in parse_book(file.read_bytes().decode("utf-8-sig", "replace"), name).retired}


def tell_of_retired(symbols: Sequence[str], records: Mapping[str, Retired]) -> tuple[str, tuple[str, ...]]:
    """One sentence about what is gone, and the symbols for which nothing proves that it might go."""
    known = {name: records[name] for name in symbols if name in records and records[name].is_proven}
    green = [item for item in known.values() if item.forced is None]
    parts = [f"{len(green)} of {len(symbols)} retired on a green gate"]
    if green:
        parts[0] += f" ({_cases(green)})"
    parts += [f"{item.symbol} by force: {_why(item)}" for item in known.values() if item.forced is not None]
    unproven = tuple(f"nothing proves that {name} might go" for name in symbols if name not in known)
    return ", ".join(parts), unproven


def _cases(green: Sequence[Retired]) -> str:
    cases, known = max(item.cases for item in green), max(item.known for item in green)
    return f"{cases} case{'' if cases == 1 else 's'}, {known} known divergence{'' if known == 1 else 's'}"


def _why(item: Retired) -> str:
    return f"{item.forced}" + (f" (missing: {', '.join(item.missing)})" if item.missing else "")
