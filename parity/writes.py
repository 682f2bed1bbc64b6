"""Who wrote a key of the shared data, and whether the final state has what the last writer wrote.

A write is a key of a mapping that an activation returned: what engines merge into shared data.
"""

from __future__ import annotations

from dataclasses import dataclass

from .observation import Activation, Observation, Side
from .recorded import Value


@dataclass(frozen=True)
class Loss:
    """A write that is gone: who wrote it, under which engine it is lost, and the sentence that says so."""

    writer: Activation
    side: Side
    cause: str


def final(run: Observation, key: str) -> Value | None:
    """A key's value in the final state."""
    data = run.outcome.data if run.outcome else None
    return None if data is None else data.get(key)


def keys_that_differ(legacy: Observation, candidate: Observation) -> tuple[str, ...]:
    """The keys at which the final states differ, sorted; none where one engine shows no final state."""
    one = legacy.outcome.data if legacy.outcome else None
    other = candidate.outcome.data if candidate.outcome else None
    if one is None or other is None:
        return ()

    def digest(values: object, key: str) -> str | None:
        assert isinstance(values, dict)
        return values[key].digest if key in values else None

    return tuple(sorted(key for key in {*one, *other} if digest(one, key) != digest(other, key)))


def writers(run: Observation, key: str) -> tuple[Activation, ...]:
    """The activations that returned a key with another value than they saw there, by their end."""
    wrote = [item for item in _returned(run, key) if _wrote(item, key) != item.saw.parts.get(("data", key))]
    return tuple(sorted(wrote, key=lambda item: item.end or 0))


def _returned(run: Observation, key: str) -> list[Activation]:
    """The activations that returned a key, a copy of what they saw included."""
    return [item for item in run.activations if item.returned is not None and (key,) in item.returned.parts]


def loss(legacy: Observation, candidate: Observation, key: str) -> Loss | None:
    """The write to a key that is lost under one engine; None when the final state has a last writer's value."""
    for run, other in ((candidate, legacy), (legacy, candidate)):
        if run.succeeded is False:
            continue  # what a failed group or run does not apply is not lost
        found = writers(run, key)
        last = [item for item in found if not any(item.before(later) for later in found)]
        value = final(run, key)
        told = None if value is None else value.digest
        if not last or any(_wrote(item, key) == told for item in last):
            continue
        kept = final(other, key)
        if kept is None or all(_wrote(item, key) != kept.digest for item in last):
            continue  # the other engine does not have it either, so it is not a loss of this one
        older = [item.node for item in found if item not in last and _wrote(item, key) == told]
        if value is not None and not older and not _was_there(run, key, value.digest, last[-1]):
            continue  # neither what was written nor an older value: the engine changed it, and that is another rule's
        instead = f"the older value of {older[-1]}" if older else "the value from before" if value else "nothing"
        cause = f"{last[-1].node} wrote {key} last, but the {run.side} engine ends with {instead}"
        return Loss(last[-1], run.side, cause + _copies(run, last[-1], key, told))
    return None


def _was_there(run: Observation, key: str, digest: str, lost: Activation) -> bool:
    """Whether somebody saw this value under the key before the lost writer had ended, or gave it back."""
    seen = (item for item in run.activations if lost.end is None or item.begin < lost.end)
    return any(part == digest for item in seen for path, part in item.saw.parts.items() if path[-1:] == (key,))


def _copies(run: Observation, lost: Activation, key: str, kept: str | None) -> str:
    """Who ran beside the lost writer and gave back the old value."""
    beside = [item for item in run.activations if not item.before(lost) and not lost.before(item) and item != lost]
    copied = [item.node for item in beside if kept is not None and _wrote(item, key) == kept]
    if copied:
        return f"; {copied[0]} ran beside it and gave the old value back"
    return f"; {beside[0].node} ran beside it and may have given back a whole old copy" if beside else ""


def _wrote(item: Activation, key: str) -> str | None:
    return item.returned.parts.get((key,)) if item.returned is not None else None


def turned_writers(legacy: Observation, candidate: Observation, key: str) -> tuple[Activation, Activation] | None:
    """The two writers of a key whose values the engines keep: the legacy engine's, and the candidate's."""
    one, other = final(legacy, key), final(candidate, key)
    if one is None or other is None:
        return None
    kept = [item for item in writers(legacy, key) if _wrote(item, key) == one.digest]
    instead = [item for item in writers(candidate, key) if _wrote(item, key) == other.digest]
    if not kept or not instead or kept[-1].node == instead[-1].node:
        return None
    both = {item.node for item in writers(candidate, key)}, {item.node for item in writers(legacy, key)}
    return (kept[-1], instead[-1]) if kept[-1].node in both[0] and instead[-1].node in both[1] else None
