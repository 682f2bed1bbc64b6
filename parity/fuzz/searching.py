"""The search: draw workflows until two engines differ on one, then shrink it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..divergence import Divergence
from ..engine import Engine
from ..gate import judge_cases
from ..observation import Side
from ..rule import Rule
from ..running import InProcess
from .draft import Draft
from .shrinking import shrink


@dataclass(frozen=True)
class Counterexample:
    """The smallest workflow that was found, and in what the engines differ on it."""

    draft: Draft
    divergences: tuple[Divergence, ...]


def differences(engines: Mapping[Side, Engine], rules: Sequence[Rule], draft: Draft) -> tuple[Divergence, ...]:
    """In what the engines differ on one workflow, run in this process."""
    case = draft.case()
    (judged,) = judge_cases([case], rules, InProcess(engines, {case.id: case}))
    # A drawn workflow that both engines refuse is agreement; only a case that people wrote has to run.
    return tuple(item for item in judged.divergences if item.rule != "GL204")


def search(
    engines: Mapping[Side, Engine],
    rules: Sequence[Rule],
    *,
    examples: int = 100,
    seed: int = 0,
    drafts: Any = None,
    on_example: Callable[[], object] = lambda: None,
) -> Counterexample | None:
    """Draw up to `examples` workflows; the smallest on which the engines differ, or None.

    `drafts` is a hypothesis strategy of drafts (by default both styles). The same seed draws the same workflows. `on_example`
    is called for each.
    """
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from .workflows import drafts as both_styles

    smallest: list[Counterexample] = []

    def holds(draft: Draft) -> None:
        on_example()
        found = differences(engines, rules, draft)
        if found:
            smallest[:] = [Counterexample(draft, found)]
            raise Differs

    options = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrunk by structure, which ends with less in fewer runs
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        report_multiple_bugs=False,
    )
    with contextlib.suppress(Differs):
        seeded(seed)(options(given(drafts if drafts is not None else both_styles())(holds)))()
    return _shrunk(engines, rules, smallest[0]) if smallest else None


def _shrunk(engines: Mapping[Side, Engine], rules: Sequence[Rule], found: Counterexample) -> Counterexample:
    """The same divergence on a smaller workflow: shrinking must not slip into another one."""
    rule = found.divergences[0].rule

    def differs(draft: Draft) -> bool:
        return any(item.rule == rule for item in differences(engines, rules, draft))

    draft = shrink(found.draft, differs)
    return Counterexample(draft, differences(engines, rules, draft))


class Differs(AssertionError):  # noqa: N818  (how a property says no, never shown)
    """The engines differ on a drawn workflow."""
