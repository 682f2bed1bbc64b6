"""Put a folder of the demo's package data into the work tree: only source files, never caches or other leftovers."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

SUFFIXES = frozenset({".py", ".toml", ".yaml", ".md"})
# Stored without its dot: package data globs do not match hidden files.
RENAMED = {"gitignore": ".gitignore"}


def copy_tree(name: str, target: Path) -> tuple[str, ...]:
    """Copy `demo/<name>` over `target`; returns the relative paths that were written, sorted."""
    written = []
    for relative, source in sorted(_sources(files("graphlift.migrate").joinpath("demo", name), ())):
        place = target.joinpath(*relative)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.read_bytes())
        written.append("/".join(relative))
    return tuple(written)


def _sources(folder: Traversable, prefix: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__" and not entry.name.startswith("."):
                yield from _sources(entry, (*prefix, entry.name))
        elif Path(entry.name).suffix in SUFFIXES or entry.name in RENAMED:
            yield (*prefix, RENAMED.get(entry.name, entry.name)), entry
