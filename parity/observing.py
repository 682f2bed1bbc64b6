"""Run one engine on one case in this process, and write everything that is seen to a journal.

Nothing that the engine or a handler raises comes out of here: it is part of what is seen.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..adapters.errors import GraphliftError
from .cassette import Tape
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
from .recorded import record
from .replacing import Replacing
from .schedule import SeededTurns
from .tap import Journal, Tap

if TYPE_CHECKING:
    from .case import Case
    from .engine import Engine


def observe(engine: Engine, case: Case, schedule: int = 0, tape: Tape | None = None) -> Observation:
    """Run it here, without isolation. `schedule` picks the order in which overlapping activations complete."""
    lines: list[dict[str, Any]] = []
    write_journal(engine, case, lines.append, schedule, tape)
    return JournalReader(engine.side, engine.name).read(lines).observation()


def write_journal(engine: Engine, case: Case, journal: Journal, schedule: int = 0, tape: Tape | None = None) -> None:
    """Run the engine; the last line says what was seen of it as a whole."""
    replacing = Replacing.of(case, tape or Tape(), journal)
    tap = Tap(journal, turns=SeededTurns(schedule), replacement=replacing, normalise=case.normalise)
    try:
        with case.opened() as handlers:
            tap.handlers = tap.registry(handlers)
            tap.wrapped = 0  # an engine may leave these alone; what it wraps itself counts, and what runs
            outcome = _run(engine, case, tap)
        journal({"on": "outcome", "outcome": outcome_to_json(recorded_outcome(outcome, case.normalise))})
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # user code's SystemExit and CancelledError too: this run ends, not the gate
        kind = "raised" if tap.activated else "refused"
        journal({"on": "broken", "kind": kind, "error": _told(error)})
    misses = list(replacing.misses) if replacing else []
    journal(
        {"on": "seen", "wrapped": tap.wrapped or int(tap.activated), "overlapped": tap.overlapped, "misses": misses}
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


def recorded_outcome(outcome: Outcome, normalise: Callable[[Any], Any] | None = None) -> RecordedOutcome:
    """The outcome with every value recorded."""
    tidy = normalise or (lambda value: value)

    def ends(nodes: Mapping[str, Any]) -> dict[str, RecordedEnd]:
        return {
            name: RecordedEnd(
                end.status,
                None if end.output is UNSEEN else record(tidy(end.output)),
                end.error and without_addresses(end.error),
                end.runs,
                end.reason,
            )
            for name, end in nodes.items()
        }

    pause, events, saved = outcome.interrupt, outcome.events, outcome.checkpoints
    data = None if outcome.data is None else tidy(dict(outcome.data))
    return RecordedOutcome(
        outcome.success,
        None if data is None else {str(key): record(value) for key, value in data.items()},
        None if outcome.nodes is None else ends(outcome.nodes),
        outcome.error and without_addresses(outcome.error),
        None if pause is None else (pause.node, record(tidy(pause.payload))),
        None if events is None else tuple(RecordedEvent(e.kind, e.node, record(tidy(e.data))) for e in events),
        None if saved is None else tuple(record(tidy(item)) for item in saved),
        None if outcome.waiting is None else tuple(_waits(edge) for edge in outcome.waiting),
    )


def _waits(edge: Waiting) -> RecordedWait:
    return RecordedWait(edge.target, tuple(sorted(edge.arrived)), tuple(sorted(edge.missing)))
