"""An engine against itself never raises an alarm: not on random workflows, not under schedules that turn every order round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from graphlift.parity import observe
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.fuzz import Draft
from graphlift.parity.fuzz.workflows import drafts
from graphlift.parity.judging import Judged, judge_case
from graphlift.parity.rules import builtin_rules
from graphlift.parity.shape import shape_of

RULES = builtin_rules()
ENGINES = [ReferenceEngine(), CompiledEngine(), CompiledEngine(mode="async")]
names = pytest.mark.parametrize("engine", ENGINES, ids=["reference", "compiled", "compiled-async"])
options: Any = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def against_itself(engine: Any, draft: Draft) -> Judged:
    """Both sides under both schedules, whether or not anything overlapped."""
    case = draft.case()
    shape = shape_of(case)
    sides: Any = {"legacy": replace(engine, side="legacy"), "candidate": replace(engine, side="candidate")}
    runs = {
        side: [replace(observe(one, case, schedule), shape=shape) for schedule in (0, 1)] for side, one in sides.items()
    }
    return judge_case(case.id, RULES, runs)


@names
@given(draft=drafts())
@settings(max_examples=25, **options)
def test_no_alarm(engine: Any, draft: Draft) -> None:
    assert against_itself(engine, draft).divergences == ()


@pytest.mark.slow
@names
@given(draft=drafts())
@settings(max_examples=340, **options)
def test_no_alarm_on_many(engine: Any, draft: Draft) -> None:
    assert against_itself(engine, draft).divergences == ()
