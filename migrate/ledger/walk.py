"""One walk over a module's tree: its scopes, and every place in it that names something.

It knows nothing of legacy symbols. The first iterable of a comprehension belongs outside it, `global` and `nonlocal` bind
elsewhere, `:=` binds outside comprehensions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from .bindings import LOCAL, PARAMETER, Binding, Function, aliased, imported, named
from .exports import flat
from .scopes import Names, Scope

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def names_of(tree: ast.Module, package: str) -> Names:
    """Walk a module's tree. Raises RecursionError for a tree that is deeper than Python's limit allows."""
    walker = _Walker(package)
    walker.block(tree.body, tree)
    return walker.found


class _Walker:
    def __init__(self, package: str) -> None:
        self.package = package
        self.scope = Scope("module", None)
        self.found = Names(self.scope)
        self._bound: set[int] = set()

    def block(self, nodes: Iterable[ast.AST | None], parent: ast.AST) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, parent)

    def visit(self, node: ast.AST, parent: ast.AST) -> None:
        self.found.parents[node] = parent
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.children(node)

    def children(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self.visit(value, node)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        self.visit(item, node)

    def bind(self, name: str, binding: Binding, scope: Scope | None = None) -> None:
        scope = scope or self.scope
        if name in scope.globals:
            scope = scope.module()
        elif name in scope.nonlocals:
            outer = scope.parent
            while outer is not None and (outer.kind == "class" or name not in outer.bindings):
                outer = outer.parent
            scope = outer or scope
        scope.bindings.setdefault(name, []).append(binding)

    def inside(self, kind: str, name: str, owner: ast.AST, work: Callable[[], None]) -> None:
        outer = self.scope
        qualname = f"{outer.qualname}.{name}" if outer.qualname and name else name or outer.qualname
        self.scope = Scope(kind, outer, qualname, owner=owner)
        work()
        self.scope = outer

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store) and id(node) not in self._bound:
            self.bind(node.id, LOCAL)
        self.found.names.append((node, self.scope))

    def attribute(self, node: ast.Attribute) -> None:
        self.found.attributes.append((node, self.scope))
        self.visit(node.value, node)

    def constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, (str, bytes)):
            self.found.strings.append((node, self.scope))

    def joined(self, node: ast.JoinedStr) -> None:
        around = self.found.parents[node]
        # A format specification is a string of its own in the tree, in the middle of the one that is read.
        if not (isinstance(around, ast.FormattedValue) and around.format_spec is node):
            self.found.strings.append((node, self.scope))
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value, node)

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        self.found.imports.append((node, self.scope))
        for name, binding, alias in imported(node, self.package):
            self.found.parents[alias] = node
            self.bind(name, binding)

    def assignment(self, node: ast.stmt) -> None:
        for target, binding in aliased(node):
            self._bound.add(id(target))
            self.bind(target.id, binding)
        if isinstance(node, ast.AnnAssign):
            if node.value is None and isinstance(node.target, ast.Name):
                self._bound.add(id(node.target))
            self.block([node.annotation, node.target, node.value], node)
        else:
            self.children(node)

    def definition(self, node: Function) -> None:
        self.found.definitions.append((node, self.scope))
        self.block(node.decorator_list, node)
        self.bind(node.name, Binding("function"))
        self._function(node, node.name)

    def lambda_(self, node: ast.Lambda) -> None:
        self._function(node, "")

    def _function(self, node: Function | ast.Lambda, name: str) -> None:
        arguments = node.args
        self.found.parents[arguments] = node
        every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        taken = [argument for argument in every if argument is not None]
        self.block([*arguments.defaults, *arguments.kw_defaults], arguments)
        parameters = getattr(node, "type_params", [])

        def work() -> None:
            self.block(parameters, node)
            for argument in taken:
                self.found.parents[argument] = arguments
                self.found.words.append((argument, argument.arg, "a parameter"))
            self._annotations(node, taken)
            for argument in taken:
                self.bind(argument.arg, PARAMETER)
            if isinstance(node, ast.Lambda):
                self.visit(node.body, node)
            else:
                self.found.functions[node] = self.scope
                self._declare(node.body)
                self.block(node.body, node)

        # Annotations belong outside; a type parameter's scope lies between. Reading them before the parameters are
        # bound would not help, as bindings are looked up after the walk: so they get the outer scope, where it matters.
        self.inside("function", name, node, work)

    def _annotations(self, node: Function | ast.Lambda, taken: list[ast.arg]) -> None:
        inner = self.scope
        if not getattr(node, "type_params", []) and inner.parent is not None:
            self.scope = inner.parent
        for argument in taken:
            self.block([argument.annotation], argument)
        if not isinstance(node, ast.Lambda):
            self.block([node.returns], node)
        self.scope = inner

    def _declare(self, body: list[ast.stmt]) -> None:
        for node in flat(body):
            if isinstance(node, ast.Global):
                self.scope.globals.update(node.names)
            elif isinstance(node, ast.Nonlocal):
                self.scope.nonlocals.update(node.names)

    def declared(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.found.words.append((node, name, "a global or nonlocal statement"))

    def class_(self, node: ast.ClassDef) -> None:
        self.found.definitions.append((node, self.scope))
        self.block(node.decorator_list, node)
        self.block(node.bases, node)
        self.block(node.keywords, node)
        self.bind(node.name, Binding("class"))

        def work() -> None:
            self.found.classes[node] = self.scope
            self.block(getattr(node, "type_params", []), node)
            self.block(node.body, node)

        self.inside("class", node.name, node, work)

    def comprehension(self, node: Comprehension) -> None:
        first = node.generators[0]
        self.visit(first.iter, first)

        def work() -> None:
            for index, generator in enumerate(node.generators):
                self.found.parents[generator] = node
                self.visit(generator.target, generator)
                if index:
                    self.visit(generator.iter, generator)
                self.block(generator.ifs, generator)
            if isinstance(node, ast.DictComp):
                self.block([node.key, node.value], node)
            else:
                self.visit(node.elt, node)

        self.inside("comprehension", "", node, work)

    def walrus(self, node: ast.NamedExpr) -> None:
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self._bound.add(id(node.target))
        for _, binding in list(named(node)) or [(node.target, LOCAL)]:
            self.bind(node.target.id, binding, scope)
        self.children(node)

    def handler(self, node: ast.ExceptHandler) -> None:
        self._named(node, node.name)

    def pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self._named(node, node.name)

    def mapping(self, node: ast.MatchMapping) -> None:
        self._named(node, node.rest)

    def _named(self, node: ast.AST, name: str | None) -> None:
        if name:
            self.bind(name, LOCAL)
            self.found.words.append((node, name, "a local name"))
        self.children(node)

    def class_pattern(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self.found.words.append((node, name, "an attribute's name in a pattern"))
        self.children(node)

    def keyword(self, node: ast.keyword) -> None:
        if node.arg:
            self.found.words.append((node, node.arg, "a keyword argument's name"))
        self.visit(node.value, node)

    def type_parameter(self, node: ast.AST) -> None:
        name: str = getattr(node, "name")  # noqa: B009  (these node classes exist from Python 3.12 on)
        self.bind(name, LOCAL)
        self.found.words.append((node, name, "a type parameter"))
        self.children(node)

    def call(self, node: ast.Call) -> None:
        self.found.calls.append((node, self.scope))
        self.children(node)


_METHODS: tuple[tuple[str, Callable[[_Walker, Any], None]], ...] = (
    ("Name", _Walker.name),
    ("Attribute", _Walker.attribute),
    ("Constant", _Walker.constant),
    ("JoinedStr", _Walker.joined),
    ("TemplateStr", _Walker.joined),
    ("Import ImportFrom", _Walker.import_),
    ("Assign AnnAssign TypeAlias", _Walker.assignment),
    ("FunctionDef AsyncFunctionDef", _Walker.definition),
    ("Lambda", _Walker.lambda_),
    ("Global Nonlocal", _Walker.declared),
    ("ClassDef", _Walker.class_),
    ("ListComp SetComp DictComp GeneratorExp", _Walker.comprehension),
    ("NamedExpr", _Walker.walrus),
    ("ExceptHandler", _Walker.handler),
    ("MatchAs MatchStar", _Walker.pattern),
    ("MatchMapping", _Walker.mapping),
    ("MatchClass", _Walker.class_pattern),
    ("keyword", _Walker.keyword),
    ("TypeVar ParamSpec TypeVarTuple", _Walker.type_parameter),
    ("Call", _Walker.call),
)
# Some node classes exist in newer Pythons only.
_HANDLERS: dict[type[ast.AST], Callable[[_Walker, Any], None]] = {
    getattr(ast, name): method for names, method in _METHODS for name in names.split() if hasattr(ast, name)
}
