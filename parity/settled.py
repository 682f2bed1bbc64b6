"""A case whose stubs and recorded answers are part of its handlers: what its nodes answer then needs no name to be found by.

For runs of the same case under other names (see `metamorphic`): a cassette finds answers by node and input, which change with
the names. Handlers are taken to be functions of a `NodeView`.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..adapters.views import NodeView
from .case import Case, Handlers
from .cassette import Answer, CassetteMissError
from .globs import matches
from .recorded import record
from .seeing import view_content
from .stubs import answer_of

Place = tuple[str, int, str]


def settled(case: Case, answers: Iterable[Answer] = ()) -> Case:
    """The case without stubs and recorded nodes; what they answer is in its handlers, which are opened for each run."""
    if not case.stubs and not case.recorded:
        return case
    known = {(item.node, item.activation, item.saw): item for item in answers}

    @contextmanager
    def opened() -> Iterator[Handlers]:
        replay = _Replay(case, known)
        with case.opened() as handlers:
            yield {name: replay.around(handler) for name, handler in handlers.items()}

    return replace(case, handlers=opened, stubs={}, recorded=())


@dataclass
class _Replay:
    """The answers of one run."""

    case: Case
    known: Mapping[Place, Answer]
    turns: Counter[str] = field(default_factory=Counter)

    def around(self, handler: Any) -> Any:
        """The handler, answered for where the case says so."""
        if inspect.iscoroutinefunction(handler):

            async def later(view: NodeView) -> Any:
                answer = self.answer(view)
                return answer() if answer else await handler(view)

            return later

        def call(view: NodeView) -> Any:
            answer = self.answer(view)
            return answer() if answer else handler(view)

        return call

    def answer(self, view: NodeView) -> Callable[[], Any] | None:
        turn, self.turns[view.node] = self.turns[view.node], self.turns[view.node] + 1
        stub = self.case.stubs.get(view.node, self.case.stubs.get("*"))
        recorded = any(matches(pattern, view.node) for pattern in self.case.recorded)
        if stub is None and not recorded:
            return None
        seen = view_content(view)
        saw = record(self.case.normalise(seen) if self.case.normalise else seen)
        if stub is not None:
            return lambda: answer_of(stub, view.node, saw, seen)
        found = self.known.get((view.node, turn, saw.digest))
        return found.give if found else lambda: _refuse(view.node, turn)


def _refuse(node: str, turn: int) -> Any:
    raise CassetteMissError(f"no recording of activation {turn + 1} of {node} with this input")
