"""Who outside of a module uses a name of it: imports, dotted use, strings. Reads every file of the code base, imports none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ..codemods.source import Source, UnreadableSourceError

if TYPE_CHECKING:
    from ..ratchet.trees import Tree
    from .module import Binding


@dataclass(frozen=True)
class Outside:
    """Everything but the file `path`, which is imported as `module`; `ignored` are files that go too."""

    tree: Tree
    path: str
    module: str
    ignored: frozenset[str] = frozenset()
    _mentions: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def uses(self, binding: Binding) -> bool:
        """Whether anybody else needs the name.

        A public name that the module defines counts as used where any other file so much as mentions it: it may be
        reached in a way that no tool sees. Private names and names that it imports itself must be named with the module.
        """
        if binding.name in self.taken or "*" in self.taken:
            return True
        is_public = binding.alias is None and not binding.name.startswith("_")
        return is_public and bool(self.mentions(binding.name))

    def mentions(self, name: str) -> tuple[str, ...]:
        """The other files that hold the name as a word, sorted."""
        if name in self._mentions:
            return self._mentions[name]
        word = re.compile(rb"(?<![\w\x80-\xff])" + re.escape(name.encode()) + rb"(?![\w\x80-\xff])")
        found = tuple(path for path, content in self._files.items() if word.search(content))
        self._mentions[name] = found
        return found

    @cached_property
    def taken(self) -> Mapping[str, tuple[str, ...]]:
        """The names that other files take from the module: imported from it, reached through it, or in a dotted string.

        With the files that do, sorted. A star import takes `*`.
        """
        last = self.module.rpartition(".")[2].encode()
        found: dict[str, list[str]] = {}
        for path, content in self._files.items():
            if last in content:
                for name in set(self._taken_by(path, content)):
                    found.setdefault(name, []).append(path)
        return {name: tuple(files) for name, files in sorted(found.items())}

    @cached_property
    def _files(self) -> dict[str, bytes]:
        paths = sorted(path for path in self.tree.paths if path != self.path and path not in self.ignored)
        return {path: content for path in paths if b"\0" not in (content := self.tree.read(path))[:1024]}

    def _taken_by(self, path: str, content: bytes) -> Iterator[str]:
        dotted = re.compile(re.escape(self.module.encode()) + rb"[.:]([^\W\d]\w*)")
        for found in dotted.finditer(content):
            yield found[1].decode()
        if not path.endswith((".py", ".pyi")):
            return
        try:
            tree = Source(content).tree
        except UnreadableSourceError:
            # Nobody can say what such a file uses, so every word in it counts.
            yield from re.findall(r"[^\W\d]\w*", content.decode("utf-8", "replace"))
            return
        last = self.module.rpartition(".")[2]
        handles = {last}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                if (node.module or "").rpartition(".")[2] == last:
                    yield from (alias.name for alias in node.names)
                handles.update(alias.asname for alias in node.names if alias.name == last and alias.asname)
            elif isinstance(node, ast.Import):
                handles.update(a.asname for a in node.names if a.name.rpartition(".")[2] == last and a.asname)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _end(node.value) in handles:
                yield node.attr


def _end(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
