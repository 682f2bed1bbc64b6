"""How much of their workflows the cases of a gate reach: what no case runs, no gate can compare.

Computed from what was observed of the legacy engine's runs (the candidate's where that one shows nothing) against the
definitions. What could not be measured is named, never counted as reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .case import Case
from .comparing import chosen, leads
from .observation import SIDES, Observation, Side
from .paths import KINDS, Path, of_shape, of_workflow, taken
from .rule import seen_parts
from .shape import Shape, workflow_in


@dataclass(frozen=True)
class Measured:
    """Of one case: the paths of its workflow, those that its runs took, and what could not be measured, in words."""

    paths: frozenset[Path] = frozenset()
    taken: frozenset[Path] = frozenset()
    unmeasured: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """Of all cases together."""

    reached: frozenset[Path] = frozenset()
    missed: frozenset[Path] = frozenset()
    unmeasured: tuple[str, ...] = ()

    @property
    def percent(self) -> int | None:
        """The share of paths that some case took, rounded down: 100 is all of them. None: nothing could be measured."""
        total = len(self.reached) + len(self.missed)
        return 100 * len(self.reached) // total if total else None

    @cached_property
    def kinds(self) -> Mapping[str, tuple[int, int]]:
        """For each kind of path that there is: how many were taken, of how many."""
        found: dict[str, tuple[int, int]] = {}
        for kind in KINDS:
            reached = sum(path.kind == kind for path in self.reached)
            total = reached + sum(path.kind == kind for path in self.missed)
            if total:
                found[kind] = reached, total
        return found

    def to_json(self) -> dict[str, Any]:
        """JSON data; `coverage_from_json` gives an equal object back."""
        return {
            "percent": self.percent,
            "kinds": {kind: {"reached": reached, "of": total} for kind, (reached, total) in self.kinds.items()},
            "reached": _by_workflow(self.reached),
            "missed": _by_workflow(self.missed),
            "unmeasured": list(self.unmeasured),
        }


def measure(case: Case, runs: Mapping[Side, Sequence[Observation]]) -> Measured:
    """What one case reaches."""
    shown: Side | None = next((side for side in SIDES if "runs" in seen_parts(runs[side][0])), None)
    if shown is None:
        return Measured(unmeasured=(f"{case.name}: neither engine shows which nodes ran",))
    first = runs[shown][0]
    if first.shape is None:
        why = "its definition is not one of graphlift's own, and the case gives no `edges`"
        return Measured(unmeasured=(f"{case.name}: {why}",))
    # Edges that a case gives are what it wants compared, whatever its definition is.
    workflow = None if case.edges is not None else workflow_in(case)
    known = of_shape(case.name, first.shape) if workflow is None else of_workflow(case.name, workflow, first.shape)
    paths = frozenset(known)
    took = (path for run in runs[shown] for path in taken(case.name, workflow, first.shape, run))
    hidden = sorted(node for node in first.shape.routes if _is_hidden(node, first.shape, runs[shown]))
    seen = frozenset(path for path in paths if not _is_label_of(path, hidden))
    unmeasured = [f"{case.name}: the engine does not show which label {node} chose" for node in hidden]
    if workflow is None:
        unmeasured.append(f"{case.name}: branch labels, skips and loops are not known from its edges")
    return Measured(seen, frozenset(took) & seen, tuple(unmeasured))


def _is_hidden(node: str, shape: Shape, runs: Sequence[Observation]) -> bool:
    """Whether runs that must have come to a condition do not say what it chose."""
    sources = shape.sources[node]
    came = [run for run in runs if run.succeeded and all(leads(run, shape, source, node) for source in sources)]
    return bool(came) and all(chosen(run, node) is None for run in came)


def _is_label_of(path: Path, nodes: Iterable[str]) -> bool:
    return path.kind == "branch labels" and any(path.text.startswith(f"{node}: ") for node in nodes)


def gather(measured: Iterable[Measured]) -> Coverage:
    """All cases together: a path that one case takes is reached."""
    paths: set[Path] = set()
    reached: set[Path] = set()
    unmeasured: set[str] = set()
    for one in measured:
        paths |= one.paths
        reached |= one.taken
        unmeasured.update(one.unmeasured)
    return Coverage(frozenset(reached), frozenset(paths - reached), tuple(sorted(unmeasured)))


def coverage_from_json(data: Mapping[str, Any]) -> Coverage:
    """The coverage that `to_json` described."""
    reached, missed = (frozenset(_paths(data[name])) for name in ("reached", "missed"))
    return Coverage(reached, missed, tuple(data["unmeasured"]))


def merge_coverages(parts: Iterable[Coverage]) -> Coverage:
    """The coverage of shards together."""
    return gather(Measured(one.reached | one.missed, one.reached, one.unmeasured) for one in parts)


def _by_workflow(paths: Iterable[Path]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(paths):
        found.setdefault(path.workflow, {}).setdefault(path.kind, []).append(path.text)
    return found


def _paths(data: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterable[Path]:
    for workflow, kinds in data.items():
        for kind, texts in kinds.items():
            yield from (Path(workflow, kind, text) for text in texts)
