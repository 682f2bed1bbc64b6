"""`graphlift parity --fuzz`: workflows that nobody wrote."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit, track
from .gate_files import inside, write

if TYPE_CHECKING:
    from ..parity.engine import Engine
    from ..parity.fuzz import Counterexample, Replayed
    from ..parity.gate import MakePool
    from ..parity.observation import Side
    from ..parity.rule import Rule
    from ..plugins.project import Project

ENGINES = """\
from pathlib import Path

from graphlift.plugins.gating import project_engines

ENGINES = project_engines(Path(__file__).parent)"""
"""In a written test: the engines of the project that the test file lies in."""


TOGETHER = 50
"""Drawn workflows that are run at once: enough to share processes, few enough not to wait long for the first difference."""


LONGEST = 5.0
"""Seconds for one run of a drawn workflow, whose bodies do next to nothing."""


@dataclass(frozen=True)
class Fuzzing:
    """How many workflows are drawn, from which seed, and where a counterexample is written as a test."""

    fuzz: Annotated[
        int, typer.Option("--fuzz", min=0, metavar="N", help="Draw N random workflows instead of running the cases.")
    ] = 0
    seed: Annotated[int, typer.Option("--seed", help="With --fuzz and --mutants: draw from this seed.")] = 0
    write_test: Annotated[
        Path | None,
        typer.Option("--write-test", metavar="FILE", help="With --fuzz: write a counterexample as a test."),
    ] = None


@dataclass(frozen=True)
class _Fuzzed:
    """What came of it: every regression as it was replayed, and the counterexample that was drawn, with its file."""

    replayed: tuple[Replayed, ...]
    found: Counterexample | None = None
    kept: str | None = None

    @property
    def again(self) -> tuple[Replayed, ...]:
        """The regressions on which the engines differ."""
        return tuple(one for one in self.replayed if one.divergences)

    @property
    def first(self) -> Counterexample | None:
        """What is told in full: a regression before what was drawn."""
        from ..parity.fuzz import Counterexample

        return Counterexample(self.again[0].regression.draft, self.again[0].divergences) if self.again else self.found


def fuzz(
    project: Project,
    engines: Sequence[Engine],
    rules: Sequence[Rule],
    asked: Fuzzing,
    style: OutputFormat,
    *,
    in_process: bool = False,
) -> bool:
    """Replay every kept counterexample; then draw workflows until the engines differ on one, shrink and keep it.

    Nothing is drawn while the engines differ on a kept one. The answer is whether no difference was found. Raises UsageError
    where an engine cannot run graphlift's own workflows: it would agree with everything.
    """
    from ..parity.fuzz import as_test, read_regressions, replay, search
    from ..parity.gate import pick_engines

    by_side, folder = pick_engines(engines), project.settings.parity.regressions
    pool, together = _pools(in_process, project.settings.parity.timeout)
    regressions = read_regressions(inside(project, folder), folder)
    with contextlib.redirect_stdout(sys.stderr):
        _try_out(by_side, pool)
        replayed = tuple(track(replay(by_side, rules, regressions, pool), "regressions", total=len(regressions)))
        fuzzed = _Fuzzed(replayed)
        if not fuzzed.again:
            found = search(by_side, rules, examples=asked.fuzz, seed=asked.seed, pool=pool, together=together)
            fuzzed = _Fuzzed(replayed, found, None if found is None else _keep(project, folder, found))
    if fuzzed.first is not None and asked.write_test is not None:
        write(asked.write_test, as_test(fuzzed.first, engines=ENGINES))
    emit(style, lambda: _fuzz_text(fuzzed, asked, folder), lambda: _fuzz_json(fuzzed, asked))
    return fuzzed.first is None


def _keep(project: Project, folder: str, found: Counterexample) -> str:
    """Write the counterexample into the folder of regressions; its path in the project."""
    from ..parity.fuzz import file_of
    from ..parity.writing import replace_file

    name, text = file_of(found)
    path = inside(project, f"{folder}/{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text)
    return f"{folder}/{name}"


def _pools(in_process: bool, timeout: float) -> tuple[MakePool, tuple[MakePool, int] | None]:
    """For one workflow, and for many: forked children, so that a hang or a crash is a counterexample like any other.

    In this process where it cannot fork: a drawn workflow is nowhere that a fresh process could load it from.
    """
    from ..parity.forking import Forking
    from ..parity.running import InProcess

    if in_process or not hasattr(os, "fork") or threading.active_count() > 1:
        return InProcess, None
    single = functools.partial(Forking, jobs=2, timeout=min(timeout, LONGEST))
    return single, (functools.partial(single, jobs=os.cpu_count() or 1, together=TOGETHER), TOGETHER)


def _try_out(engines: Mapping[Side, Engine], make: MakePool) -> None:
    from ..parity.fuzz import Draft
    from ..parity.running import Task

    case = Draft({"style": "dependency", "name": "w", "steps": [{"name": "a"}]}, {"a": "digest"}).case()
    pool = make(engines, {case.id: case})
    for side in engines:
        pool.submit(Task(case.id, side, 0))
    for task, run in sorted(pool.finished(), key=lambda pair: pair[0].side):
        if run.broken is not None:
            raise UsageError(
                f"the {task.side} engine cannot run a drawn workflow: {run.broken.error}",
                mend="let it take graphlift's own workflows as a case's definition",
            )


def _fuzz_text(fuzzed: _Fuzzed, asked: Fuzzing, folder: str) -> str:
    told = f"{len(fuzzed.replayed)} regression{'' if len(fuzzed.replayed) == 1 else 's'} replayed, "
    before = told if fuzzed.replayed else ""
    if fuzzed.first is None:
        return f"green: {before}{asked.fuzz} workflows drawn from seed {asked.seed}, no difference"
    draft = fuzzed.first.draft
    lines = [f"red: the engines differ on a workflow of {draft.size} steps (seed {asked.seed})"]
    if fuzzed.again:
        lines = [
            f"red: the engines differ on {len(fuzzed.again)} of {len(fuzzed.replayed)} regressions; nothing was drawn"
        ]
        lines += [f"  {folder}/{one.regression.name}: {one.divergences[0].key}" for one in fuzzed.again]
    lines += [f"  definition  {dict(draft.definition)}", f"  bodies      {dict(draft.bodies)}"]
    lines += [f"  inputs      {dict(draft.inputs)}"]
    lines += [f"{item.rule} at {item.node or 'the run'}: {item.cause}" for item in fuzzed.first.divergences]
    return "\n".join([*lines, *([f"kept in {fuzzed.kept}: commit it"] if fuzzed.kept else [])])


def _fuzz_json(fuzzed: _Fuzzed, asked: Fuzzing) -> dict[str, Any]:
    head = {
        "examples": 0 if fuzzed.again else asked.fuzz,
        "seed": asked.seed,
        "verdict": "green" if fuzzed.first is None else "red",
        "kept": fuzzed.kept,
        "regressions": [
            {"name": one.regression.name, "divergences": [item.to_json() for item in one.divergences]}
            for one in fuzzed.replayed
        ],
    }
    if fuzzed.first is None:
        return {**head, "counterexample": None, "divergences": []}
    draft = fuzzed.first.draft
    example = {name: dict(getattr(draft, name)) for name in ("definition", "bodies", "inputs", "options")}
    return {**head, "counterexample": example, "divergences": [item.to_json() for item in fuzzed.first.divergences]}
