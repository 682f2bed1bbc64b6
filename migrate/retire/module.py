"""A module's top level: what each statement binds and uses, and what would be left unused without some of them.

Pure: it works on one source. Who uses a name from outside is asked through a function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..codemods.imports import ImportStatement
from ..codemods.source import Source

_WORD = re.compile(r"[^\W\d]\w*")
_HARMLESS_CALLS = frozenset(
    {
        "ContextVar", "Lock", "NewType", "ParamSpec", "Path", "TypeVar", "compile", "dict", "frozenset", "getLogger",
        "get_logger", "list", "namedtuple", "object", "set", "tuple",
    }
)  # fmt: skip
_HARMLESS_DECORATORS = frozenset(
    {
        "asynccontextmanager", "cache", "contextmanager", "dataclass", "final", "lru_cache", "overload", "runtime_checkable",
        "total_ordering", "unique", "wraps",
    }
)  # fmt: skip

_NAMING_CALLS = frozenset({"cast", "TypeVar", "NewType", "ForwardRef", "getattr", "hasattr", "get_type_hints"})

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Binding:
    """A name that a module binds at its top: by a definition, an assignment, or an import (`alias`)."""

    name: str
    statement: ast.stmt
    alias: ast.alias | None = None


@dataclass(frozen=True)
class Dead:
    """What goes: statements as a whole, and single names of import statements."""

    statements: tuple[ast.stmt, ...]
    imports: dict[ImportStatement, tuple[ast.alias, ...]]
    names: frozenset[str]


@dataclass
class Module:
    """A source's top level."""

    source: Source
    _uses: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def statements(self) -> tuple[ast.stmt, ...]:
        """The statements at the top; those of an `if TYPE_CHECKING:` or `try:` block count by themselves, where imports."""
        return tuple(_top(self.source.tree.body))

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Every name that a definition, a simple assignment or an import binds."""
        return tuple(binding for statement in self.statements for binding in _bindings(statement))

    @cached_property
    def exported(self) -> frozenset[str]:
        """The names in `__all__`."""
        return frozenset(str(item.value) for item in self.export_items)

    @cached_property
    def export_items(self) -> tuple[ast.Constant, ...]:
        """The strings of a literal `__all__`."""
        node = self.export_list
        return tuple(e for e in node.elts if isinstance(e, ast.Constant)) if node else ()

    @cached_property
    def export_list(self) -> ast.List | ast.Tuple | None:
        """The list of `__all__`, where it is a literal."""
        for statement in self.source.tree.body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id="__all__")], value=(ast.List() | ast.Tuple()) as value)
                    | ast.AnnAssign(target=ast.Name(id="__all__"), value=(ast.List() | ast.Tuple()) as value)
                ):
                    return value
        return None

    def definition(self, name: str) -> Definition | None:
        """The class or function of that name, the last where there are several."""
        found = [node for node in self.source.tree.body if isinstance(node, Definition) and node.name == name]
        return found[-1] if found else None

    def aliases(self, name: str) -> tuple[ast.Assign, ...]:
        """The assignments `other = name` at the top, those of their names too."""
        found: list[ast.Assign] = []
        names = {name}
        for node in self.source.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=known)) if known in names:
                    names.add(other)
                    found.append(node)
        return tuple(found)

    def uses(self, statement: ast.stmt) -> frozenset[str]:
        """The names that a statement mentions, those quoted in annotations and look-ups too."""
        if id(statement) not in self._uses:
            self._uses[id(statement)] = frozenset(_mentions(statement))
        return self._uses[id(statement)]

    def left_unused(
        self, gone: Iterable[ast.stmt], is_used_outside: Callable[[Binding], bool], kept: frozenset[str]
    ) -> Dead:
        """What only the statements in `gone` used, directly or through something that goes with them.

        A binding goes where nothing that stays uses it, nobody outside does, and running its statement has no other
        effect. `kept` are names that stay in any case.
        """
        dead: set[int] = {id(statement) for statement in gone}
        dead_names: set[str] = set()
        while True:
            wanted = {name for node in self.statements if id(node) in dead for name in self.uses(node)}
            candidates = [
                b
                for b in self.bindings
                if b.name in wanted - dead_names - kept - {"TYPE_CHECKING"} and id(b.statement) not in dead
            ]
            fresh = {b.name for b in candidates if self._is_dead(b, dead, dead_names) and not is_used_outside(b)}
            if not fresh:
                break
            dead_names |= fresh
            dead |= {id(b.statement) for b in candidates if b.name in fresh and b.alias is None}
        return self._dead(dead, dead_names)

    def _is_dead(self, binding: Binding, dead: set[int], dead_names: set[str]) -> bool:
        if binding.name in self.exported and binding.alias is not None:
            return False
        if binding.alias is None and not _is_harmless(binding.statement):
            return False
        for node in self.statements:
            if id(node) in dead or node is binding.statement or isinstance(node, ImportStatement) or self._is_all(node):
                continue
            if binding.name in self.uses(node):
                return False
        others = [b for b in self.bindings if b.name == binding.name and b.statement is not binding.statement]
        return all(id(b.statement) in dead for b in others if b.name not in dead_names)

    def _is_all(self, node: ast.stmt) -> bool:
        return self.export_list is not None and self.export_list is getattr(node, "value", None)

    def _dead(self, dead: set[int], names: set[str]) -> Dead:
        imports: dict[ImportStatement, list[ast.alias]] = {}
        for binding in self.bindings:
            if binding.alias is not None and binding.name in names and isinstance(binding.statement, ImportStatement):
                imports.setdefault(binding.statement, []).append(binding.alias)
        statements = tuple(node for node in self.statements if id(node) in dead)
        bound = {b.name for b in self.bindings if id(b.statement) in dead}
        return Dead(statements, {node: tuple(found) for node, found in imports.items()}, frozenset(names | bound))


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and _is_type_checking(node.test) and not node.orelse:
            yield from node.body
        else:
            yield node


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _bindings(statement: ast.stmt) -> Iterator[Binding]:
    match statement:
        case ast.ImportFrom(module="__future__"):
            return
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                bound = alias.asname or (
                    alias.name.partition(".")[0] if isinstance(statement, ast.Import) else alias.name
                )
                if bound != "*":
                    yield Binding(bound, statement, alias)
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield Binding(name, statement)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            if not (name.startswith("__") and name.endswith("__")):
                yield Binding(name, statement)


def _is_harmless(statement: ast.stmt) -> bool:
    """Whether nothing but the name is lost when the statement goes: no call that could register something."""
    if isinstance(statement, Definition):
        return all(_last(decorator) in _HARMLESS_DECORATORS for decorator in statement.decorator_list)
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    return all(_last(call) in _HARMLESS_CALLS for call in calls)


def _last(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _mentions(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Global):
            yield from node.names
        for part in _may_quote_names(node):
            for text in ast.walk(part):
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield from _WORD.findall(text.value)


def _may_quote_names(node: ast.AST) -> Iterator[ast.AST]:
    """Where a string may name something: annotations, subscripts, and calls that look names up."""
    match node:
        case ast.arg(annotation=ast.expr() as part) | ast.AnnAssign(annotation=part) | ast.Subscript(slice=part):
            yield part
        case ast.FunctionDef(returns=ast.expr() as part) | ast.AsyncFunctionDef(returns=ast.expr() as part):
            yield part
        case ast.Call(args=args) if _last(node) in _NAMING_CALLS:
            yield from args
