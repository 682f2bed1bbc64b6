"""Run one engine on one case in this process, and write everything that is seen to a journal.

Nothing that the engine or a handler raises comes out of here: it is part of what is seen.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..adapters.errors import GraphliftError
from .cassette import Tape
from .loaded import loaded_files
from .observation import (
    JournalReader,
    Observation,
    RecordedEnd,
    RecordedEvent,
    RecordedOutcome,
    RecordedWait,
    outcome_to_json,
)
from .outcome import UNSEEN, Outcome, Waiting
from .plain import error_text, without_addresses
from .recorded import Value, record
from .replacing import Replacing
from .schedule import Chance, SeededTurns, Untouched
from .tap import Journal, Tap

if TYPE_CHECKING:
    from .case import Case
    from .engine import Engine


def observe(engine: Engine, case: Case, schedule: int = 0, tape: Tape | None = None) -> Observation:
    """Run it here, without isolation. `schedule` picks the order in which overlapping activations complete."""
    lines: list[dict[str, Any]] = []
    write_journal(engine, case, lines.append, schedule, tape)
    return JournalReader(engine.side, engine.name).read(lines).observation()


def write_journal(
    engine: Engine, case: Case, journal: Journal, schedule: int | None = 0, tape: Tape | None = None
) -> None:
    """Run the engine; the last line says what was seen of it as a whole.

    Without a schedule nothing is arranged: the order is what it happens to be, and the process's `random` is left alone.
    """
    chance = Untouched() if schedule is None else Chance(schedule)
    turns = None if schedule is None else SeededTurns(schedule)
    replacing, before = Replacing.of(case, tape or Tape(), journal), frozenset(sys.modules)
    tap = Tap(journal, turns=turns, replacement=replacing, normalise=case.normalise)
    try:
        with case.opened() as handlers:
            tap.handlers = tap.registry(handlers)
            tap.wrapped = 0  # an engine may leave these alone; what it wraps itself counts, and what runs
            with chance:
                outcome = _run(engine, case, tap)
        opaque: set[str] = set()
        recorded = recorded_outcome(outcome, case.normalise, opaque)
        journal({"on": "outcome", "outcome": outcome_to_json(recorded), "opaque": sorted(opaque)})
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # user code's SystemExit and CancelledError too: this run ends, not the gate
        kind = "raised" if tap.activated else "refused"
        journal({"on": "broken", "kind": kind, "error": _told(error)})
    tap.close()
    misses = list(replacing.misses) if replacing else []
    journal(
        {
            "on": "seen",
            "wrapped": tap.wrapped or int(tap.activated),
            # Both are told apart by a second schedule.
            "overlapped": tap.overlapped or chance.drawn,
            "misses": misses,
            "loaded": loaded_files(besides=before),
        }
    )


def _told(error: BaseException) -> str:
    # The mend of graphlift's own errors speaks to a person, and is no part of what callers see differ.
    return f"{type(error).__name__}: {error.message}" if isinstance(error, GraphliftError) else error_text(error)


def _run(engine: Engine, case: Case, tap: Tap) -> Outcome:
    result: Any = engine.run(case, tap)
    if inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    if not isinstance(result, Outcome):
        raise TypeError(f"engine {engine.name!r} returned {type(result).__name__}, not an Outcome")
    return result


async def _awaited(result: Any) -> Any:
    return await result


def recorded_outcome(
    outcome: Outcome, normalise: Callable[[Any], Any] | None = None, opaque: set[str] | None = None
) -> RecordedOutcome:
    """The outcome with every value recorded; `opaque` collects the types that could only be told by name."""

    def kept(value: Any) -> Value:
        return record(value if normalise is None else normalise(value), opaque)

    def ends(nodes: Mapping[str, Any]) -> dict[str, RecordedEnd]:
        return {
            name: RecordedEnd(
                end.status,
                None if end.output is UNSEEN else kept(end.output),
                end.error and without_addresses(end.error),
                end.runs,
                end.reason,
            )
            for name, end in nodes.items()
        }

    pause, events, saved = outcome.interrupt, outcome.events, outcome.checkpoints
    data = outcome.data
    if data is not None:
        data = dict(data) if normalise is None else normalise(dict(data))
    return RecordedOutcome(
        outcome.success,
        None if data is None else {_key(key): record(value, opaque) for key, value in data.items()},
        None if outcome.nodes is None else ends(outcome.nodes),
        outcome.error and without_addresses(outcome.error),
        None if pause is None else (pause.node, kept(pause.payload)),
        None if events is None else tuple(RecordedEvent(e.kind, e.node, kept(e.data)) for e in events),
        None if saved is None else tuple(map(kept, saved)),
        None if outcome.waiting is None else tuple(_waits(edge) for edge in outcome.waiting),
    )


def _key(key: object) -> str:
    """A key of the final data; one that is no text is never taken for the text that looks the same."""
    return key if isinstance(key, str) else f"{key!r} ({type(key).__name__})"


def _waits(edge: Waiting) -> RecordedWait:
    return RecordedWait(edge.target, tuple(sorted(edge.arrived)), tuple(sorted(edge.missing)))
