"""The role of an expression that refers to a symbol, decided by the syntax around it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from . import model
from .adapting import CallShape, shape_of
from .bindings import last_name
from .scopes import Names

TYPE_TAKERS = frozenset({"cast", "TypeVar", "NewType", "assert_type", "ParamSpec", "TypeVarTuple"})
CHECKS = frozenset({"isinstance", "issubclass"})
PARTIALS = frozenset({"partial", "partialmethod"})
GENERICS = frozenset(
    {
        "AsyncGenerator", "AsyncIterable", "AsyncIterator", "Annotated", "Awaitable", "Callable", "ClassVar",
        "Coroutine", "DefaultDict", "Deque", "Dict", "Final", "FrozenSet", "Generator", "Iterable", "Iterator", "List",
        "Mapping", "MutableMapping", "MutableSequence", "Optional", "Sequence", "Set", "Tuple", "Type", "Union",
        "defaultdict", "deque", "dict", "frozenset", "list", "set", "tuple", "type",
    }
)  # fmt: skip
"""Names whose subscript holds types, also outside an annotation (`Handler = Callable[[X], None]`)."""


def role_of(names: Names, node: ast.expr) -> str:
    """The role of the expression `node`, a name or a chain of attributes."""
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        # `m.X = …` from outside puts something else in its place, for everybody who uses it.
        return model.ESCAPE if isinstance(node, ast.Attribute) else model.DEFINITION
    if in_type_position(names, node):
        return model.ANNOTATION
    parent = names.parents.get(node)
    match parent:
        case ast.Subscript(value=value) if value is node:
            return role_of(names, parent)
        case ast.Call():
            return _in_call(names, parent, node)
        case ast.Tuple() if isinstance(around := names.parents.get(parent), (ast.Call, ast.ExceptHandler)):
            return model.ISINSTANCE if _checks(around, parent) else model.ESCAPE
        case ast.BinOp(op=ast.BitOr()) if isinstance(around := names.parents.get(parent), ast.Call):
            return model.ISINSTANCE if _checks(around, parent) else model.ESCAPE
        case _:
            return _plain(parent, node)


def _in_call(names: Names, call: ast.Call, node: ast.expr) -> str:
    if call.func is node:
        around = names.parents.get(call)
        decorates = isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        return model.DECORATOR if decorates and call in getattr(around, "decorator_list", ()) else model.CALL
    if last_name(call.func) in PARTIALS and call.args and call.args[0] is node:
        return model.PARTIAL
    return model.ISINSTANCE if _checks(call, node) else model.ESCAPE


def _checks(around: ast.AST, node: ast.AST) -> bool:
    if isinstance(around, ast.ExceptHandler):
        return around.type is node
    return isinstance(around, ast.Call) and last_name(around.func) in CHECKS and node in around.args[1:]


def _plain(parent: ast.AST | None, node: ast.expr) -> str:
    match parent:
        case ast.ClassDef(bases=bases) if node in bases:
            return model.SUBCLASS
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if node in parent.decorator_list:
            return model.DECORATOR
        case ast.Attribute():
            return model.CLASS_ATTRIBUTE
        case ast.MatchClass():
            return model.CLASS_PATTERN
        case ast.ExceptHandler():
            return model.ISINSTANCE
        case ast.Assign(targets=[ast.Name(), *_], value=value) | ast.AnnAssign(value=value) if value is node:
            return model.ALIAS
        case ast.NamedExpr(value=value) if value is node:
            return model.ALIAS
    return model.ESCAPE


def is_only_tested(node: ast.expr, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether the value of an expression is only looked at for its truth, or not at all."""
    child: ast.AST = node
    while isinstance(parent := parents.get(child), (ast.BoolOp, ast.UnaryOp, ast.Compare)):
        child = parent
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test is child
        case ast.comprehension(ifs=conditions):
            return child in conditions
        case ast.match_case(guard=guard):
            return guard is child
        case ast.Expr():
            return True
    return False


def in_type_position(names: Names, node: ast.AST) -> bool:
    """Whether `node` is (part of) an annotation, or an argument that a typing function reads as a type."""
    child = node
    for parent in names.ancestors(node):
        match parent:
            case ast.arg(annotation=found) | ast.AnnAssign(annotation=found) if found is child:
                return True
            case ast.FunctionDef(returns=found) | ast.AsyncFunctionDef(returns=found) if found is child:
                return True
            case ast.AnnAssign(annotation=declared, value=found) if found is child:
                return last_name(declared) == "TypeAlias"
            case ast.Call(func=func) if last_name(func) in TYPE_TAKERS:
                return _is_type_argument(parent, child)
            case ast.Subscript(value=value) if value is not child and last_name(value) in GENERICS:
                return last_name(value) != "Annotated" or _is_first(parent, child)
            case ast.Subscript(value=value) if value is not child and last_name(value) == "Literal":
                return False
            case ast.Subscript(slice=inner) if inner is child and _is_base(names, parent):
                return True
            case ast.Subscript() | ast.BinOp(op=ast.BitOr()) | ast.Tuple() | ast.List() | ast.Starred() | ast.keyword():
                child = parent
            case _:
                # PEP 695: the value of a `type` statement and the bound of a type parameter.
                return type(parent).__name__ in ("TypeAlias", "TypeVar")
    return False


def _is_first(subscript: ast.Subscript, child: ast.AST) -> bool:
    return (isinstance(subscript.slice, ast.Tuple) and subscript.slice.elts[0] is child) or subscript.slice is child


def _is_base(names: Names, node: ast.expr) -> bool:
    parent = names.parents.get(node)
    return isinstance(parent, ast.ClassDef) and node in parent.bases


def _is_type_argument(call: ast.Call, child: ast.AST) -> bool:
    if isinstance(child, ast.keyword):
        return child.arg in ("bound", "default", "typ")
    function = last_name(call.func)
    index = next((i for i, argument in enumerate(call.args) if argument is child), None)
    if function == "cast":
        return index == 0
    return index is not None and index > 0


def call_shape(names: Names, node: ast.expr) -> CallShape:
    """The arguments of the call in which `node` is called or handed to `partial`; no shape for any other place."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Subscript):
        parent = names.parents.get(parent)
    if not isinstance(parent, ast.Call):
        return CallShape()
    return shape_of(parent, partial=bool(parent.args) and parent.args[0] is node)
