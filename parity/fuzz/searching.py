"""The search: draw workflows until two engines differ on one, then shrink it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..divergence import Divergence
from ..engine import Engine
from ..gate import MakePool, judge_cases
from ..observation import Side
from ..rule import Rule
from ..running import InProcess
from .draft import Draft
from .shrinking import MOST, shrink

HANGS = 10
"""How many smaller workflows are tried for one that hangs."""


@dataclass(frozen=True)
class Counterexample:
    """The smallest workflow that was found, and in what the engines differ on it."""

    draft: Draft
    divergences: tuple[Divergence, ...]


def differences(
    engines: Mapping[Side, Engine], rules: Sequence[Rule], draft: Draft, pool: MakePool = InProcess
) -> tuple[Divergence, ...]:
    """In what the engines differ on one workflow; `pool` says how it is run (by default in this process)."""
    case = draft.case()
    (judged,) = judge_cases([case], rules, pool(engines, {case.id: case}))
    return _told(judged.divergences)


def search(
    engines: Mapping[Side, Engine],
    rules: Sequence[Rule],
    *,
    examples: int = 100,
    seed: int = 0,
    drafts: Any = None,
    pool: MakePool = InProcess,
    together: tuple[MakePool, int] | None = None,
) -> Counterexample | None:
    """Draw up to `examples` workflows; the first on which the engines differ, shrunk, or None.

    `drafts` is a hypothesis strategy of drafts (by default both styles). The same seed draws the same workflows. `pool` says how
    one of them is run, `together` how so many at once are, where that is cheaper.
    """
    make, size = together or (pool, 1)
    drawn = draw(examples, seed, drafts)
    for start in range(0, len(drawn), size):
        found = _first(engines, rules, drawn[start : start + size], make)
        if found is not None:
            return _shrunk(engines, rules, found, pool)
    return None


def draw(examples: int, seed: int = 0, drafts: Any = None) -> list[Draft]:
    """So many drawn workflows of both styles, or of a strategy; the same for the same seed."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from .workflows import drafts as both_styles

    drawn: list[Draft] = []
    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrunk by structure, which ends with less in fewer runs
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )

    def keep(draft: Draft) -> None:
        drawn.append(draft)

    seeded(seed)(quiet(given(drafts if drafts is not None else both_styles())(keep)))()
    return drawn


def _first(
    engines: Mapping[Side, Engine], rules: Sequence[Rule], drafts: Sequence[Draft], make: MakePool
) -> Counterexample | None:
    """The first draft on which the engines differ, by the order in which they were drawn; the rest is left then."""
    cases = {f"fuzz-{number:06}": draft for number, draft in enumerate(drafts)}
    by_id = {name: draft.case(name) for name, draft in cases.items()}
    judging = judge_cases(list(by_id.values()), rules, make(engines, by_id))
    pending, differing = set(by_id), dict[str, tuple[Divergence, ...]]()
    with contextlib.closing(judging):
        for judged in judging:
            pending.discard(judged.case)
            if found := _told(judged.divergences):
                differing[judged.case] = found
            if differing and min(differing) < min(pending, default="~"):
                break
    return Counterexample(cases[min(differing)], differing[min(differing)]) if differing else None


def _told(divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
    # A drawn workflow that both engines refuse is agreement; only a case that people wrote has to run.
    return tuple(item for item in divergences if item.rule != "GL204")


def _shrunk(
    engines: Mapping[Side, Engine], rules: Sequence[Rule], found: Counterexample, pool: MakePool
) -> Counterexample:
    """The same divergence on a smaller workflow: shrinking must not slip into another one."""
    rule = found.divergences[0].rule

    def differs(draft: Draft) -> bool:
        return any(item.rule == rule for item in differences(engines, rules, draft, pool))

    # Each smaller workflow that still hangs costs the whole time limit.
    draft = shrink(found.draft, differs, HANGS if rule == "GL202" else MOST)
    return Counterexample(draft, differences(engines, rules, draft, pool))
