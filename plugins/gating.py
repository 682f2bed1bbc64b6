"""What a project's parity gate is made of, gathered from its plugins: for the command, the pytest plugin and the workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..adapters.errors import UsageError
from .manager import Plugins, load_plugins
from .project import Project
from .sources import find_source

if TYPE_CHECKING:
    from ..parity.case import Case
    from ..parity.engine import Engine
    from ..parity.rule import Rule

HOOKS = (
    "graphlift_cases",
    "graphlift_engines",
    "graphlift_executors",
    "graphlift_normalisers",
    "graphlift_reporters",
    "graphlift_rules",
)
"""The hooks that the gate calls."""


def engines_and_cases(project: Project, plugins: Plugins) -> tuple[Sequence[Engine], Sequence[Case]]:
    """The engines, and the cases with the project's normalisers."""
    normalisers = list(plugins.gather_map("graphlift_normalisers", project=project).values())
    engines = plugins.gather("graphlift_engines", project=project)
    return engines, [case.normalised(normalisers) for case in plugins.gather("graphlift_cases", project=project)]


def rules_of(plugins: Plugins) -> list[Rule]:
    """The rules that judge. Raises UsageError without one of graphlift's own: a gate that does not look is green on anything."""
    from ..parity.rules import builtin_rules

    rules: list[Rule] = plugins.gather("graphlift_rules")
    lacking = sorted({rule.id for rule in builtin_rules()} - {rule.id for rule in rules})
    if lacking:
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        raise UsageError(
            f"the gate lacks {', '.join(lacking[:3])}{more} of graphlift's own rules",
            mend="run it without --no-plugin rules; list a difference that is meant with --accept",
        )
    return rules


def project_engines(start: Path) -> list[Engine]:
    """The engines of the project that a folder lies in: for tests that `graphlift parity --fuzz` wrote."""
    project = Project.open(start)
    return list(engines_and_cases(project, load_plugins(project, hooks=HOOKS))[0])


@dataclass(frozen=True)
class Loading:
    """Loads a project's engines and cases in a worker process; picklable, so it holds names only."""

    directory: str
    disabled: tuple[str, ...] = ()

    def __call__(self) -> tuple[Sequence[Engine], Sequence[Case]]:
        """The engines and cases."""
        project = Project.open(Path(self.directory))
        return engines_and_cases(project, load_plugins(project, disabled=self.disabled, hooks=HOOKS))


def evidence_files(project: Project) -> list[str]:
    """The configuration, the baseline and the plugin modules: a change of any makes a verdict stale."""
    files = [project.settings.parity.baseline]
    if project.config_file:
        files.append(project.config_file.relative_to(project.root).as_posix())
    sources = (find_source(project, name) for name in project.settings.plugins)
    return [*files, *(path.relative_to(project.root).as_posix() for path in sources if path)]
