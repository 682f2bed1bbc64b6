"""What answers in a handler's place during one run: a case's stubs first, then its cassette; else the handler itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .stubs import answer_of

if TYPE_CHECKING:
    from .case import Case
    from .recorded import Value


@dataclass
class Replacing:
    """The replacements of one run. `misses` are activations for which a cassette had nothing."""

    stubs: Mapping[str, Any]
    misses: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, case: Case) -> Replacing | None:
        """The replacements that a case asks for, None when it asks for none."""
        return cls(case.stubs) if case.stubs else None

    def answer(self, node: str, ordinal: int, saw: Value, seen: Any) -> Callable[[], Any] | None:
        """See `tap.Replacement`."""
        del ordinal
        stub = self.stubs.get(node, self.stubs.get("*"))
        return None if stub is None else lambda: answer_of(stub, node, saw, seen)

    def note(self, node: str, ordinal: int, saw: Value, returned: Any, raised: BaseException | None) -> None:
        """See `tap.Replacement`."""
