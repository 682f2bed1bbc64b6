"""Carry out every stage in order, and stop at the first that fails, by name."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ...adapters.errors import EnvironmentProblem, UsageError
from .journey import Figures, Journey
from .shell import StageError
from .stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def prepare(folder: Path) -> Path:
    """The folder, made if need be; `UsageError` for one that is not empty, for a file in its place, and for one that cannot be.

    Raises `EnvironmentProblem` where there is no git, before anything is written.
    """
    mend = "name a new or empty folder: graphlift demo DIR"
    if shutil.which("git") is None:
        raise EnvironmentProblem("git was not found", mend="install git and put it on PATH")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder.name} is not a folder", mend=mend)
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder.name} is not empty, and the demo writes over nothing", mend=mend)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder.name} cannot be made: {error.strerror}", mend=mend) from None
    return folder.resolve()


def walk(folder: Path, say: Callable[[str], None]) -> Figures:
    """Run the stages in an empty `folder`; raises `StageError` with the stage's name and its command's output."""
    journey = Journey(folder, say)
    for number, stage in enumerate(STAGES):
        say(f"\n{number} {stage.name}: {stage.summary}")
        journey.begin()
        try:
            stage.run(journey)
        except StageError as failure:
            raise StageError(f"stage {stage.name} failed: {failure.message}", mend=failure.mend) from None
    return journey.figures
