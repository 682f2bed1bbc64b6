"""Dotted paths of a legacy symbol in configuration files become the `called` target: entry points, YAML, TOML, INI, JSON.

    class: legacy.walker.BFSWalker      # keep      class: flows.engine.build_graph      # keep
    bfs = "legacy.walker:BFSWalker"                 bfs = "flows.engine:build_graph"

Paths through a re-export or an alias count as the symbol's. Only the path's own bytes change. What the configuration passes to the class cannot be seen from here, so where the call's
arguments change too, the path stays and is flagged.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..edits import Edit
from ..ledger.model import CONFIG, Reference
from ..ledger.text import CONFIG_SUFFIXES
from .file import File
from .model import BaseCodemod, Rewrite, Said, Stage

SUFFIXES = (*sorted(CONFIG_SUFFIXES), ".txt")


class RewriteConfig(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-config"
    summary = "dotted paths in TOML, YAML, INI and JSON files name the new target"
    stage = Stage.REFERENCES
    suffixes = SUFFIXES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The paths of one file."""
        for reference in file.references:
            if reference.role != CONFIG or reference.context == "guard":
                continue
            symbol = file.symbol(reference)
            if reference.symbol in file.workspace.module_symbols and symbol.to:
                yield from _moved_module(file, reference, symbol.to)
                continue
            rules, target = symbol.arguments, symbol.call_target or symbol.alias_target
            old = reference.text
            if target is None or rules.rename or rules.drop or rules.add:
                yield file.flag(
                    reference, "config", "its arguments change, and what the configuration passes is unknown"
                )
            elif not _is_whole(file, reference.symbol, old.replace(":", ".")):
                yield file.flag(reference, "config", "only a whole dotted path is rewritten")
            else:
                new = ":".join(target.rsplit(".", 1)) if ":" in old else target
                yield Rewrite(reference, (Edit(reference.start, reference.end, file.encoded(new)),))


def _moved_module(file: File, reference: Reference, target: str) -> Iterator[Said]:
    """A path that begins with a module that moved, whatever it names in it."""
    size, old = len(reference.symbol), reference.text
    if old[:size] == reference.symbol and old[size : size + 1] in ("", ".", ":"):
        yield Rewrite(reference, (Edit(reference.start, reference.end, file.encoded(target + old[size:])),))


def _is_whole(file: File, symbol: str, path: str) -> bool:
    """Whether a path is the symbol's own or that of a name of a module, and not of a member of the symbol."""
    split = file.workspace.split(path)
    return path == symbol or (split is not None and split[1].isidentifier())
