"""What the rules find between the runs of one case, what of it is chance, and what follows from what. Pure; runs nothing.

An engine may be run under two schedules. Where the legacy engine differs from itself, a difference from the candidate there
says nothing, and is set aside as flaky. Where only the candidate differs from itself, it depends on an order that the legacy
engine does not depend on: that is a difference between the engines, under whichever schedule it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .coverage import Measured
from .divergence import Divergence, Flaky
from .observation import Observation, Side
from .rule import Rule, seen_parts
from .wording import ORDERS, reworded

ABSOLUTE = ("liveness", "ending", "cassette")
"""Families that judge one run by itself: that two runs of an engine agree on it makes it no chance."""

NEVER_FOLDED = "GL141"
"""The candidate succeeds where the legacy engine fails: always shown by itself."""

Runs = Mapping[Side, Sequence[Observation]]


@dataclass(frozen=True)
class Judged:
    """What came out for one case. `unseen` are families that could not be judged, with the reason.

    `runs` are, where something diverges, the legacy and the candidate run that show the first divergence. `measured` is what
    the case reaches of its workflow, `loaded` the files of the modules that its runs loaded; the gate fills both in.
    """

    case: str
    divergences: tuple[Divergence, ...]
    flaky: tuple[Flaky, ...]
    unseen: tuple[tuple[str, str], ...]
    runs: tuple[Observation, Observation] | None = field(default=None, compare=False, repr=False)
    measured: Measured = field(default_factory=Measured)
    loaded: tuple[str, ...] = field(default=(), compare=False, repr=False)


def wants_another_run(legacy: Observation, candidate: Observation) -> bool:
    """Whether both engines run a second time, under the other schedule: chance shows only between two runs.

    A run that hung or crashed is judged as that alone, so another one would only cost its time again.
    """
    return not any(run.broken is not None and run.broken.kind in ("timeout", "crashed") for run in (legacy, candidate))


def judge_case(case: str, rules: Sequence[Rule], runs: Runs, *, calls: bool = False) -> Judged:
    """Judge the runs of one case: of each side one, or one for each schedule. `calls`: it has handlers that are there to be called."""
    pairs = list(zip(runs["legacy"], runs["candidate"], strict=True))
    by_pair = [check(rules, *pair) for pair in pairs]
    found = _by_key(by_pair)
    flaky = [
        Flaky(case, side, item.family, item.node, item.subject, reworded(item.cause, ORDERS))
        for side in ("legacy", "candidate")
        for other in runs[side][1:]
        for item in check(rules, runs[side][0], other)
        if item.family not in ABSOLUTE
    ]
    chance = {(item.family, item.node, item.subject) for item in flaky if item.side == "legacy"}
    steady = [item for item in found if item.family in ABSOLUTE or item.site not in chance]
    ordered = fold(sorted(steady, key=lambda item: item.moment), pairs[0][0])
    showing = next(
        (pair for pair, items in zip(pairs, by_pair, strict=True) if ordered and _has(items, ordered[0])), None
    )
    return Judged(
        case,
        tuple(replace(item, case=case) for item in ordered),
        _apart(flaky, chance),
        _unseen(rules, pairs[0], calls),
        showing,
    )


def _has(items: Iterable[Divergence], item: Divergence) -> bool:
    return any(one.place == item.place for one in items)


def check(rules: Sequence[Rule], legacy: Observation, candidate: Observation) -> list[Divergence]:
    """What the rules find between two observations. A run without a result is judged only as such."""
    parts = seen_parts(legacy) & seen_parts(candidate)
    broken = any(run.broken is not None and run.broken.kind != "raised" for run in (legacy, candidate))
    chosen = (rule for rule in rules if set(rule.needs) <= parts and (not broken or _is_about_endings(rule)))
    return [item for rule in chosen for item in rule.check(legacy, candidate)]


def _is_about_endings(rule: Rule) -> bool:
    return rule.family == "ending" or set(rule.needs) == {"success"}


def _by_key(found: Sequence[Sequence[Divergence]]) -> list[Divergence]:
    """The divergences of all schedules, each once; one that only some schedules show says so."""
    merged: dict[Any, Divergence] = {}
    shown: Counter[Any] = Counter()
    for items in found:
        for item in items:
            merged.setdefault(item.place, item)
        shown.update({item.place for item in items})
    return [
        item if shown[place] == len(found) else replace(item, schedule="under one of two completion orders only")
        for place, item in merged.items()
    ]


def fold(ordered: Sequence[Divergence], run: Observation) -> list[Divergence]:
    """Put each divergence under the first one that it can follow from: an earlier one, at a node that comes before it.

    Without a graph, everything after the first divergent activation is taken to follow from it.
    """
    folded: list[Divergence] = []
    leaders: list[Divergence] = []
    for item in ordered:
        leader = next((one for one in leaders if _can_follow(item, one, run)), None)
        if leader is None and item.at is not None:
            leaders.append(item)
        folded.append(item if leader is None else replace(item, under=leader.key))
    return folded


def _can_follow(item: Divergence, leader: Divergence, run: Observation) -> bool:
    if item.rule == NEVER_FOLDED or item.family in ("liveness", "cassette"):
        return False
    if leader.family == "ending":
        return True
    if leader.node is None or item.node is None or run.shape is None:
        return leader.node is not None
    return run.shape.comes_after(item.node, leader.node) or run.shape.stepwise


def _apart(flaky: Iterable[Flaky], chance: set[tuple[str, str | None, str]]) -> tuple[Flaky, ...]:
    """What is told as flaky: the legacy engine's own differences. Those of the candidate alone are divergences."""
    kept = dict.fromkeys(item for item in flaky if (item.family, item.node, item.subject) in chance)
    return tuple(sorted(kept, key=lambda item: (item.side, item.family, item.node or "", item.subject)))


