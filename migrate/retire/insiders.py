"""Tests that test nothing but a symbol's inside: whole files, and single tests of files that test other things too.

A test counts as such where it reaches into private members; a file, where every test of it refers to the symbol as well. What
goes with a test is what only it used: imports, and helpers whose names begin with an underscore. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .module import Binding, Definition, Module
from .surgery import cut
from .verifying import verify

if TYPE_CHECKING:
    from ..codemods.source import Source
    from ..ledger import Ledger, Reference

Sources = Callable[[str], "Source"]


@dataclass(frozen=True)
class Insiders:
    """Files that go as a whole, and by file the names of the tests that go out of it."""

    files: frozenset[str]
    parts: Mapping[str, frozenset[str]]

    @property
    def named(self) -> tuple[str, ...]:
        """All of them, as `FILE` or `FILE::TEST`, sorted."""
        parts = [f"{file}::{name}" for file, names in self.parts.items() for name in names]
        return tuple(sorted([*self.files, *parts]))

    def hold(self, item: Reference) -> bool:
        """Whether a reference goes with them."""
        return item.file in self.files or _top(item) in self.parts.get(item.file, ())

    def after(self, source: Sources) -> dict[str, bytes | None]:
        """What the files become; None where one goes. Raises `UsageError` where the rest would not be sound."""
        found: dict[str, bytes | None] = dict.fromkeys(self.files)
        for file, names in self.parts.items():
            module = Module(source(file))
            gone = [node for node in module.source.tree.body if isinstance(node, Definition) and node.name in names]
            found[file] = cut(module, module.left_unused(gone, _may_be_used, frozenset()))
            verify(file, module.source, found[file] or b"")
        return found


NONE = Insiders(frozenset(), {})


def find_insiders(ledger: Ledger, symbol: str, inside: Iterable[Reference], source: Sources) -> Insiders:
    """The tests that go; `inside` are the uses of private members in tests."""
    by_file: dict[str, set[str]] = {}
    for item in inside:
        by_file.setdefault(item.file, set()).add(_top(item))
    files: set[str] = set()
    parts: dict[str, frozenset[str]] = {}
    for file, reaching in sorted(by_file.items()):
        tests = _tests(source(file).tree)
        named = {_top(item) for item in ledger.in_file(file) if item.symbol == symbol}
        if tests and named >= tests.keys():
            files.add(file)
        elif single := {
            name for name in reaching & tests.keys() if isinstance(tests[name], ast.FunctionDef | ast.AsyncFunctionDef)
        }:
            parts[file] = frozenset(single)
    return Insiders(frozenset(files), parts)


def _top(item: Reference) -> str:
    return item.function.partition(".")[0]


def _tests(tree: ast.Module) -> dict[str, ast.stmt]:
    return {
        node.name: node for node in tree.body if isinstance(node, Definition) and node.name.lower().startswith("test")
    }


def _may_be_used(binding: Binding) -> bool:
    """A fixture is used by a parameter's name, and a public helper perhaps from elsewhere."""
    return binding.alias is None and not binding.name.startswith("_")
