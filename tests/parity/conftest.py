"""What the tests of the gate share: run one rule over two hand-written engines and show what it found, as plain tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from graphlift.parity import Case, Divergence, observe
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.judging import check as compare
from graphlift.parity.rules import builtin_rules
from graphlift.parity.shape import shape_of

Run = Callable[[Any], Any]
Found = tuple[str | None, str, str, str]
Check = Callable[..., list[Found]]


class Handlers:
    """The tapped handlers as methods: `h.d({"x": 1})`. A handler that is not named returns what it was given."""

    def __init__(self, handlers: Mapping[str, Callable[..., Any]]) -> None:
        self._handlers = handlers

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self._handlers[name]


def engine(side: Any, run: Run) -> OutcomeEngine:
    def call(case: Case, handlers: dict[str, Callable[..., Any]]) -> Any:
        return run(Handlers(handlers)) or {"success": True}

    return OutcomeEngine(side, side, call)


@pytest.fixture
def divergences() -> Callable[..., list[Divergence]]:
    """`divergences(rule, legacy, candidate, **handlers)`: run both engines and apply one rule."""

    def run(
        rule: str, legacy: Run, candidate: Run, definition: Any = None, **handlers: Callable[..., Any]
    ) -> list[Divergence]:
        named = {**{name: lambda data=None: data for name in "abcdexyz"}, **handlers}
        edges = definition if isinstance(definition, dict) else None
        case = Case("case", "flow", None if edges else definition, handlers=named, edges=edges)
        pair = [
            replace(observe(engine(side, run), case), shape=shape_of(case))
            for side, run in (("legacy", legacy), ("candidate", candidate))
        ]
        return compare([item for item in builtin_rules() if item.id == rule], pair[0], pair[1])

    return run


@pytest.fixture
def check(divergences: Callable[..., list[Divergence]]) -> Check:
    """The same as tuples: node, legacy, candidate, cause."""

    def run(*args: Any, **kwargs: Any) -> list[Found]:
        return [(item.node, item.legacy, item.candidate, item.cause) for item in divergences(*args, **kwargs)]

    return run
