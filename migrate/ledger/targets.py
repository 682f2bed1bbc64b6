"""References inside the definition of their own target: rewritten, the target would refer to itself.

    def build_graph(n):             # called = "flows.engine.build_graph"
        return BFSWalker(n)         # as `return build_graph(n)` it would never return

A target counts where it is defined, also when the configuration names it by a re-export. What else the target uses is not
looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from . import model
from .exports import flat
from .fates import IMPORTS, KEPT

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from .mention import FileFindings, Mention
    from .python import PythonFile
    from .search import Search

Span = tuple[int, int]

# What may be rewritten there, or never is.
_APART = frozenset({model.DEFINITION, model.PRIVATE_MEMBER, model.MISSING_MEMBER, *KEPT, *IMPORTS})


class Targets:
    """The targets of all symbols, each with the dotted names that it goes by."""

    def __init__(self, search: Search, symbols: Mapping[str, Symbol]) -> None:
        self._search = search
        self._names = {legacy: _names(search, symbol) for legacy, symbol in symbols.items()}

    def mark(self, findings: Mapping[str, FileFindings]) -> None:
        """Note at each mention inside the definition of its own target which target that is."""
        for path, found in findings.items():
            if not found.mentions or not self._search.is_python(path):
                continue
            source = self._search.python(path)
            for index, each in enumerate(found.mentions):
                if target := self._around(source, each):
                    found.mentions[index] = replace(each, own_target=target)

    def _around(self, source: PythonFile, each: Mention) -> str:
        names = self._names[each.resolution.symbol]
        if source.module in names:
            # A module that moved: its new place may need the old one as it is, imports and all.
            return names[source.module] if each.role not in _APART - IMPORTS else ""
        if each.role in _APART or not any(name.startswith(f"{source.module}.") for name in names):
            return ""
        inside = (target for (start, end), target in _definitions(source, names) if start <= each.start < end)
        return next(inside, "")


def _names(search: Search, symbol: Symbol) -> dict[str, str]:
    """The targets of a symbol by each name that leads to one of their definitions."""
    found: dict[str, str] = {}
    for target in (symbol.call_target, symbol.type_target, symbol.alias_target):
        for name in search.resolver.behind(target) if target else ():
            found.setdefault(name, target or name)
    return found


def _definitions(source: PythonFile, names: Mapping[str, str]) -> Iterator[tuple[Span, str]]:
    for node in flat(source.tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            own = f"{source.module}.{node.name}"
            target = next((target for name, target in names.items() if f"{name}.".startswith(f"{own}.")), "")
            if target:
                start, end = source.span(node)
                yield (min([start, *(source.span(each)[0] for each in node.decorator_list)]), end), target
