"""What finders of Python code share: noting a reference with its context, a doubtful one, or what an import names instead."""

from __future__ import annotations

import ast
from dataclasses import replace

from . import model
from .adapting import CallShape
from .bindings import dotted
from .contexts import context_of, is_guard, is_type_checking
from .mention import Explained, FileFindings, Mention
from .python import PythonFile
from .resolve import Resolution
from .roles import call_shape, role_of
from .scopes import Scope


class Notes:
    """Collects the findings of one Python file."""

    def __init__(self, source: PythonFile, found: FileFindings) -> None:
        self.source = source
        self.names = source.names
        self.vocabulary = source.vocabulary
        self.found = found

    def add(
        self, node: ast.AST, start: int, end: int, role: str, found: Resolution, scope: Scope, *, local: str,
        container: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Note a reference at a node; `container` is the statement around an import."""
        names, path = self.names, self.source.file.path
        top_alias = scope.kind == "module" and (
            role == model.ALIAS or (role == model.DEFINITION and len(found.chain) != 1 and found.certain)
        )
        context = context_of(
            path,
            role,
            guard=is_guard(names, node),
            shim=self.source.is_shim or top_alias or (role == model.STAR_IMPORT and path.endswith("__init__.py")),
            types=is_type_checking(names, node),
        )
        inside = role != model.DEFINITION and self.source.is_inside_own(found.symbol, start)
        shape = (
            call_shape(names, node)
            if role in (model.CALL, model.PARTIAL) and isinstance(node, ast.expr)
            else CallShape()
        )
        self.found.mentions.append(
            Mention(start, end, role, found, context, scope.qualname, local, container, inside=inside, call=shape)
        )

    def maybe(self, node: ast.expr, symbol: str, reason: str, scope: Scope) -> None:
        """Note a place that only may refer to the symbol, and flag it."""
        start, end = self.source.span(node)
        role = role_of(self.names, node)
        found = Resolution(symbol, (), (dotted(node) or self.source.file.slice(start, end),), certain=False)
        self.add(node, start, end, role, found, scope, local=dotted(node).partition(".")[0])
        self.found.mentions[-1] = replace(self.found.mentions[-1], reason=reason, flag=True)

    def explain_target(self, target: str, node: ast.expr | ast.alias, scope: Scope, start: int, end: int) -> None:
        """Say what an import that leads to no symbol names: another object, or something that cannot be seen."""
        module = target.rpartition(".")[0]
        name = target.rpartition(".")[2]
        known = self.source.resolver.has_file(module)
        exports = self.source.resolver.exports(module, [name])
        missing = exports is None or (name not in exports.names and not exports.stars)
        if known and missing and name in self.vocabulary.names and not self.source.resolver.is_module(target):
            self.found.doubts[start] = f"{module} defines no {name}"
            return
        symbol = self.vocabulary.symbol_named(name)
        unseen = not known and not self.source.resolver.is_module(module)
        if symbol and unseen and target.partition(".")[0] == symbol.partition(".")[0]:
            found = Resolution(symbol, (), (target,), certain=False)
            role = model.IMPORT if isinstance(node, ast.alias) else role_of(self.names, node)
            container = self.source.span(self.names.parents[node]) if isinstance(node, ast.alias) else None
            self.add(node, *self.source.span(node), role, found, scope, local=name, container=container)
            reason = f"{module} is not in the source folders; it may re-export the symbol"
            self.found.mentions[-1] = replace(self.found.mentions[-1], reason=reason, flag=True)
            return
        self.found.explained.append(Explained(start, end, f"another object: {target}"))
