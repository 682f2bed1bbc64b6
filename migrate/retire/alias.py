"""What is left under the old name: one object through every old path.

Where the new module does not import the old one, a plain import will do. Where it does (it often takes the result types
from there), a plain import would be a cycle, whichever of the two is imported first; then the name is looked up late, by a
module `__getattr__` (PEP 562).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..codemods.checks import binds as binds_name
from ..codemods.source import Source, UnreadableSourceError
from ..ratchet.metrics.symbols import module_file

if TYPE_CHECKING:
    from ..ratchet.trees import Tree


@dataclass(frozen=True)
class Alias:
    """The old names, and the new one (`target`, dotted) that they all stand for."""

    names: tuple[str, ...]
    target: str
    lazy: bool

    @property
    def module(self) -> str:
        """The module to import from."""
        return self.target.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The name in it."""
        return self.target.rpartition(".")[2]

    def as_import(self) -> str:
        """The statement that binds the old names to the new object."""
        bound = ", ".join(self.name if old == self.name else f"{self.name} as {old}" for old in self.names)
        return f"from {self.module} import {bound}"

    def as_lookup(self) -> str:
        """The function that finds the new object when an old name is asked for."""
        listed = ", ".join(f'"{name}"' for name in self.names)
        test = f"name == {listed}" if len(self.names) == 1 else f"name in ({listed})"
        return (
            "def __getattr__(name: str) -> object:\n"
            f'    """Old names of `{self.target}`, which is imported late because it imports this module."""\n'
            f"    if {test}:\n"
            f"        from {self.module} import {self.name}\n\n"
            f"        return {self.name}\n"
            '    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")\n'
        )


def imports(tree: Tree, start: str, goal: str) -> tuple[str, ...]:
    """The chain of modules by which importing `start` imports `goal`; () where it does not. Both are dotted names."""
    chains: dict[str, tuple[str, ...]] = {start: (start,)}
    queue = [start]
    for module in queue:
        for found in sorted(set(_imported(tree, module))):
            if found == goal:
                return (*chains[module], goal)
            if found not in chains:
                chains[found] = (*chains[module], found)
                queue.append(found)
    return ()


def binds(tree: Tree, dotted: str) -> bool | None:
    """Whether a dotted name is bound where it says; None where its module is not of this code base."""
    module, _, name = dotted.rpartition(".")
    path = module_file(tree, module)
    if module_file(tree, dotted):
        return True
    if path is None:
        top = module.partition(".")[0]
        return False if module_file(tree, top or dotted) else None
    try:
        body = Source(tree.read(path)).tree.body
    except UnreadableSourceError:
        return False
    return binds_name(ast.Module([*_at_run_time(body)], []), name)


def _at_run_time(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements without those for type checkers: what only they import is not there when somebody asks for it."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from node.orelse
        else:
            yield node


def _imported(tree: Tree, module: str) -> Iterator[str]:
    """The modules of the code base that importing `module` runs by its own statements."""
    path = module_file(tree, module)
    if path is None or not path.endswith(".py"):
        return
    try:
        body = Source(tree.read(path)).tree.body
    except UnreadableSourceError:
        return
    package = module if path.endswith("/__init__.py") else module.rpartition(".")[0]
    for node in _runs(body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if module_file(tree, name))


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def _runs(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import, inside blocks and class bodies too, those for type checkers left out."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from _runs(node.orelse)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for field in ("body", "orelse", "finalbody"):
                yield from _runs(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _runs(handler.body)
