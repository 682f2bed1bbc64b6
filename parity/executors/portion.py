"""What is sent to another process or host: some tasks, and what it must find there so that they mean the same.

JSON data, apart from `load`, which a host unpickles as its cluster does with everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..case import Case
from ..cassette import Tape
from ..engine import Engine
from ..evidence import gather_evidence
from ..observation import Side
from ..running import Task


@dataclass(frozen=True)
class Portion:
    """Tasks with the evidence of their cases; `together` is how many of them may share a process."""

    tasks: tuple[Task, ...]
    evidence: Mapping[str, Any]
    timeout: float
    together: int

    @classmethod
    def of(
        cls, tasks: Sequence[Task], engines: Mapping[Side, Engine], cases: Mapping[str, Case], root: Path, **how: Any
    ) -> Portion:
        """The portion, with the evidence as it is here."""
        return cls(tuple(tasks), evidence_of(tasks, engines, cases, root), **how)

    def to_json(self) -> dict[str, Any]:
        """JSON data; `from_json` gives an equal object back."""
        tasks = [[item.case, item.side, item.schedule, item.tape.to_json(), item.alone] for item in self.tasks]
        return {"tasks": tasks, "evidence": self.evidence, "timeout": self.timeout, "together": self.together}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Portion:
        """The portion that `to_json` described."""
        tasks = (Task(row[0], row[1], row[2], Tape.from_json(row[3]), row[4]) for row in data["tasks"])
        return cls(tuple(tasks), data["evidence"], data["timeout"], data["together"])


def evidence_of(
    tasks: Iterable[Task], engines: Mapping[Side, Engine], cases: Mapping[str, Case], root: Path
) -> dict[str, Any]:
    """What the tasks' results rest on, by content; absent cases are left out."""
    names = sorted({task.case for task in tasks} & set(cases))
    return gather_evidence(root, engines, [cases[name] for name in names]).to_json()


def difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> str | None:
    """What another host has otherwise, in words; None when nothing is."""
    for name in sorted({*here["files"], *there["files"]}):
        if here["files"].get(name) != there["files"].get(name):
            return f"another content of {name}"
    for side in sorted({*here["engines"], *there["engines"]}):
        if here["engines"].get(side) != there["engines"].get(side):
            return f"another {side} engine, or another version of what it runs on"
    return None if here == there else "other cases, or other definitions and inputs of them"
