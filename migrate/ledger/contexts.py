"""In which context a place stands: live code, a test, types only, a shim, prose, or a guard that a name is gone."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

from . import model
from .bindings import last_name
from .scopes import Names

TEST_FOLDERS = frozenset({"test", "tests", "testing", "unit_tests", "integration_tests"})
PROSE_ROLES = frozenset({model.PROSE, model.DOCSTRING_EXAMPLE, model.COMMENT})
TYPE_ROLES = frozenset({model.ANNOTATION, model.STRING_ANNOTATION})
SHIM_ROLES = frozenset({model.RE_EXPORT, model.LAZY_EXPORT})
ABSENT = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests, by its name or a folder's."""
    pure = PurePosixPath(path)
    stem = pure.stem
    return (
        stem.startswith("test_")
        or stem.endswith("_test")
        or stem in ("conftest", "tests")
        or not TEST_FOLDERS.isdisjoint(pure.parts[:-1])
    )


def context_of(path: str, role: str, *, guard: bool = False, shim: bool = False, types: bool = False) -> model.Context:
    """The context of a place in `path`: the first of guard, prose, test, shim, type-only and live that holds."""
    if guard:
        return "guard"
    if role in PROSE_ROLES:
        return "prose"
    if is_test(path):
        return "test"
    if shim or role in SHIM_ROLES:
        return "shim"
    if types or role in TYPE_ROLES or path.endswith(".pyi"):
        return "type-only"
    return "live"


def is_guard(names: Names, node: ast.AST) -> bool:
    """Whether the place only checks that a name is absent.

    `assert not hasattr(m, "X")`, `assert "X" not in text`, and an import or a bare `m.X` under `pytest.raises`. An
    assertion about what an instance does is no guard.
    """
    text = isinstance(node, (ast.Constant, ast.JoinedStr))
    bare = text or isinstance(node, ast.alias) or isinstance(names.parents.get(node), ast.Expr)
    for parent in names.ancestors(node):
        match parent:
            case ast.Assert(test=test) if text:
                return _denies(test)
            case ast.Call(func=func) if text and last_name(func) in ("assertNotIn", "assertNotHasAttr", "assertFalse"):
                return True
            case ast.With(items=items) | ast.AsyncWith(items=items) if bare:
                if any(_expects_absence(item.context_expr) for item in items):
                    return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return False
    return False


def _denies(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.NotIn()]):
            return True
        case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None | False)]):
            return True
        case ast.BoolOp(values=values):
            return all(_denies(value) for value in values)
    return False


def _expects_absence(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=func, args=[ast.Tuple(elts=expected), *_]) if last_name(func) in ("raises", "assertRaises"):
            return all(last_name(error) in ABSENT for error in expected)
        case ast.Call(func=func, args=[expected, *_]) if last_name(func) in ("raises", "assertRaises"):
            return last_name(expected) in ABSENT
    return False


def is_type_checking(names: Names, node: ast.AST) -> bool:
    """Whether the place stands in the body of `if TYPE_CHECKING:`."""
    child = node
    for parent in names.ancestors(node):
        if isinstance(parent, ast.If) and last_name(parent.test) == "TYPE_CHECKING" and child in parent.body:
            return True
        child = parent
    return False


def is_shim(tree: ast.Module) -> bool:
    """Whether a module only passes names on: imports, `X = Y`, `__all__`, a docstring, warnings; nothing of its own."""
    passes_on = False
    for node in tree.body:
        match node:
            case ast.ImportFrom(module="__future__"):
                continue
            case ast.Import() | ast.ImportFrom():
                passes_on = True
            case ast.Assign(targets=targets, value=ast.Name() | ast.Attribute()) if not any(
                isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets
            ):
                continue
            case (
                ast.Assign(value=ast.List(elts=parts) | ast.Tuple(elts=parts))
                | ast.AugAssign(value=ast.List(elts=parts) | ast.Tuple(elts=parts))
            ) if all(isinstance(part, ast.Constant) for part in parts):
                continue
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case ast.Expr(value=ast.Call(func=func)) if last_name(func) in ("warn", "simplefilter", "extend", "append"):
                continue
            case _:
                return False
    return passes_on
