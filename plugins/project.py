"""A project: its root, its settings, and which files belong to it. Nothing is imported here."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NoReturn

from ..adapters.errors import ConfigurationError, UsageError
from .configuration import Settings, find_config, load_settings
from .git_index import FOLDER, SUBMODULE, index_of, read_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pathspec import GitIgnoreSpec

    from .git_index import Entry

SKIPPED_FOLDERS = frozenset(
    {
        ".eggs",
        ".git",
        ".graphlift",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "build",
        "dist",
        "node_modules",
        "venv",
    }
)


NEVER_TRACKED = frozenset({".git", ".graphlift", ".hg", ".svn", "__pycache__"})
"""Those of them that hold nobody's source, whatever git says."""


def is_skipped(name: str) -> bool:
    """Whether a folder of this name is left out, unless git tracks something in it: environments, caches, what is built."""
    return name in SKIPPED_FOLDERS or name.endswith(".egg-info")


@dataclass(frozen=True)
class Project:
    """A code base under migration. Paths that graphlift shows are relative to `root`, with forward slashes."""

    root: Path
    config_file: Path | None = None
    settings: Settings = field(default_factory=Settings)
    _links: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def open(cls, start: Path) -> Project:
        """The project at `start` or at the nearest folder above it that is configured; else `start` with defaults.

        The search stops at a repository's root, so that a stray file in a home folder configures nothing.
        Raises `UsageError` where `start` is no folder, `ConfigurationError` where the configuration is wrong.
        """
        start = start.resolve()
        if not start.is_dir():
            raise UsageError(f"{start.name!r} is not a folder", mend="give an existing folder with -C")
        for folder in (start, *start.parents):
            if config := find_config(folder):
                return cls(folder, config, load_settings(config, folder))
            if (folder / ".git").exists():
                break
        return cls(start)

    def require_config(self) -> Settings:
        """The settings, or a `ConfigurationError` that says how to write them."""
        if self.config_file is None:
            raise ConfigurationError("no graphlift.toml and no [tool.graphlift]", mend="run `graphlift init`")
        return self.settings

    def require_symbols(self) -> Settings:
        """The settings with at least one symbol, or a `ConfigurationError` that says how to add one."""
        settings = self.require_config()
        if not settings.symbol:
            raise ConfigurationError(
                "no legacy symbol is configured",
                where=self.config_file.name if self.config_file else None,
                mend="add a [[symbol]] table; `graphlift init --dry-run` shows candidates",
            )
        return settings

    def require_names(self) -> None:
        """Raise `ConfigurationError` for a configured symbol that is not there: a misspelt name, or a misspelt module.

        It has no references, and would read as a migration that is done. A symbol that was retired has an alias of its name in
        the module, or a `[[retired]]` table among the ratchet's rules.
        """
        for symbol in self.require_symbols().symbol:
            if symbol.legacy not in self._retired and self.module_file(symbol.legacy) is None:
                self._require_name(symbol.legacy)

    def _require_name(self, legacy: str) -> None:
        parts = legacy.split(".")
        homes = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
        home = next((name for name in homes if self.module_file(name)), None)
        source = self.module_file(home) if home else None
        if home is None or source is None:
            self._require_module(legacy)
            return
        name = parts[home.count(".") + 1]
        text = source.read_text(encoding="utf-8", errors="replace")
        words = set(re.findall(r"\w+", text))
        if name in words or "__getattr__" in words or "import *" in text:
            return
        near = {path.stem for path in source.parent.glob("*.py")} if source.name == "__init__.py" else set[str]()
        self._refuse(legacy, f"{source.relative_to(self.root).as_posix()} has no {name!r}", name, words | near)

    def _require_module(self, legacy: str) -> None:
        """For a symbol of which no module is in the code base: it may be another package's, but no misspelt one of its own."""
        module, _, _ = legacy.rpartition(".")
        tops = {
            entry.stem
            for root in self.source_roots
            for entry in root.iterdir()
            if (entry.is_dir() and not is_skipped(entry.name)) or entry.suffix == ".py"
        }
        top = (module or legacy).partition(".")[0]
        tail = f"/{module.replace('.', '/')}"
        elsewhere = [path for path in self.files(".py") if path.endswith((f"{tail}.py", f"{tail}/__init__.py"))]
        if module and elsewhere:
            folder = elsewhere[0][: elsewhere[0].index(tail)]
            self._refuse(
                legacy, f"no folder of `source` gives the module {module}", mend=f"Add {folder!r} to `source`. "
            )
        if not module or top in tops:
            self._refuse(legacy, f"there is no module {module or legacy!r} in this code base", top, tops - {top})
        if difflib.get_close_matches(top, tops, n=1, cutoff=0.75):
            self._refuse(legacy, f"there is no package {top!r} in this code base", top, tops)

    def _refuse(self, legacy: str, why: str, name: str = "", words: Iterable[str] = (), mend: str = "") -> NoReturn:
        close = difflib.get_close_matches(name, sorted(words), n=1)
        hint = f"did you mean {close[0]!r}? " if close else mend
        raise ConfigurationError(
            f"the symbol {legacy!r} is not there: {why}",
            where=self.config_file.name if self.config_file else None,
            mend=f"{hint}Correct `legacy`; or delete the [[symbol]] table, or say in {self.settings.ratchet.rules} why it is "
            "gone: a [[retired]] table with `symbol` and `forced`",
        )

    @cached_property
    def _retired(self) -> frozenset[str]:
        """The symbols that the ratchet's rules record as retired; what is wrong with that file others say."""
        try:
            data = tomllib.loads((self.root / self.settings.ratchet.rules).read_text(encoding="utf-8"))
            return frozenset(str(table["symbol"]) for table in data.get("retired", ()))
        except (OSError, ValueError, KeyError, TypeError):
            return frozenset()

    def module_file(self, module: str) -> Path | None:
        """The file of a module of the code base, None where no source root has it."""
        path = module.replace(".", "/")
        places = (root / name for root in self.source_roots for name in (f"{path}.py", f"{path}/__init__.py"))
        return next((place for place in places if place.is_file()), None)

    @cached_property
    def source_roots(self) -> tuple[Path, ...]:
        """The folders that are searched for modules: the source folders without an `__init__.py`, and the root."""
        folders = [self.root / name for name in self.settings.source]
        roots = [folder for folder in folders if folder.is_dir() and not (folder / "__init__.py").exists()]
        return tuple(dict.fromkeys([*roots, self.root]))

    def files(self, *suffixes: str) -> tuple[str, ...]:
        """Files under `source` minus `exclude`, relative to the root, sorted; only those with one of `suffixes`, if given.

        A link is followed only where its target lies inside the root. Raises `ConfigurationError` for a `source` entry
        that does not exist, since nothing in it would be seen.
        """
        found: set[str] = set()
        for name in self.settings.source:
            top = self.root / name
            if top.is_file():
                found.add(PurePosixPath(name).as_posix())
            elif top.is_dir():
                found.update(self._walk(top))
            else:
                where = self.config_file.name if self.config_file else None
                raise ConfigurationError(f"source: {name!r} does not exist", where=where, mend="correct `source`")
        kept = (path for path in found if not suffixes or path.endswith(suffixes))
        return tuple(sorted(path for path in kept if not self.excludes(path)))

    def excludes(self, path: str) -> bool:
        """Whether a relative path is excluded; `exclude` holds patterns as in a `.gitignore` file."""
        return bool(self.settings.exclude) and self._excluded.match_file(path)

    @cached_property
    def _excluded(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec

        return GitIgnoreSpec.from_lines(self.settings.exclude)

    def _walk(self, top: Path) -> Iterator[str]:
        root = os.fspath(self.root)
        prefix = len(root) + (not root.endswith(os.sep))
        stack = [os.fspath(top)]
        while stack:
            with os.scandir(stack.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink() and (why := self._not_followed(entry)):
                        if not is_skipped(entry.name):
                            self._links[entry.path[prefix:].replace(os.sep, "/")] = why
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if not is_skipped(entry.name) or self._is_tracked(entry.path[prefix:]):
                            stack.append(entry.path)
                    elif entry.is_file():
                        yield entry.path[prefix:].replace(os.sep, "/")

    def _is_tracked(self, folder: str) -> bool:
        """Whether git's index has a file in a folder: a package `build` that is committed is source like any other."""
        relative = folder.replace(os.sep, "/")
        return relative.rpartition("/")[2] not in NEVER_TRACKED and relative in self._tracked_folders

    @cached_property
    def _tracked_folders(self) -> frozenset[str]:
        """The folders that git's index has files in, relative to the root; none without a repository."""
        found: set[str] = set()
        for entry in self._tracked or ():
            path = entry.path
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)

    @cached_property
    def _home(self) -> Path | None:
        """The top of the work tree that the root is in."""
        return next((top for top in (self.root, *self.root.parents) if (top / ".git").exists()), None)

    @cached_property
    def _tracked(self) -> list[Entry] | None:
        """What git's index has below the root, with paths relative to it; None where there is none that can be read."""
        index = index_of(self._home) if self._home else None
        entries = read_index(index) if index else None
        if entries is None or self._home is None:
            return None
        below = "" if self._home == self.root else f"{self.root.relative_to(self._home).as_posix()}/"
        inside = (entry for entry in entries if entry.path.startswith(below))
        return [replace(entry, path=entry.path.removeprefix(below)) for entry in inside] if below else entries

    def left_out(self) -> tuple[tuple[str, str], ...]:
        """What belongs to the source folders and is not looked at, each path with the reason, sorted; `exclude` says itself.

        Links that are not followed, and what git has and the work tree has not: submodules, a sparse checkout.
        """
        self.files()
        found = dict(self._links) | self._not_checked_out()
        return tuple(sorted((path, why) for path, why in found.items() if not self.excludes(path)))

    def _not_checked_out(self) -> dict[str, str]:
        home = self._home
        index = index_of(home) if home else None
        if home is None or index is None:
            return {}
        sparse = (index.parent / "info" / "sparse-checkout").is_file()
        if not sparse and not (home / ".gitmodules").is_file():
            return {}
        if self._tracked is None:
            return {".git": "the index cannot be read, so what is not checked out is not known"}
        found, count = dict[str, str](), Counter[str]()
        for entry in self._tracked:
            if entry.mode == SUBMODULE and self._is_source(entry.path) and not _has_entries(self.root / entry.path):
                found[entry.path] = "a submodule that is not checked out"
            elif entry.skipped and self._is_source(entry.path) and not (self.root / entry.path).exists():
                count[entry.path if entry.mode == FOLDER else entry.path.rpartition("/")[0] or "."] += (
                    entry.mode != FOLDER
                )
        for folder, files in count.items():
            what = f"{files} file{'' if files == 1 else 's'}" if files else "the folder"
            found[folder] = f"{what} not checked out (sparse checkout)"
        return found

    def _is_source(self, path: str) -> bool:
        return any(name == "." or f"{path}/".startswith(f"{name.rstrip('/')}/") for name in self.settings.source)

    def _not_followed(self, entry: os.DirEntry[str]) -> str:
        """Why a link is not followed; "" for one to a file of the project, or to a folder that is read in its own place."""
        try:
            target = Path(entry.path).resolve()
        except (OSError, RuntimeError):
            return "a link in a circle"
        if not target.is_relative_to(self.root):
            return "a link that leads out of the project"
        if not target.exists():
            return "a link that leads nowhere"
        if target.is_dir() and not self._is_source(target.relative_to(self.root).as_posix()):
            return "a link to a folder that is not among `source`"
        return ""


def _has_entries(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())
