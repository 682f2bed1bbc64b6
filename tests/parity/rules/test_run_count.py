"""GL101, GL102, GL103: how often each node ran."""

from __future__ import annotations

from typing import Any

import pytest

EDGES = {"a": [], "b": ["a"], "x": ["b"], "d": ["a", "x"]}


def walk(names: str) -> Any:
    def run(h: Any) -> None:
        for name in names:
            getattr(h, name)()

    return run


def test_a_join_that_ran_twice_is_explained_by_its_depths_and_by_what_fired_it(check: Any) -> None:
    cause = (
        "under the candidate, uneven join: its sources are at depths a 0 and x 2; "
        "activation 1 began after a had ended; activation 2 began after x had ended"
    )
    found = check("GL101", walk("abxd"), walk("adbxd"), EDGES)
    assert found == [("d", "ran 1 time", "ran 2 times", cause)]


def test_without_a_graph_the_count_is_still_told(check: Any) -> None:
    assert check("GL101", walk("abd"), walk("adbd")) == [
        ("d", "ran 1 time", "ran 2 times", "under the candidate, d#2 saw the same as d#1, and b began in between")
    ]


def test_what_follows_a_node_that_ran_twice_names_it(check: Any) -> None:
    found = check("GL101", walk("ab"), walk("abab"), {"a": [], "b": ["a"]})
    assert found[1][3] == (
        "under the candidate, its source a ran 2 times; "
        "activation 1 began after a had ended; activation 2 began after a had ended"
    )


def test_retries_are_told_as_such(divergences: Any) -> None:
    answers = {"legacy": 1, "candidate": 2}

    def run(side: str) -> Any:
        def call(h: Any) -> None:
            for _ in range(answers[side]):
                try:
                    h.a()
                except ValueError:
                    continue

        return call

    def fail(data: Any = None) -> None:
        raise ValueError("busy")

    (found,) = divergences("GL101", run("legacy"), run("candidate"), a=fail)
    assert found.cause == "under the candidate, each activation after a failure is a retry: a#1 raised ValueError: busy"
    assert found.mend == "compare how both engines count attempts: all tries, or only those after the first"
    assert (found.node, found.activation) == ("a", 1)


@pytest.mark.parametrize("candidate", ["abd", "dba"])
def test_equal_counts_are_no_alarm(check: Any, candidate: str) -> None:
    for rule in ("GL101", "GL102", "GL103"):
        assert check(rule, walk("abd"), walk(candidate), EDGES) == []


def test_a_node_that_ran_under_the_legacy_engine_only(check: Any) -> None:
    found = check("GL102", walk("abd"), walk("ab"), {"d": ["b", "c"]})
    cause = "a join that never released: b had ended, c never ran"
    assert found == [("d", "ran 1 time", "never ran", cause)]
    assert check("GL101", walk("abd"), walk("ab")) == []


@pytest.mark.parametrize(
    ("edges", "cause"),
    [
        ({"d": ["b"]}, "an edge is lost: b had ended, and nothing started d"),
        ({"d": ["c", "e"]}, "under the candidate, its sources c and e never ran"),
        (None, "under the candidate, nothing started d"),
    ],
)
def test_why_a_node_never_ran(check: Any, edges: Any, cause: str) -> None:
    assert check("GL102", walk("abd"), walk("ab"), edges)[0][3] == cause


def test_a_node_that_ran_under_the_candidate_only(check: Any) -> None:
    found = check("GL103", walk("ab"), walk("abd"), {"d": ["b"]})
    assert found == [("d", "never ran", "ran 1 time", "the candidate started d after b, the legacy engine did not")]


def test_a_skip_that_the_candidate_does_not_honour(check: Any) -> None:
    def legacy(h: Any) -> Any:
        h.a()
        return {"success": True, "steps": {"a": {"status": "done"}, "d": {"status": "skipped", "reason": "condition"}}}

    def candidate(h: Any) -> Any:
        h.a(), h.d()
        return {"success": True, "steps": {"a": {"status": "done"}, "d": {"status": "done"}}}

    assert check("GL103", legacy, candidate) == [
        ("d", "skipped", "ran 1 time", "the legacy engine skipped d (condition), the candidate ran it")
    ]


def test_a_node_that_only_one_engine_calls_a_node_is_no_alarm(check: Any) -> None:
    def with_condition(h: Any) -> Any:
        h.a()
        return {"success": True, "steps": {"a": {"status": "done"}, "is_large": {"status": "done", "output": "true"}}}

    for rule in ("GL101", "GL102", "GL103"):
        assert check(rule, walk("a"), with_condition) == []


def test_after_a_failure_it_is_a_matter_of_propagation(check: Any) -> None:
    def failing(names: str) -> Any:
        return lambda h: {"success": False, "error": "x", "ran": walk(names)(h), "steps": STEPS[names]}

    STEPS = {
        "a": {"a": {"status": "failed"}, "d": {"status": "skipped"}},
        "ad": {"a": {"status": "failed"}, "d": {"status": "done"}},
    }
    assert check("GL103", failing("a"), failing("ad"), {"d": ["a"]}) == []
    assert check("GL143", failing("a"), failing("ad"), {"d": ["a"]}) == [
        ("d", "skipped", "ran", "a failed; the candidate engine runs d all the same, the other does not")
    ]
