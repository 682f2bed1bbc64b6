"""What hands out instances of a legacy symbol to other modules: functions that return one, names and attributes that hold one.

Read from the files that name the symbol; how far a value travels beyond that is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .bindings import Function
from .mention import FileFindings
from .objects import Objects

if TYPE_CHECKING:
    from .python import PythonFile


@dataclass(frozen=True)
class Givers:
    """By absolute dotted name, the symbol of which one gets an instance.

    `results`: by calling it; `values`: by naming it; `holders`: by asking an instance of this class for that attribute. A class with a
    method among `results` is among `holders` too.
    """

    results: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    holders: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def words(self) -> frozenset[str]:
        """The last names of all of them; a file that holds none of these gets nothing."""
        return frozenset(name.rpartition(".")[2] for name in (*self.results, *self.values, *self.holders))


def givers_of(sources: Mapping[str, PythonFile], findings: Mapping[str, FileFindings]) -> Givers:
    """The givers among the files that were read."""
    results: dict[str, str] = {}
    values: dict[str, str] = {}
    holders: dict[str, dict[str, str]] = {}
    for path, source in sources.items():
        if not source.module or not findings[path].mentions:
            continue
        objects = Objects(source, findings[path])
        for name, symbol, owner in _results(source, objects):
            results[name] = symbol
            if owner:
                holders.setdefault(owner, {})
        for (place, name), found in objects.held.items():
            if place == id(source.names.module):
                values[source.qualified(source.names.module, name)] = found.symbol
            for node, scope in source.names.classes.items():
                if place == id(scope) and node not in source.own_definitions:
                    holders.setdefault(f"{source.module}.{scope.qualname}", {})[name] = found.symbol
    return Givers(results, values, holders)


def _results(source: PythonFile, objects: Objects) -> Iterator[tuple[str, str, str]]:
    """The functions that give an instance: the name, the symbol, and the class of which it is a method."""
    for node, scope in source.names.functions.items():
        declared = objects.declared(node.returns) if node.returns is not None else None
        given = (objects.instance(value, scope) for value in _given(node))
        found = declared or next((each for each in given if each), None)
        if found is not None:
            name = f"{source.module}.{scope.qualname}"
            yield name, found.symbol, name.rpartition(".")[0] if scope.parent and scope.parent.kind == "class" else ""


def _given(node: Function) -> Iterator[ast.expr]:
    """What a function returns or yields, nested ones left out."""
    left: list[ast.AST] = [*node.body]
    while left:
        child = left.pop()
        if isinstance(child, (ast.Return, ast.Yield)) and child.value is not None:
            yield child.value
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            left.extend(ast.iter_child_nodes(child))
