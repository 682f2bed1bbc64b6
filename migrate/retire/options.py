"""Call sites that use an option which the new engine refuses, found in one file's source. Pure.

Seen are keywords of calls of the legacy symbol and its targets under any name that the file gives them, of calls that
hand one of them on (`partial(build, …)`), of methods that run a workflow, and keys of literal mappings in the same file. What
another file puts together and passes as `**options` is not seen here; the new engine refuses it when it is built.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

EXECUTION = frozenset(
    {"execute", "execute_sync", "execute_by_name", "run", "arun", "stream", "astream", "resume", "batch"}
)
"""Methods by which an engine is run; they take options as well."""

Refused = Mapping[str, tuple[object, ...]]
"""Options that are refused, each with the values that are harmless."""


def refused_options(path: str, tree: ast.Module, names: Collection[str], refused: Refused) -> list[str]:
    """`FILE:LINE: OPTION=VALUE` of each use; `names` are the last names of the symbol and of its targets."""
    callees = _known_as(tree, names)
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _concerns(node, callees):
            pairs = ((keyword.arg, keyword.value) for keyword in node.keywords)
            found += _used(pairs, refused)
        elif isinstance(node, ast.Dict):
            found += _used(((_text(key), value) for key, value in zip(node.keys, node.values, strict=True)), refused)
    return [f"{path}:{line}: {told}" for line, told in sorted(set(found))]


def _known_as(tree: ast.Module, names: Collection[str]) -> frozenset[str]:
    """The names, with those that the file's imports and plain assignments give to them."""
    known = set(names)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=aliases):
                known.update(alias.asname for alias in aliases if alias.asname and alias.name in names)
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name() | ast.Attribute() as value):
                if _last(value) in names:
                    known.add(other)
    return frozenset(known)


def _concerns(call: ast.Call, callees: frozenset[str]) -> bool:
    name = _last(call.func)
    if name in callees or name == "dict" or (name in EXECUTION and isinstance(call.func, ast.Attribute)):
        return True
    return any(_last(argument) in callees for argument in call.args)


def _used(pairs: Iterable[tuple[str | None, ast.expr]], refused: Refused) -> Iterator[tuple[int, str]]:
    for name, value in pairs:
        if name is not None and name in refused and not _is_harmless(value, refused[name]):
            yield value.lineno, f"{name}={ast.unparse(value)}"


def _is_harmless(value: ast.expr, harmless: Iterable[object]) -> bool:
    return isinstance(value, ast.Constant) and any(value.value is item for item in harmless)


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
