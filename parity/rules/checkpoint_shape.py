"""GL155: the last checkpoint has another shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..divergence import Divergence
from ..observation import Observation
from ..plain import TAG
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    one, other = _last(legacy), _last(candidate)
    lacking, added = sorted(one.items() - other.items()), sorted(other.items() - one.items())
    if lacking or added:
        yield rule.found(
            legacy=_told(lacking),
            candidate=_told(added),
            cause="what readers of a checkpoint find there differs in its keys or types",
            paths=tuple(sorted({path for path, _ in (*lacking, *added)})),
        )


def _last(run: Observation) -> dict[str, str]:
    saved = (run.outcome.checkpoints if run.outcome else None) or ()
    if not saved:
        return {"(checkpoints)": "none"}
    return dict(_shape(saved[-1].content, "")) if saved[-1].kept else {"(too large to keep)": ""}


def _shape(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and TAG not in value:
        for key, item in value.items():
            yield from _shape(item, f"{path}.{key}" if path else key)
    else:
        kind = value.get("t", value[TAG]) if isinstance(value, dict) else type(value).__name__
        yield path, str(kind)


def _told(rows: list[tuple[str, str]]) -> str:
    return ", ".join(f"{path}: {kind}" for path, kind in rows[:5]) or "nothing else"


RULE = BuiltIn(
    "GL155",
    "checkpoint-shape",
    "checkpoint shape",
    "the last checkpoint has another shape",
    """\
Keys and types of the last saved state are compared, not their number or values: supersteps and single nodes save at other
moments by nature. What resumes a run, or reads a saver from outside, relies on the shape.""",
    "keep the legacy keys in the graph's state, or migrate the readers",
    _check,
    ("checkpoints",),
)
