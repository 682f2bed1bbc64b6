"""What a verdict rests on: digests of the cases, of the engines' code, and of every file that takes part.

Evidence is by content: a report is stale as soon as one of the files it names has changed, appeared or gone. It names what
engines and cases say of themselves, and every module of the project that was loaded while they ran.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..adapters.errors import ConfigurationError
from .case import Case
from .engine import Engine
from .observation import Side

ABSENT = "absent"


@dataclass(frozen=True)
class Evidence:
    """A digest over all cases, one for each engine's code (by side), and every file's SHA-256 by its relative path.

    `folders` are the engines' source folders with a digest of the names in each, so that a new file is seen too.
    """

    definitions: str
    engines: Mapping[str, str]
    files: Mapping[str, str]
    folders: Mapping[str, str] = field(default_factory=dict)

    def with_files(self, root: Path, names: Iterable[str]) -> Evidence:
        """The same with more files: those that the runs turned out to stand on."""
        more = {name: _digest(root, name) for name in names if name not in self.files}
        return replace(self, files={**self.files, **more})

    def to_json(self) -> dict[str, Any]:
        """The report's form, sorted."""
        return {
            "definitions": self.definitions,
            "engines": dict(sorted(self.engines.items())),
            "files": dict(sorted(self.files.items())),
            "folders": dict(sorted(self.folders.items())),
        }


def gather_evidence(
    root: Path, engines: Mapping[Side, Engine], cases: Iterable[Case], files: Iterable[str] = ()
) -> Evidence:
    """Digest the engines' sources, the cases' fingerprints and files, and more files.

    Raises `ConfigurationError` for a source that is not there: its engine would be evidence of nothing. A case's file or one
    of `files` may be absent; that is recorded, so that its appearing makes the report stale.
    """
    every = list(cases)
    seen: dict[str, str] = {}
    by_engine: dict[str, str] = {}
    for side, engine in engines.items():
        mine = {name: _digest(root, name) for source in engine.sources for name in _files(root, engine.name, source)}
        by_engine[side] = _join({**mine, "(engine)": f"{engine.name} {getattr(engine, 'version', '')}"})
        seen.update(mine)
    named = [*files, *(name for case in every for name in case.files)]
    seen.update({name: _digest(root, name) for name in named})
    folders = {
        top.relative_to(root).as_posix(): _names(top)
        for engine in engines.values()
        for source in engine.sources
        for top in _places(root, source)
        if top.is_dir()
    }
    return Evidence(_join({case.id: case.fingerprint for case in every}), by_engine, seen, folders)


def stale_files(root: Path, files: Mapping[str, str], folders: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The files of some evidence whose content is no longer what it was, and folders that gained or lost one, sorted."""
    changed = [name for name, digest in files.items() if _digest(root, name) != digest]
    changed += [f"{name}/" for name, names in (folders or {}).items() if _names(root / name) != names]
    return tuple(sorted(changed))


def _names(top: Path) -> str:
    names = sorted(path.relative_to(top).as_posix() for path in top.rglob("*.py") if "__pycache__" not in path.parts)
    return _join(dict.fromkeys(names, ""))


def _files(root: Path, engine: str, source: str) -> list[str]:
    """The files that a source names: itself, the Python files of a folder, or a dotted module under `root` or `root/src`."""
    for top in _places(root, source):
        if top.is_dir():
            found = (path for path in top.rglob("*.py") if "__pycache__" not in path.parts)
            names = sorted(path.relative_to(root).as_posix() for path in found)
            if names:
                return names
        elif top.is_file():
            return [top.relative_to(root).as_posix()]
    raise ConfigurationError(
        f"engine {engine!r}: its source {source!r} does not exist",
        mend="name a file, a folder or a module of the project in `sources`",
    )


def _places(root: Path, source: str) -> list[Path]:
    if Path(source).is_absolute() or ".." in Path(source).parts:
        return []
    places = [root / source]
    if "/" not in source and not source.endswith(".py"):
        path = source.replace(".", "/")
        places += [top / name for top in (root, root / "src") for name in (f"{path}.py", path)]
    return places


def _digest(root: Path, name: str) -> str:
    try:
        return hashlib.sha256((root / name).read_bytes()).hexdigest()
    except OSError:
        return ABSENT


def _join(parts: Mapping[str, str]) -> str:
    text = "".join(f"{name}\0{digest}\n" for name, digest in sorted(parts.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
