"""What answers in a handler's place during one run: a case's stubs first, then a cassette; else the handler itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .cassette import Answer, CassetteMissError, Key, Mode, Tape, answered
from .globs import matches
from .stubs import answer_of

if TYPE_CHECKING:
    from .case import Case
    from .recorded import Value
    from .tap import Journal


@dataclass
class Replacing:
    """The replacements of one run. `misses` are activations, as `node#2`, for which the cassette had nothing."""

    case: Case
    mode: Mode
    answers: Mapping[Key, Answer]
    journal: Journal
    misses: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, case: Case, tape: Tape, journal: Journal) -> Replacing | None:
        """The replacements that a case asks for, None when it asks for none."""
        if not case.stubs and not case.recorded:
            return None
        return cls(case, tape.mode, {answer.key: answer for answer in tape.answers}, journal)

    def answer(self, node: str, ordinal: int, saw: Value, seen: Any) -> Callable[[], Any] | None:
        """See `tap.Replacement`."""
        stub = self.case.stubs.get(node, self.case.stubs.get("*"))
        if stub is not None:
            return lambda: answer_of(stub, node, saw, seen)
        if not self._is_recorded(node) or self.mode == "all":
            return None
        found = self.answers.get((self.case.id, node, ordinal, saw.digest))
        if found is not None and (self.mode == "none" or not found.lost):
            if found.lost:
                self.misses.append(f"{node}#{ordinal + 1}")
            return found.give
        return self._miss(node, ordinal) if self.mode == "none" else None

    def note(self, node: str, ordinal: int, saw: Value, returned: Any, raised: BaseException | None) -> None:
        """See `tap.Replacement`."""
        if self._is_recorded(node) and node not in self.case.stubs:
            answer = answered((self.case.id, node, ordinal), saw, returned, raised)
            self.journal({"on": "recorded", "answer": answer.to_json()})

    def _is_recorded(self, node: str) -> bool:
        return any(matches(pattern, node) for pattern in self.case.recorded)

    def _miss(self, node: str, ordinal: int) -> Callable[[], Any]:
        self.misses.append(f"{node}#{ordinal + 1}")

        def refuse() -> Any:
            raise CassetteMissError(f"no recording of activation {ordinal + 1} of {node} with this input")

        return refuse
