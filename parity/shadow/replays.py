"""How the candidate replays one recorded run, and what is made of it. On the threads of the mirror, never on a caller's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..case import Case
from ..cassette import Tape
from ..engine import Engine
from ..judging import Judged, judge_case
from ..observation import Broken, JournalReader, Observation
from ..observing import write_journal
from ..rule import Rule
from ..shape import shape_of
from ..traces import CaseTrace
from ..tracing import trace_case
from .budget import Breaker, Left
from .recording import Served
from .sinks import Sighting
from .traffic import Traffic

MOST_KINDS = 1_000
"""Sightings that come with a trace."""


class Replays:
    """The candidate, the rules and the time that one replay may take."""

    def __init__(
        self, candidate: Engine, rules: Sequence[Rule] | None, seconds: float, breaker: Breaker, traffic: Traffic
    ) -> None:
        self._candidate, self._rules, self._seconds = candidate, rules, seconds
        self._breaker, self._traffic = breaker, traffic
        self._told: set[Any] = set()

    def sighting(self, case: Case, served: Served) -> Sighting:
        """Replay and compare; what the candidate raises is part of what is seen."""
        shape = shape_of(case)
        give_way = self._traffic.turn(self._seconds / 2)
        give_way()
        legacy = replace(served.observation(case.normalise or _as_it_is, give_way), shape=shape)
        candidate = replace(self._replay(case, served, give_way), shape=shape)
        give_way()
        judged = judge_case(case.id, self._all_rules(), {"legacy": [legacy], "candidate": [candidate]})
        hung = candidate.broken.error if candidate.broken and candidate.broken.kind == "timeout" else None
        return Sighting(case.id, case.name, judged.divergences, hung, self._trace(judged))

    def _trace(self, judged: Judged) -> CaseTrace | None:
        """How both runs went, for the first sighting of its kind: production shows the same one again and again."""
        kind = (judged.case, tuple(item.place for item in judged.divergences))
        if judged.runs is None or not judged.divergences or kind in self._told or len(self._told) >= MOST_KINDS:
            return None
        self._told.add(kind)
        return trace_case(judged.case, judged.divergences, *judged.runs)

    def _replay(self, case: Case, served: Served, give_way: Callable[[], None]) -> Observation:
        """Run the candidate with recorded answers, on one more thread, so that one that hangs is left behind."""
        seen: list[Observation] = []
        replayed = replace(case, recorded=("*",))
        tape = Tape("none", tuple(served.tap.answers(case.id, case.normalise or _as_it_is)))

        left = Left(self._breaker)

        def run() -> None:
            try:
                seen.append(self._observed(replayed, tape, give_way))
            except BaseException as error:
                seen.append(self._broken("raised", repr(error)))
            finally:
                left.ends()

        thread = threading.Thread(target=run, name="graphlift-shadow-run", daemon=True)
        thread.start()
        thread.join(self._seconds)
        if seen:
            return seen[0]
        left.begins()
        return self._broken("timeout", f"did not end within {self._seconds:g} s")

    def _observed(self, case: Case, tape: Tape, give_way: Callable[[], None]) -> Observation:
        reader = JournalReader("candidate", self._candidate.name)

        def journal(line: dict[str, Any]) -> None:
            reader.read([line])
            give_way()

        write_journal(self._candidate, case, journal, None, tape)
        return reader.observation()

    def _broken(self, kind: Any, error: str) -> Observation:
        return Observation("candidate", self._candidate.name, broken=Broken(kind, error))

    def _all_rules(self) -> Sequence[Rule]:
        if self._rules is None:
            from ..rules import builtin_rules

            self._rules = builtin_rules()
        return self._rules


def _as_it_is(value: Any) -> Any:
    return value
