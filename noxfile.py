"""The project's tasks: `nox -s NAME`. Every session sets itself up; CI runs all of them but `bench`."""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["tests", "lint", "types", "layers", "docs"]
nox.options.reuse_existing_virtualenvs = True

ROOT = Path(__file__).parent
# A test that hangs ends its worker, with the stacks of all threads, instead of the whole run.
PYTEST = ("pytest", "-n", "auto", "--dist", "worksteal", "--timeout=600", "--timeout-method=thread")
PACKAGES = ("adapters", "parity", "plugins", "migrate")


def _install(session: nox.Session, extra: str) -> None:
    # setuptools builds in `build/` and would ship what a deleted module left there.
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    session.install(f".[{extra}]")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests that are not slow, in parallel; arguments go to pytest."""
    _install(session, "test")
    session.run(*PYTEST, "-m", "not slow", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """Run the slow tests: random workflows by the thousand, the demo from start to end, killed processes."""
    _install(session, "test")
    session.run(*PYTEST, "-m", "slow", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Measure which lines and branches the fast tests reach."""
    _install(session, "test")
    session.run("coverage", "run", "-m", "pytest", "-m", "not slow", *session.posargs)
    session.run("coverage", "report", "--skip-covered", "--sort=cover")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format with ruff."""
    session.install(_requirement("ruff"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types with mypy (strict) and pyright, and that the public API's types are complete."""
    _install(session, "dev")
    session.run("mypy", *(word for name in PACKAGES for word in ("-p", f"graphlift.{name}")))
    session.run(
        "pyright", "--pythonpath", str(Path(session.bin) / ("python.exe" if sys.platform == "win32" else "python"))
    )


@nox.session
def layers(session: nox.Session) -> None:
    """Check that imports point one way: adapters <- parity <- plugins <- migrate."""
    # Only the package's own source is read.
    session.install("--no-deps", ".")
    session.install(_requirement("import-linter"))
    session.run("lint-imports")


@nox.session
def docs(session: nox.Session) -> None:
    """Run what the README shows and compare what it prints; check that hooks, options and schema are documented."""
    _install(session, "test")
    session.run("pytest", "tests/docs", *session.posargs)


@nox.session
def minimums(session: nox.Session) -> None:
    """Run the fast tests with the lowest direct dependencies that pyproject.toml allows."""
    _install(session, "test")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *(project["optional-dependencies"][name] for name in ("sqlite", "html", "fuzz"))]
    session.install(*(name.replace(">=", "==") for group in groups for name in group))
    session.run(*PYTEST, "-m", "not slow", *session.posargs)


@nox.session
def package(session: nox.Session) -> None:
    """Build the wheel, look into it, install it in a fresh environment and run the demo from an empty folder."""
    session.install(_requirement("build"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.rmtree(ROOT / "build", ignore_errors=True)
        session.run("python", "-m", "build", "--wheel", "--outdir", folder, silent=True)
        wheel = next(Path(folder).glob("*.whl"))
        listing = session.run("python", "-m", "zipfile", "-l", str(wheel), silent=True)
        _check_wheel(session, str(listing))
        session.run("python", "-m", "venv", f"{folder}/venv", silent=True)
        binaries = Path(folder, "venv", "Scripts" if sys.platform == "win32" else "bin")
        session.run(str(binaries / "pip"), "install", "--quiet", str(wheel), external=True)
        empty = Path(folder, "empty")
        empty.mkdir()
        with session.chdir(empty):
            session.run(str(binaries / "graphlift"), "demo", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure speed and memory as ratios against peers in one run; writes benchmarks/RESULTS.md."""
    _install(session, "bench")
    session.run("python", "-m", "benchmarks", *session.posargs)


def _requirement(name: str) -> str:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return next(item for group in groups.values() for item in group if item.startswith(name + ">="))


def _check_wheel(session: nox.Session, listing: str) -> None:
    names = [line.split()[0] for line in listing.splitlines()[1:] if line.strip()]
    allowed = tuple(f"graphlift/{name}/" for name in PACKAGES)
    strange = [
        name
        for name in names
        if not name.startswith(allowed) and name != "graphlift/__init__.py" and ".dist-info/" not in name
    ]
    if strange or not any(name.startswith("graphlift/migrate/demo/") for name in names):
        session.error(f"the wheel holds what it should not, or lacks the demo: {strange}")
