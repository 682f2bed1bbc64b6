"""A case whose stubs and recorded answers are part of its handlers: what its nodes answer then needs no name to be found by.

For runs of the same case under other names (see `metamorphic`): a cassette finds answers by node and input, which change with
the names.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from .case import Case, Handlers
from .cassette import Answer, CassetteMissError
from .globs import matches
from .recorded import record
from .seeing import default_sees, node_of_view
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
            yield {name: replay.around(name, handler) for name, handler in handlers.items()}

    return replace(case, handlers=opened, stubs={}, recorded=())


@dataclass
class _Replay:
    """The answers of one run."""

    case: Case
    known: Mapping[Place, Answer]
    turns: Counter[str] = field(default_factory=Counter)

    def around(self, name: str, handler: Any) -> Any:
        """The handler, answered for where the case says so."""
        if inspect.iscoroutinefunction(handler):

            async def later(*args: Any, **kwargs: Any) -> Any:
                answer = self.answer(node_of_view(name, *args), default_sees(args, kwargs))
                return answer() if answer else await handler(*args, **kwargs)

            return later

        def call(*args: Any, **kwargs: Any) -> Any:
            answer = self.answer(node_of_view(name, *args), default_sees(args, kwargs))
            return answer() if answer else handler(*args, **kwargs)

        return call

    def answer(self, node: str, seen: Any) -> Callable[[], Any] | None:
        turn, self.turns[node] = self.turns[node], self.turns[node] + 1
        stub = self.case.stubs.get(node, self.case.stubs.get("*"))
        recorded = any(matches(pattern, node) for pattern in self.case.recorded)
        if stub is None and not recorded:
            return None
        saw = record(self.case.normalise(seen) if self.case.normalise else seen)
        if stub is not None:
            return lambda: answer_of(stub, node, saw, seen)
        found = self.known.get((node, turn, saw.digest))
        return found.give if found else lambda: _refuse(node, turn)


def _refuse(node: str, turn: int) -> Any:
    raise CassetteMissError(f"no recording of activation {turn + 1} of {node} with this input")
