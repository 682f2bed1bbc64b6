"""What a pipeline must know of a project: its Python, what to install, which gates it has. Reads files, imports none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ..git import Git
from . import pythons

if TYPE_CHECKING:
    from ...plugins.project import Project

EXTRAS = {
    "sqlite": (b"langgraph.checkpoint.sqlite",),
    "postgres": (b"langgraph.checkpoint.postgres",),
    "dask": (b"dask.distributed", b"from distributed import", b"import distributed"),
}
"""graphlift's extras, and what in a project's code shows that it needs them."""

TEST_GROUPS = ("test", "tests", "testing", "dev")
REQUIREMENT_FILES = (
    "requirements.txt",
    "requirements/base.txt",
    "requirements-test.txt",
    "requirements-dev.txt",
    "requirements/test.txt",
    "requirements/dev.txt",
    "dev-requirements.txt",
)
_TOOL = re.compile(r"graphlift\s*(?:\[[^\]]*\])?\s*(?:(?:[~=!<>]=?|===)[\w.,~=!<>*+ ]*)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Tuning:
    """What the templates are filled with.

    `tool` is the requirement that installs graphlift for the checks, `install` are pip's arguments for the gate, which runs
    the project's own code, `caches` the files that a cache of packages depends on. `gate`, `ratchet` and `symbols` say
    whether there is anything to run; `report` is the gate's evidence file.
    """

    python: str
    tool: str
    install: tuple[str, ...]
    caches: tuple[str, ...]
    branch: str
    gate: bool
    ratchet: bool
    symbols: bool
    report: str

    @property
    def report_folder(self) -> str:
        """The folder of the evidence file."""
        return self.report.rpartition("/")[0] or "."


def tune(project: Project) -> Tuning:
    """Look at a project. Raises `ConfigurationError` where it is not configured."""
    settings = project.require_config()
    pyproject = _toml(project, "pyproject.toml")
    listed = tuple(name for name in REQUIREMENT_FILES if (project.root / name).is_file())
    own = _own_requirement(project, pyproject, listed)
    extras = _extras(project)
    release = ".".join(version("graphlift").split(".")[:3])
    tool = own or f"graphlift~={release}"
    install = [*_project(pyproject), *(f"-r {name}" for name in listed)]
    if own is None:
        install.append(f'"graphlift[{",".join(extras)}]~={release}"' if extras else f'"{tool}"')
    caches = ("pyproject.toml",) if pyproject else ()
    return Tuning(
        python=_python(project, pyproject),
        tool=tool,
        install=tuple(install),
        caches=(*caches, *listed),
        branch=_branch(project),
        gate=bool(settings.plugins),
        ratchet=(project.root / settings.ratchet.rules).is_file(),
        symbols=bool(settings.symbol),
        report=settings.parity.report,
    )


def _toml(project: Project, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads((project.root / name).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}


def _table(data: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        data = data.get(key, {}) if isinstance(data, Mapping) else {}
    return dict(data) if isinstance(data, Mapping) else {}


def _python(project: Project, pyproject: Mapping[str, Any]) -> str:
    file = project.root / ".python-version"
    if file.is_file() and (found := pythons.pinned(file.read_text(encoding="utf-8", errors="replace"))):
        return found
    required = _table(pyproject, "project").get("requires-python")
    required = required or _table(pyproject, "tool", "poetry", "dependencies").get("python")
    return pythons.lowest(required if isinstance(required, str) else "")


def _project(pyproject: Mapping[str, Any]) -> Iterator[str]:
    """Pip's arguments for the project itself with its test dependencies, where it can be installed."""
    known = _table(pyproject, "project")
    if not known and not (_table(pyproject, "build-system") and _table(pyproject, "tool", "poetry")):
        return
    extra = _first(_table(known, "optional-dependencies") or _table(pyproject, "tool", "poetry", "extras"))
    yield f'-e ".[{extra}]"' if extra else "-e ."
    if group := _first(_table(pyproject, "dependency-groups")):
        yield f"--group {group}"


def _first(groups: Mapping[str, Any]) -> str | None:
    return next((name for name in TEST_GROUPS if name in groups), None)


def _own_requirement(project: Project, pyproject: Mapping[str, Any], files: Iterable[str]) -> str | None:
    """The requirement by which the project installs graphlift itself, so that no job takes another version."""
    known = _table(pyproject, "project")
    groups = [known.get("dependencies", []), *_table(known, "optional-dependencies").values()]
    groups += _table(pyproject, "dependency-groups").values()
    groups += [(project.root / name).read_text(encoding="utf-8", errors="replace").splitlines() for name in files]
    lines = (str(item).split("#")[0].split(";")[0].strip() for group in groups for item in group)
    return next((line.replace(" ", "") for line in lines if _TOOL.fullmatch(line)), None)


def _extras(project: Project) -> tuple[str, ...]:
    """The extras of graphlift that the project's code shows a need for, sorted."""
    wanted: set[str] = set()
    for path in project.files(".py"):
        content = (project.root / path).read_bytes()
        wanted |= {extra for extra, needles in EXTRAS.items() if any(needle in content for needle in needles)}
    return tuple(sorted(wanted))


def _branch(project: Project) -> str:
    git = Git.find(project.root)
    return (git.default_branch if git else None) or "main"
