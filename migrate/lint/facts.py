"""What the source of one function shows: the keys it writes, where it routes, what it mutates, what can raise.

Reads syntax only. Whatever is not plain to see is left open rather than guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from .model import END, START, Facts, Place

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Constant = Callable[[ast.expr], object]
"""Evaluates a constant expression; anything that is none gives None."""

_MUTATORS = frozenset(
    {"add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort", "update"}
)
_RAISING_CALLS = frozenset({"int", "float", "next", "max", "min", "json.loads"})


def facts_of(function: Function, file: str, constant: Constant) -> Facts:
    """The facts of a node's function or of a router."""
    state = _first_argument(function)
    returns = list(_returns(function))
    picks = [_picked(value, constant) for value in returns if value is not None]
    nothing = tuple(value.lineno for value in returns if value is not None and _is_nothing(value))
    routed = list(_routed(function, constant))
    gotos = [(line, name) for line, name in routed if isinstance(name, str) and name not in (START, END)]
    writes: set[str] | None = set()
    for value in returns:
        keys = _keys(value, function, constant)
        writes = None if writes is None or keys is None else writes | keys
    return Facts(
        place=Place(file, function.lineno, function.col_offset + 1),
        writes=None if writes is None else frozenset(writes),
        whole_state=tuple(value.lineno for value in returns if value is not None and _is_whole(value, state)),
        copied_keys=tuple(found for value in returns if value is not None for found in _copied(value, state)),
        mutations=tuple(_mutations(function, state)),
        asks=any(_called(node) == "interrupt" for node in _own(function)),
        gotos=tuple(gotos),
        open_goto=any(not isinstance(name, str) for _, name in routed),
        sends=tuple(_sends(function, constant)),
        picks=_all_picks(picks) if picks else None,
        several=_returns_several(function, returns),
        nothing=nothing,
        literal=_literal(function, constant),
        raises=tuple(_raising(function)),
    )


def _first_argument(function: Function) -> str:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names[0] if names else ""


def _own(function: Function) -> Iterator[ast.AST]:
    """Every node of the function's body but not of functions inside it."""
    todo: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo[:0] = ast.iter_child_nodes(node)


def _returns(function: Function) -> Iterator[ast.expr | None]:
    if isinstance(function, ast.Lambda):
        yield from _branches(function.body)
        return
    for node in _own(function):
        if isinstance(node, ast.Return):
            yield from _branches(node.value) if node.value is not None else (None,)


