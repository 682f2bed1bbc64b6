"""Graphs as a module writes them down: `StateGraph(...)` and the calls on it, followed by syntax alone.

Nothing is imported or run. Loops over constants are followed; a name, a target or a whole builder that cannot be seen makes
the graph incomplete, and rules that would have to guess leave it alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .calls import METHODS, Calls, Draft, keyword, made_in_memory
from .model import Wired
from .names import OPAQUE, Module

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def read_graphs(file: str, text: str) -> tuple[Wired, ...]:
    """Every graph that a module builds, in the order of its source. Raises `SyntaxError` where it does not parse."""
    if "StateGraph" not in text:
        return ()
    tree = ast.parse(text)
    module = Module.of(tree)
    found: list[Wired] = []
    for scope in (tree, *(n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))):
        found.extend(_Reader(file, module).read(scope))
    return tuple(sorted(found, key=lambda wired: wired.place))


class _Reader(Calls):
    """Follows the statements of one scope."""

    def __init__(self, file: str, module: Module) -> None:
        super().__init__(file, module)
        self.drafts: dict[str, Draft] = {}
        self.anonymous: list[Draft] = []

    def read(self, scope: Scope) -> Iterator[Wired]:
        if not isinstance(scope, ast.Module):
            self._parameters(scope)
        self._statements(scope.body)
        drafts = {id(draft): draft for draft in (*self.drafts.values(), *self.anonymous)}
        yield from (draft.finished() for draft in drafts.values() if draft.nodes or draft.edges or draft.looped)

    def _parameters(self, scope: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A parameter that is annotated as a builder is one, of which this function sees only a part."""
        for argument in (*scope.args.args, *scope.args.kwonlyargs):
            self.local[argument.arg] = OPAQUE
            if argument.annotation is not None and _is_builder(ast.unparse(argument.annotation).split("[")[0]):
                stock = "Inclusive" not in ast.unparse(argument.annotation)
                self.drafts[argument.arg] = Draft(argument.arg, self.place(argument), stock, None, complete=False)

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, (ast.For, ast.AsyncFor)):
                self._loop(statement.target, statement.iter, statement.body)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            elif isinstance(statement, (ast.If, ast.While, ast.With, ast.AsyncWith, ast.Try)):
                self._compound(statement)
            else:
                self._simple(statement)

    def _compound(self, statement: ast.If | ast.While | ast.With | ast.AsyncWith | ast.Try) -> None:
        before = self._size()
        for name in ("body", "orelse", "finalbody"):
            self._statements(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            self._statements(handler.body)
        if isinstance(statement, (ast.If, ast.While)) and self._size() != before:
            # Wiring that depends on a condition: what the graph looks like is not one thing.
            for draft in self.drafts.values():
                draft.complete = False

    def _size(self) -> int:
        return sum(len(d.nodes) + len(d.edges) + len(d.joins) + len(d.routers) for d in self.drafts.values())

    def _loop(self, target: ast.expr, over: ast.expr, body: list[ast.stmt]) -> None:
        values = self.module.value(over, self.local)
        if isinstance(values, list) and OPAQUE not in values:
            for value in values:
                self._bind(target, value)
                self._statements(body)
            return
        self._bind(target, OPAQUE)
        self.unseen.append({node.id for node in ast.walk(target) if isinstance(node, ast.Name)})
        self._statements(body)
        self.unseen.pop()

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.local[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if isinstance(value, list) and len(value) == len(target.elts) else [OPAQUE] * len(target.elts)
            for inner, part in zip(target.elts, parts, strict=True):
                self._bind(inner, part)

    def _simple(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            draft = self._builder(statement.value)
            for target in targets:
                self._assigned(target, statement.value, draft)
            if draft is None:
                self._expression(statement.value)
            return
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.expr):
                self._expression(node)

    def _assigned(self, target: ast.expr, value: ast.expr, draft: Draft | None) -> None:
        name = ast.unparse(target)
        if draft is not None:
            if draft.name == "":
                draft.name = name
            self.drafts[name] = draft
        elif isinstance(target, ast.Name):
            self.local[target.id] = self.module.value(value, self.local)
            if made_in_memory(value):
                self.volatile.add(name)

    def _expression(self, node: ast.expr) -> None:
        """Find the calls on builders, wherever they stand in an expression; a builder handed on is incomplete."""
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
            self._loop(node.generators[0].target, node.generators[0].iter, [ast.Expr(node.elt, lineno=1, col_offset=0)])
            return
        if isinstance(node, ast.Call) and self._builder(node) is not None:
            return
        if isinstance(node, ast.Call):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if (draft := self.drafts.get(ast.unparse(argument))) is not None:
                    draft.complete = False
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)

    def _builder(self, node: ast.expr) -> Draft | None:
        """The builder that an expression is: a known name, `StateGraph(...)`, or a call on either; the call is read."""
        known = self.drafts.get(ast.unparse(node)) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if known is not None or not isinstance(node, ast.Call):
            return known
        if _is_builder(ast.unparse(node.func).split("[")[0]):
            return self._started(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            draft = self._builder(node.func.value)
            if draft is not None:
                self.call(node.func.attr, draft, node)
                return None if node.func.attr == "compile" else draft
        return None

    def _started(self, node: ast.Call) -> Draft:
        schema = node.args[0] if node.args else keyword(node, "state_schema")
        stock = "Inclusive" not in ast.unparse(node.func)
        draft = Draft("", self.place(node), stock, self.module.keys(schema))
        self.anonymous.append(draft)
        return draft


def _is_builder(name: str) -> bool:
    last = name.strip("'\"").rsplit(".", 1)[-1]
    return last.endswith("StateGraph") and not last.startswith("Compiled")
