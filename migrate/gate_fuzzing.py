"""`graphlift parity --fuzz`: workflows that nobody wrote."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit
from .gate_files import write

if TYPE_CHECKING:
    from ..parity.engine import Engine
    from ..parity.fuzz import Counterexample
    from ..parity.rule import Rule

ENGINES = """\
from pathlib import Path

from graphlift.plugins.gating import project_engines

ENGINES = project_engines(Path(__file__).parent)"""
"""In a written test: the engines of the project that the test file lies in."""


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


def fuzz(engines: Sequence[Engine], rules: Sequence[Rule], asked: Fuzzing, style: OutputFormat) -> bool:
    """Draw workflows until the engines differ on one, and tell the smallest; whether none was found.

    Raises UsageError where an engine cannot run graphlift's own workflows: it would agree with everything.
    """
    from ..parity.fuzz import as_test, search
    from ..parity.gate import pick_engines

    by_side = pick_engines(engines)
    with contextlib.redirect_stdout(sys.stderr):
        _try_out(list(by_side.values()))
        found = search(by_side, rules, examples=asked.fuzz, seed=asked.seed)
    if found is not None and asked.write_test is not None:
        write(asked.write_test, as_test(found, engines=ENGINES))
    emit(style, lambda: _fuzz_text(found, asked), lambda: _fuzz_json(found, asked))
    return found is None


def _try_out(engines: Sequence[Engine]) -> None:
    from ..parity import observe
    from ..parity.fuzz import Draft

    step = {"style": "dependency", "name": "w", "steps": [{"name": "a"}]}
    for engine in engines:
        run = observe(engine, Draft(step, {"a": "digest"}).case())
        if run.broken is not None:
            raise UsageError(
                f"the {engine.side} engine cannot run a drawn workflow: {run.broken.error}",
                mend="let it take graphlift's own workflows as a case's definition",
            )


def _fuzz_text(found: Counterexample | None, asked: Fuzzing) -> str:
    if found is None:
        return f"green: {asked.fuzz} workflows drawn from seed {asked.seed}, no difference"
    draft = found.draft
    rows = [f"{item.rule} at {item.node or 'the run'}: {item.cause}" for item in found.divergences]
    shown = [f"  definition  {dict(draft.definition)}", f"  bodies      {dict(draft.bodies)}"]
    shown.append(f"  inputs      {dict(draft.inputs)}")
    return "\n".join(
        [f"red: the engines differ on a workflow of {draft.size} steps (seed {asked.seed})", *shown, *rows]
    )


def _fuzz_json(found: Counterexample | None, asked: Fuzzing) -> dict[str, Any]:
    head = {"examples": asked.fuzz, "seed": asked.seed, "verdict": "green" if found is None else "red"}
    if found is None:
        return {**head, "counterexample": None, "divergences": []}
    draft = found.draft
    example = {
        "definition": dict(draft.definition),
        "bodies": dict(draft.bodies),
        "inputs": dict(draft.inputs),
        "options": dict(draft.options),
    }
    return {**head, "counterexample": example, "divergences": [item.to_json() for item in found.divergences]}
