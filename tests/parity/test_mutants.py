"""The gate measured: candidates that are wrong in one known way each, and the rules that see them."""

from __future__ import annotations

import statistics

import pytest

from graphlift.parity.engine import Engine
from graphlift.parity.engines import CompiledEngine, ReferenceEngine
from graphlift.parity.fuzz.searching import differences, search
from graphlift.parity.mutants import MUTANTS, Killed, Mutant, kill_rate, measure
from graphlift.parity.mutants.killing import corpus
from graphlift.parity.observation import Side
from graphlift.parity.rules import builtin_rules

RULES = builtin_rules()
BY_ID = {mutant.id: mutant for mutant in MUTANTS}


def engines(mutant: Mutant) -> dict[Side, Engine]:
    return {"legacy": ReferenceEngine(), "candidate": mutant}


def test_there_are_many_and_each_is_described() -> None:
    assert len(MUTANTS) >= 25
    assert len(BY_ID) == len(MUTANTS)
    assert all(mutant.summary for mutant in MUTANTS)


@pytest.mark.slow
def test_the_gate_sees_at_least_95_of_100() -> None:
    fates = measure(MUTANTS, RULES, corpus(100, seed=1))
    assert kill_rate(fates) >= 0.95, [fate.mutant for fate in fates if fate.survives]


@pytest.mark.slow
def test_counterexamples_of_mutants_are_small() -> None:
    some = MUTANTS[::4]  # shrinking is slow; by hand all of them hold
    found = [search(engines(mutant), RULES, examples=100, seed=3) for mutant in some]
    sizes = [one.draft.size for one in found if one is not None]
    assert len(sizes) >= 0.8 * len(some)
    assert statistics.median(sizes) <= 6, sorted(sizes)


@pytest.mark.parametrize(
    ("mutant", "rule"),
    [
        ("run-twice", "GL101"),
        ("always-success", "GL141"),
        ("run-dependents", "GL143"),
        ("loop-more", "GL104"),
        ("never-skip", "GL103"),
        ("no-skipped", "GL131"),
        ("skip-reason", "GL132"),
        ("turn-merge", "GL153"),
    ],
)
def test_a_mutant_is_seen_by_the_rule_that_is_about_it(mutant: str, rule: str) -> None:
    (fate,) = measure([BY_ID[mutant]], RULES, corpus(20, seed=1))
    assert rule in fate.rules


def test_without_a_change_nothing_is_seen() -> None:
    engines = {"legacy": ReferenceEngine(), "candidate": CompiledEngine()}
    assert [found for draft in corpus(15, seed=1) for found in differences(engines, RULES, draft)] == []


def test_one_seed_gives_one_corpus() -> None:
    assert corpus(5, seed=3) == corpus(5, seed=3)
    assert corpus(5, seed=3) != corpus(5, seed=4)


def test_a_mutant_that_no_workflow_shows_survives() -> None:
    fates = measure([BY_ID["run-twice"]], RULES, [])
    assert fates == [Killed("run-twice", BY_ID["run-twice"].summary)]
    assert (fates[0].survives, kill_rate(fates)) == (True, 0.0)