def _branches(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _branches(value.body)
        yield from _branches(value.orelse)
    else:
        yield value


def _picked(value: ast.expr, constant: Constant) -> frozenset[str] | None:
    """The nodes that one return of a router picks; Sends are not among them. None when not constant."""
    if isinstance(value, (ast.List, ast.Tuple)):
        parts = [part for part in value.elts if _called(part) != "Send"]
        names = [constant(part) for part in parts]
        return frozenset(map(str, names)) if all(isinstance(name, str) for name in names) else None
    if _called(value) == "Send" or (isinstance(value, ast.ListComp) and _called(value.elt) == "Send"):
        return frozenset()
    if _is_nothing(value):
        return frozenset()
    found = constant(value)
    return frozenset({found}) if isinstance(found, str) else None


def _all_picks(picks: list[frozenset[str] | None]) -> tuple[frozenset[str], ...] | None:
    known = [pick for pick in picks if pick is not None]
    return tuple(sorted(set(known), key=sorted)) if len(known) == len(picks) else None


def _is_nothing(value: ast.expr) -> bool:
    empty = isinstance(value, (ast.List, ast.Tuple)) and not value.elts
    return empty or (isinstance(value, ast.Constant) and value.value is None)


def _returns_several(function: Function, returns: list[ast.expr | None]) -> bool:
    """Whether a router may pick more than one node, by what it returns or by its annotation."""
    kinds = (ast.List, ast.Tuple, ast.ListComp, ast.Set)
    if any(isinstance(value, kinds) for value in returns):
        return True
    annotation = getattr(function, "returns", None)
    return annotation is not None and ast.unparse(annotation).lower().startswith(
        ("list", "sequence", "tuple", "iterable")
    )


def _literal(function: Function, constant: Constant) -> frozenset[str] | None:
    """The nodes that the annotation `-> Literal[...]` (or `Command[Literal[...]]`) names."""
    annotation = getattr(function, "returns", None)
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            names = [constant(part) for part in parts]
            if all(isinstance(name, str) for name in names):
                return frozenset(map(str, names))
    return None


def _keys(value: ast.expr | None, function: Function, constant: Constant) -> set[str] | None:
    """The state keys that one return writes."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return set()
    if isinstance(value, ast.Name):
        assigned = [n.value for n in _own(function) if isinstance(n, ast.Assign) and _targets(n, value.id)]
        return (
            _keys(assigned[0], function, constant)
            if len(assigned) == 1 and not isinstance(assigned[0], ast.Name)
            else None
        )
    if _called(value) in ("Command", "dict") and isinstance(value, ast.Call):
        if _called(value) == "dict":
            return None if value.args else {str(keyword.arg) for keyword in value.keywords if keyword.arg}
        update = next((keyword.value for keyword in value.keywords if keyword.arg == "update"), None)
        return _keys(update, function, constant)
    if isinstance(value, ast.Dict) and all(key is not None for key in value.keys):
        names = [constant(key) for key in value.keys if key is not None]
        return {str(name) for name in names} if all(isinstance(name, str) for name in names) else None
    return None


def _targets(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _is_whole(value: ast.expr, state: str) -> bool:
    """`state`, `{**state, …}`, `dict(state, …)`, `state | {…}`, `state.copy()`."""
    return bool(state) and _copies(value, lambda part: isinstance(part, ast.Name) and part.id == state)


def _copied(value: ast.expr, state: str) -> Iterator[tuple[int, str]]:
    """`{"key": {**state["key"], …}}` and its like: the whole of a map that others may write to as well."""
    if not isinstance(value, ast.Dict):
        return
    for key, part in zip(value.keys, value.values, strict=True):
        constant = isinstance(key, ast.Constant) and isinstance(key.value, str) and not isinstance(part, ast.Subscript)
        if constant and isinstance(key, ast.Constant) and _copies(part, partial(_reads_key, state, str(key.value))):
            yield part.lineno, str(key.value)


def _copies(value: ast.expr, is_source: Callable[[ast.expr], bool]) -> bool:
    if is_source(value):
        return True
    if isinstance(value, ast.Dict):
        return any(key is None and is_source(part) for key, part in zip(value.keys, value.values, strict=True))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return is_source(value.left) or is_source(value.right)
    if isinstance(value, ast.Call):
        if _called(value) == "dict":
            unpacked = [keyword.value for keyword in value.keywords if keyword.arg is None]
            return any(is_source(part) for part in (*value.args, *unpacked))
        return isinstance(value.func, ast.Attribute) and value.func.attr == "copy" and is_source(value.func.value)
    return False


def _reads_key(state: str, key: str, value: ast.expr) -> bool:
    return _reads(value, state) == key


def _reads(value: ast.expr, state: str) -> str | None:
    """The key that `state["key"]` or `state.get("key", …)` reads."""
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id == state:
        return (
            value.slice.value if isinstance(value.slice, ast.Constant) and isinstance(value.slice.value, str) else None
        )
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "get":
        owner = value.func.value
        if isinstance(owner, ast.Name) and owner.id == state and value.args and isinstance(value.args[0], ast.Constant):
            return str(value.args[0].value)
    return None


def _rooted(value: ast.expr, state: str) -> bool:
    """Whether an expression is a part of the state: `state[…]`, `state[…][…].x`."""
    inner = value
    while isinstance(inner, (ast.Subscript, ast.Attribute)):
        inner = inner.value
    return inner is not value and isinstance(inner, ast.Name) and inner.id == state


def _mutations(function: Function, state: str) -> Iterator[tuple[int, str]]:
    for node in _own(function) if state else ():
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            yield from ((node.lineno, ast.unparse(target)) for target in targets if _rooted(target, state))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            owner = node.func.value
            whole = isinstance(owner, ast.Name) and owner.id == state and node.func.attr != "add"
            if whole or _rooted(owner, state):
                yield node.lineno, f"{ast.unparse(node.func)}()"


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func).rsplit(".", 1)[-1] if isinstance(node, ast.Call) else ""


def _routed(function: Function, constant: Constant) -> Iterator[tuple[int, object]]:
    """Every `goto` of a Command to a node of this graph: its line, and the name or None where it is not constant."""
    for node in _own(function):
        if not isinstance(node, ast.Call) or _called(node) != "Command" or _to_parent(node):
            continue
        goto = next((keyword.value for keyword in node.keywords if keyword.arg == "goto"), None)
        parts = goto.elts if isinstance(goto, (ast.List, ast.Tuple)) else [goto] if goto is not None else []
        for part in (branch for whole in parts for branch in _branches(whole)):
            if _called(part) != "Send" and not (isinstance(part, ast.ListComp) and _called(part.elt) == "Send"):
                yield part.lineno, constant(part)


def _to_parent(node: ast.Call) -> bool:
    return any(keyword.arg == "graph" for keyword in node.keywords)


def _sends(function: Function, constant: Constant) -> Iterator[tuple[int, str]]:
    for node in _own(function):
        if isinstance(node, ast.Call) and _called(node) == "Send" and node.args:
            name = constant(node.args[0])
            if isinstance(name, str):
                yield node.lineno, name


def _raising(function: Function) -> Iterator[tuple[int, str]]:
    """What can raise in a router without an exception being caught: only what is plain to see."""
    caught = {
        id(inner)
        for node in _own(function)
        if isinstance(node, ast.Try)
        for part in node.body
        for inner in ast.walk(part)
    }
    for node in _own(function):
        if id(node) in caught:
            continue
        if isinstance(node, (ast.Raise, ast.Assert)):
            yield node.lineno, ast.unparse(node).splitlines()[0]
        elif isinstance(node, ast.expr) and _fails(node):
            yield node.lineno, ast.unparse(node)


def _fails(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in _RAISING_CALLS and _may_fail(node)
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and _is_index(node)
    divides = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))
    return divides and isinstance(node, ast.BinOp) and _may_be_zero(node)


def _may_fail(node: ast.Call) -> bool:
    if ast.unparse(node.func) in ("max", "min"):
        return len(node.args) == 1 and not any(keyword.arg == "default" for keyword in node.keywords)
    if ast.unparse(node.func) == "next":
        return len(node.args) == 1
    return not (len(node.args) == 1 and isinstance(node.args[0], ast.Constant))


def _is_index(node: ast.Subscript) -> bool:
    """`messages[-1]` of a list that may be empty, or `scores[name]`: not a constant key of the state itself."""
    part = node.slice
    number = part.operand if isinstance(part, ast.UnaryOp) else part
    return isinstance(number, ast.Constant) and isinstance(number.value, int) and not isinstance(number.value, bool)


def _may_be_zero(node: ast.BinOp) -> bool:
    text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    return not text and not (isinstance(node.right, ast.Constant) and bool(node.right.value))
