"""A compiled graph, as `--graph` names it, in the same form as the static reader's: exact wiring, source where it is found."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...adapters.errors import UsageError
from .calls import through
from .facts import Function, facts_of
from .model import Edge, Facts, Join, Key, Node, Place, Router, Wired
from .names import Module, is_merging, is_ordered

if TYPE_CHECKING:
    from langgraph.pregel import Pregel

NOWHERE = Place("<graph>", 1)


def read_compiled(graph: Pregel[Any, Any, Any, Any], name: str, root: Path) -> tuple[Wired, ...]:
    """The graph and its subgraphs, outermost first. Raises `UsageError` for a graph that no StateGraph made."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        raise UsageError(f"{name} was not built with StateGraph", mend="name a compiled StateGraph")
    found = [_wired(graph, builder, name, root)]
    for inner, subgraph in graph.get_subgraphs():
        if getattr(subgraph, "builder", None) is not None:
            found += read_compiled(subgraph, f"{name}|{inner}", root)  # type: ignore[arg-type]
    return tuple(found)


def _wired(graph: Any, builder: Any, name: str, root: Path) -> Wired:
    nodes = {key: _node(key, spec, root) for key, spec in builder.nodes.items()}

    def place(*names: str) -> Place:
        return next((nodes[one].place for one in names if one in nodes), NOWHERE)

    inclusive: set[Any] = getattr(builder, "inclusive_edges", set())
    routers = [
        _router(source, branch, place(source), root)
        for source, branches in sorted(builder.branches.items())
        for branch in branches.values()
    ]
    routers += [
        Router(source, place(source), frozenset(spec.ends))
        for source, spec in sorted(builder.nodes.items())
        if spec.ends
    ]
    saver = graph.checkpointer
    persistent = saver is not None and not isinstance(saver, bool) and type(saver).__name__ != "InMemorySaver"
    return Wired(
        name,
        place(*nodes),
        nodes,
        tuple(Edge(a, b, place(b, a)) for a, b in sorted(builder.edges)),
        tuple(Join(s, t, place(t, *s), (s, t) in inclusive) for s, t in sorted(builder.waiting_edges)),
        tuple(routers),
        {key: _key(key, channel) for key, channel in builder.channels.items()},
        stock=type(builder).__name__ != "InclusiveStateGraph",
        saved=place(*nodes) if persistent else None,
    )


def _key(name: str, channel: Any) -> Key:
    operator = getattr(channel, "operator", None)
    if operator is None:
        return Key(name, "" if type(channel).__name__ == "LastValue" else type(channel).__name__)
    kind = getattr(getattr(channel, "typ", None), "__name__", "") or str(getattr(channel, "typ", ""))
    said = getattr(operator, "__name__", "reducer")
    said = "add_messages" if said == "_add_messages" else said
    value = type(getattr(channel, "value", None)).__name__
    kind = value if value in ("list", "str", "dict") else kind.lower()
    return Key(name, said, ordered=is_ordered(kind, said), merges=is_merging(kind, said))


def _node(name: str, spec: Any, root: Path) -> Node:
    function = _function(spec.runnable)
    facts = _facts(function, root)
    return Node(name, facts.place if facts else NOWHERE, bool(spec.defer), facts)


def _router(source: str, branch: Any, where: Place, root: Path) -> Router:
    targets = None if branch.ends is None else frozenset(branch.ends.values())
    facts = _facts(_function(branch.path), root)
    unmapped: frozenset[str] = frozenset()
    if facts is not None and branch.ends is not None:
        facts, unmapped = through(facts, branch.ends)
    return Router(source, facts.place if facts else where, targets, facts, unmapped)


def _function(runnable: Any) -> Callable[..., Any] | None:
    """The user's function inside LangGraph's wrapper."""
    found = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    return inspect.unwrap(found) if found is not None and hasattr(found, "__code__") else None


def _facts(function: Callable[..., Any] | None, root: Path) -> Facts | None:
    if function is None:
        return None
    code = function.__code__
    path = Path(code.co_filename)
    if not path.is_file():
        return None
    module = _module(path)
    found = next(_at(module, code.co_firstlineno, code.co_name), None)
    if found is None:
        return None
    try:
        file = path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        file = path.name
    return facts_of(found, file, lambda expression: _text(module.value(expression, {})))


def _text(value: object) -> object:
    return value if isinstance(value, (str, int, bool)) else None


@lru_cache(maxsize=64)
def _module(path: Path) -> Module:
    return Module.of(ast.parse(path.read_bytes()))


def _at(module: Module, line: int, name: str) -> Iterator[Function]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == line:
            yield node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == line:
                yield node
