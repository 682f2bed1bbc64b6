"""graphlift's pytest plugin: every parity case a test item, and a fixture for parity tests written by hand.

It is loaded in every pytest run of an environment that has graphlift, so it imports nothing but pytest until it is asked
for: `--graphlift-parity`, or `graphlift_parity = true` in pytest's configuration. Each case is then an item of the project's
configuration file, `graphlift.toml::order/small`, so that `-k`, `-n`, `--lf`, `--junitxml` and node ids work as for any test.
The verdict over all cases, and the evidence file, stay with `graphlift parity`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .pytest_parity import Gate, ParityFile

SOURCE = pytest.StashKey[Path]()
"""The project's configuration file; there only where the plugin is switched on."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--graphlift-parity`, `--graphlift-project`, and the same as ini options."""
    group = parser.getgroup("graphlift", "graphlift")
    group.addoption("--graphlift-parity", action="store_true", help="Collect every parity case as a test.")
    group.addoption("--graphlift-project", metavar="DIR", help="The project's folder (default: pytest's root).")
    parser.addini("graphlift_parity", "Collect every parity case as a test.", type="bool", default=False)
    parser.addini("graphlift_project", "The project's folder, relative to pytest's root.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Where it is switched on, add the project's configuration file to what pytest collects."""
    config.addinivalue_line("markers", "graphlift_parity: a parity case (added by graphlift)")
    asked = bool(config.getoption("graphlift_parity"))
    if not asked and not config.getini("graphlift_parity"):
        return
    source = config.stash[SOURCE] = _config_file(config)
    # With the ini option, a run of named tests stays a run of these; the option on the command line means all cases.
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if (asked or not named) and not _is_named(config, source):
        config.args.append(str(source))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ParityFile | None:
    """The project's configuration file holds its parity cases."""
    if file_path != parent.config.stash.get(SOURCE, None):
        return None
    from .pytest_parity import ParityFile

    return ParityFile.from_parent(parent, path=file_path)


@pytest.fixture
def graphlift_gate(request: pytest.FixtureRequest) -> Gate:
    """The parity gate on cases of your own: `graphlift_gate(case)` fails the test where the engines diverge."""
    from .pytest_parity import Gate

    return Gate(project_folder(request.config))


def project_folder(config: pytest.Config) -> Path:
    """The folder that the options name, else pytest's root."""
    named = config.getoption("graphlift_project") or config.getini("graphlift_project")
    return (config.rootpath / named).resolve() if named else config.rootpath


def _config_file(config: pytest.Config) -> Path:
    from ..adapters.errors import GraphliftError
    from .project import Project

    try:
        project = Project.open(project_folder(config))
        project.require_config()
    except GraphliftError as error:
        raise pytest.UsageError(f"graphlift: {error}") from None
    assert project.config_file is not None
    return project.config_file


def _is_named(config: pytest.Config, source: Path) -> bool:
    """Whether the file, or a case in it, is among pytest's arguments already; a worker of pytest-xdist is given them."""
    names = (argument.partition("::")[0] for argument in config.args)
    return any((config.invocation_params.dir / name).resolve() == source for name in names if name)
