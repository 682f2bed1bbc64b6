"""How what an activation saw differs between two engines: something missing, something old, something early, or another value.

"Old" means that the value is one that this place had before in the run; who wrote the newer one is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from .causes import standing, uneven_join, writer, written
from .comparing import pairs
from .observation import Activation, Observation
from .plain import canonical, digest_text
from .recorded import Value, shorten
from .shape import as_text

Path = tuple[str, ...]
NULL = digest_text(canonical(None))


class Kind(StrEnum):
    """How an input differs."""

    MISSING = "missing"
    STALE = "stale"
    EARLY = "early"
    OTHER = "other"


@dataclass(frozen=True)
class InputDifference:
    """One activation and the places, all of one kind, at which it saw something else."""

    legacy: Activation
    candidate: Activation
    kind: Kind
    paths: tuple[Path, ...]


def input_differences(legacy: Observation, candidate: Observation) -> Iterator[InputDifference]:
    """The differences of the activations that both runs have, one for each activation and kind."""
    for one, other in pairs(legacy, candidate):
        if one.saw.digest == other.saw.digest:
            continue
        found: dict[Kind, list[Path]] = {}
        for path in differing(one.saw, other.saw):
            found.setdefault(_kind(legacy, candidate, (one, other), path), []).append(path)
        for kind in sorted(found):
            yield InputDifference(one, other, kind, tuple(found[kind]))


def differing(one: Value, other: Value) -> list[Path]:
    """The deepest paths at which two recorded values differ; the empty path where nothing deeper is known."""
    paths = [path for path in sorted({*one.parts, *other.parts}) if one.parts.get(path) != other.parts.get(path)]
    inner = {path[:depth] for path in paths for depth in range(len(path))}
    deepest = [path for path in paths if path not in inner]
    # The end states of nodes come with their results; they count by themselves only where the results agree.
    results = {path[1:] for path in deepest if path[0] == "results"}
    return [path for path in deepest if path[0] != "status" or path[1:] not in results] or [()]


def _kind(legacy: Observation, candidate: Observation, pair: tuple[Activation, Activation], path: Path) -> Kind:
    one, other = (item.saw.parts.get(path) for item in pair)
    if one not in (None, NULL) and other in (None, NULL):
        return Kind.MISSING
    if one in (None, NULL) and other not in (None, NULL):
        return Kind.EARLY
    current = _is_current(legacy, pair[0], path), _is_current(candidate, pair[1], path)
    if current in ((True, False), (False, True)):
        return Kind.STALE if current[0] else Kind.EARLY
    if other is not None and other in _earlier(legacy, pair[0], path, but=one):
        return Kind.STALE
    return Kind.EARLY if one is not None and one in _earlier(candidate, pair[1], path, but=other) else Kind.OTHER


def _is_current(run: Observation, reader: Activation, path: Path) -> bool | None:
    """Whether the reader saw what the last writer before it wrote; true where nobody was seen to write.

    None where it saw what no single activation gave: a reducer adds writes up, and then none of them is the value.
    """
    wrote = writer(run, path, None, reader)
    seen = reader.saw.parts.get(path)
    if wrote is None or written(wrote, path) == seen:
        return True
    given = {written(item, path) for item in run.activations if item.before(reader)}
    return False if seen in given or seen in _earlier(run, reader, path, but=None) else None


def _earlier(run: Observation, reader: Activation, path: Path, *, but: str | None) -> set[str]:
    """The values that a place had before the reader began, other than `but`."""
    values = {item.saw.parts.get(path) for item in run.activations if item.begin < reader.begin}
    written = (item.returned for item in run.activations if item.before(reader) and item.returned is not None)
    values.update(value.parts.get(path[-1:]) for value in written)
    return {value for value in values if value is not None and value != but}


def cause_of(legacy: Observation, candidate: Observation, difference: InputDifference) -> str:
    """Who wrote what is missing or old, where it stood in the other run, and the join that explains it."""
    backwards = difference.kind is Kind.EARLY
    there, here = (candidate, legacy) if backwards else (legacy, candidate)
    reader_there, reader_here = (
        (difference.candidate, difference.legacy) if backwards else (difference.legacy, difference.candidate)
    )
    told: list[str] = []
    for path in difference.paths:
        wrote = writer(there, path, reader_there.saw.parts.get(path), reader_there)
        if wrote is None:
            missing = _not_there(path, (there, here), (reader_there, reader_here))
            told.extend(standing(here, item, reader_here) for item in missing)
        elif _wrote_otherwise(here, wrote, reader_here, path):
            told.append(f"{wrote.node} wrote something else")
        else:
            told.append(standing(here, wrote, reader_here))
    side = "legacy engine" if backwards else "candidate"
    parts = list(dict.fromkeys(told))[:3]
    first = [f"under the {side}, {'; '.join(parts)}"] if parts else []
    join = uneven_join(legacy.shape, difference.legacy.node) if difference.kind is not Kind.OTHER else None
    changed = _changed_in_place(legacy, candidate, difference)
    return "; ".join([*first, *([join] if join else []), *([changed] if changed else [])]) or _unknown(
        legacy, candidate, difference
    )


def _wrote_otherwise(run: Observation, wrote: Activation, reader: Activation, path: Path) -> bool:
    """Whether what the reader saw is what the same activation of the writer gave in this run."""
    shown = reader.saw.parts.get(path)
    seen = writer(run, path, shown, reader) if shown is not None else None
    return seen is not None and (seen.node, seen.ordinal) == (wrote.node, wrote.ordinal)


def _not_there(
    path: Path, runs: tuple[Observation, Observation], readers: tuple[Activation, Activation]
) -> list[Activation]:
    """Where writes add up: those that the first run has before its reader, and the second not before its own."""
    there, here = runs
    wrote = [item for item in there.activations if written(item, path) is not None and item.before(readers[0])]
    return [item for item in wrote if not any(one.before(readers[1]) for one in here.by_node.get(item.node, ()))]


def _changed_in_place(legacy: Observation, candidate: Observation, difference: InputDifference) -> str | None:
    keys = {path[-1] for path in difference.paths if path}
    for run in (legacy, candidate):
        for item in run.activations:
            if any(place.split(".")[-1] in keys for place in item.mutated):
                return f"{item.node} changes its input in place"
    return None


def _unknown(legacy: Observation, candidate: Observation, difference: InputDifference) -> str:
    if all(path == ("iteration",) for path in difference.paths):
        return "the engines number its turns otherwise"
    untapped = (legacy.untapped | candidate.untapped) - {difference.legacy.node}
    named = dict.fromkeys(path[1] for path in difference.paths if path[:1] == ("results",) and path[1:2])
    results = [name for name in named if name in untapped]
    if results:
        return f"what it sees of {as_text(results)} differs, whose activations no tap saw"
    before = (item for run in (legacy, candidate) for item in run.activations)
    readers = (difference.legacy, difference.candidate)
    if not any(item.before(reader) for item in before for reader in readers):
        return "no node had run before it: the engines themselves give it another input"
    if difference.kind is Kind.OTHER:
        return "no activation that was seen gave either value: what is before it, or the engine itself, makes it"
    return "no activation that was seen wrote it: it comes from the engine itself or from an untapped node"


def shown(difference: InputDifference, activation: Activation) -> str:
    """The values of one side at the places that differ, on one line."""
    told: list[str] = []
    for path in difference.paths[:3]:
        known = activation.saw.kept
        value = shorten(activation.saw.at(path)) if known else (activation.saw.parts.get(path) or "absent")[:10]
        absent = bool(path) and path not in activation.saw.parts
        told.append(f"{'.'.join(path) or 'input'} {'absent' if absent else '= ' + value}")
    more = len(difference.paths) - 3
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")
