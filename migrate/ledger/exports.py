"""What a module exposes to others: the names bound at its top, in its classes, by stars and by lazy loading.

Read from the module's statements only, function bodies left out, so that it is cheap for files of which nothing else is
wanted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .bindings import LOCAL, Binding, aliased, dotted, imported, named
from .layout import absolute
from .lazy import lazy_names, strings_in


@dataclass
class Exports:
    """The names of one module. Names of a class's body stand as `Class.name`; bases of a class under its name."""

    names: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    lazy: dict[str, str] = field(default_factory=dict)
    listed: frozenset[str] | None = None
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def is_public(self, name: str) -> bool:
        """Whether a star import of the module binds `name`."""
        return name in self.listed if self.listed is not None else not name.startswith("_")


def exports_of(tree: ast.Module, module: str, package: str) -> Exports:
    """What the module `module` with this tree exposes."""
    exports = Exports()
    _read(tree.body, "", package, exports)
    exports.lazy = lazy_names(tree, module, package)
    exports.listed = _listed(tree)
    return exports


def _read(body: Iterable[ast.stmt], prefix: str, package: str, exports: Exports) -> None:
    for node in flat(body):
        match node:
            case ast.Import() | ast.ImportFrom():
                if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                    exports.stars.append(absolute(node.module, node.level, package))
                for name, binding, _ in imported(node, package):
                    exports.names.setdefault(prefix + name, []).append(binding)
            case ast.ClassDef():
                exports.names.setdefault(prefix + node.name, []).append(Binding("class"))
                exports.bases[prefix + node.name] = tuple(text for base in node.bases if (text := dotted(base)))
                _read(node.body, f"{prefix}{node.name}.", package, exports)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                exports.names.setdefault(prefix + node.name, []).append(Binding("function"))
            case _:
                _read_assignment(node, prefix, exports)


def _read_assignment(node: ast.stmt, prefix: str, exports: Exports) -> None:
    found = list(aliased(node))
    for target, binding in found:
        exports.names.setdefault(prefix + target.id, []).append(binding)
    for expression in _expressions(node):
        for child in ast.walk(expression):
            if isinstance(child, ast.NamedExpr):
                for target, binding in list(named(child)) or [(child.target, LOCAL)]:
                    exports.names.setdefault(prefix + target.id, []).append(binding)
    known = {id(target) for target, _ in found}
    for child in _targets(node):
        if id(child) not in known:
            exports.names.setdefault(prefix + child.id, []).append(LOCAL)


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """Where a statement that is no definition usually binds a name by `:=`."""
    match node:
        case ast.If(test=found) | ast.While(test=found) | ast.Expr(value=found) | ast.Assert(test=found):
            yield found
        case ast.Assign(value=found):
            if not isinstance(found, (ast.Constant, ast.Name, ast.Dict, ast.List)):
                yield found


def _targets(node: ast.stmt) -> Iterator[ast.Name]:
    match node:
        case ast.Assign(targets=targets):
            roots: list[ast.expr] = targets
        case ast.AnnAssign(target=target, value=value):
            # A bare annotation binds nothing.
            roots = [target] if value is not None else []
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            roots = [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            roots = [item.optional_vars for item in items if item.optional_vars]
        case _:
            return
    for root in roots:
        for child in ast.walk(root):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                yield child


def flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks inside it that are no scopes of their own."""
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from flat(getattr(node, block, ()))
        for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from flat(handler.body)


def _listed(tree: ast.Module) -> frozenset[str] | None:
    found: set[str] = set()
    seen = False
    for node in flat(tree.body):
        value = listing(node)
        if value is not None:
            seen = True
            found.update(strings_in(value))
    return frozenset(found) if seen else None


def listing(node: ast.stmt) -> ast.expr | None:
    """The value that a statement gives or adds to `__all__`; None for any other statement."""
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            return value
        case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
            return value
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
            return value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__")), args=[value])):
            return value
    return None