GATE = "gate"
"""In the place of a family: what is not seen concerns them all."""
WHY = {
    "trace": ("gave no tap, so its activations were not seen", "gave a tap, so activations were not seen"),
    "runs": ("gave no tap and no node results", "gave a tap or node results"),
    "nodes": ("shows no node results", "shows node results"),
    "data": ("shows no final data", "shows final data"),
    "events": ("shows no stream events", "shows stream events"),
    "checkpoints": ("shows no checkpoints", "shows checkpoints"),
    "success": ("does not say whether the run succeeded", "says whether the run succeeded"),
}
"""What is not seen, in words: after "the candidate engine", and after "neither engine"."""


def _unseen(rules: Sequence[Rule], pair: tuple[Observation, Observation], calls: bool) -> tuple[tuple[str, str], ...]:
    """Families of which some rule could not look, each with the reason; parts that neither engine shows are left out."""
    if any(run.broken for run in pair):
        return ()
    shown = [seen_parts(run) for run in pair]
    untold = [*(run.opaque for run in pair), *(item.opaque for run in pair for item in run.activations)]
    opaque = sorted({name for names in untold for name in names})
    by_type = [("values", f"a {name} has no content that could be compared") for name in opaque]
    if "shape" not in shown[0]:
        by_type.append(("liveness", "the graph is not known: give the case `edges`"))
    if not shown[0] & shown[1] & {"runs", "data"}:
        # An engine that shows so little is equal to any other one.
        by_type.append((GATE, "a case shows neither activations, node results nor final data, so it proves nothing"))
    idle = [run.side for run in pair if not run.activations]
    if len(idle) == 2 and calls and "nodes" not in shown[0] & shown[1]:
        by_type.append((GATE, "neither engine called any of a case's handlers, so what it shows proves nothing"))
    if len(idle) == 1:
        told = (
            f"the {idle[0]} engine called none of the case's handlers, the other one did: what they do was not compared"
        )
        by_type.append((GATE, told))
    return (*_missing(rules, pair, shown), *by_type)


def _missing(
    rules: Sequence[Rule], pair: tuple[Observation, Observation], shown: Sequence[frozenset[str]]
) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for rule in rules:
        for need in rule.needs:
            lacking = [run.side for run, parts in zip(pair, shown, strict=True) if need not in parts]
            optional = need in ("events", "checkpoints") and len(lacking) == 2
            if need in WHY and lacking and not optional:
                who = "neither engine" if len(lacking) == 2 else f"the {lacking[0]} engine"
                found[rule.family, f"{who} {WHY[need][len(lacking) - 1]}"] = None
    return list(found)
