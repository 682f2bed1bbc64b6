"""Seeded turns on threads: the seed decides the order, also of who arrives late because a processor was busy."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphlift.parity.schedule import SeededTurns


def order(seed: int, keys: str, work: dict[str, int] | None = None) -> str:
    """The order in which the keys, each on a thread of its own, get their turn; `work` is done before arriving."""
    turns, seen, start = SeededTurns(seed), list[str](), threading.Barrier(len(keys))

    def run(key: str) -> None:
        start.wait()
        sum(range((work or {}).get(key, 0)))
        turns.enter(key)
        seen.append(key)
        turns.leave(key)

    with ThreadPoolExecutor(len(keys)) as pool:
        list(pool.map(run, keys))
    return "".join(seen)


@pytest.mark.parametrize("seed", range(4))
def test_the_seed_decides_and_its_pair_is_the_reverse(seed: int) -> None:
    first = order(seed, "abcd")
    assert {order(seed, "abcd") for _ in range(10)} == {first}
    assert order(seed ^ 1, "abcd") == first[::-1]


def test_any_two_change_places_in_some_pair() -> None:
    found = {order(seed, "abc") for seed in range(12)}
    assert {(x, y) for text in found for x, y in itertools.combinations(text, 2)} == set(
        itertools.permutations("abc", 2)
    )


@pytest.mark.parametrize("late", "abcd")
@pytest.mark.parametrize("seed", [0, 1])
def test_who_is_still_at_work_is_waited_for(seed: int, late: str) -> None:
    # Several milliseconds of work, longer than the window in which an idle machine shows every arrival.
    assert order(seed, "abcd", {late: 300_000}) == order(seed, "abcd")


def test_who_waits_for_its_sibling_loses_the_turn() -> None:
    turns, other = SeededTurns(0), threading.Event()
    first = min("ab", key=turns.rank)

    def run(key: str) -> bool:
        turns.enter(key)
        if key == first:
            return other.wait(10)
        other.set()
        return True

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, "ab")) == [True, True]


def test_a_thread_that_never_rests_holds_nobody_up() -> None:
    ended = threading.Event()

    def spin() -> None:
        while not ended.is_set():
            sum(range(100))

    noise = threading.Thread(target=spin)
    noise.start()
    try:
        assert sorted(order(0, "ab")) == ["a", "b"]
    finally:
        ended.set()
        noise.join()


def test_a_run_without_threads_of_its_own_does_not_wait() -> None:
    ended = threading.Event()
    idle = threading.Thread(target=ended.wait)
    idle.start()
    try:
        turns = SeededTurns(0)
        for _ in range(20_000):
            turns.enter("a")
            turns.leave("a")
        assert turns._arrivals == 0
    finally:
        ended.set()
        idle.join()
