"""LangGraph edges that are added one by one in a loop over a step's dependencies become one waiting edge.

    for dep in step.depends_on:                 if deps := list(step.depends_on):
        graph.add_edge(dep, step.name)              graph.add_edge(deps, step.name)

Separate edges are separate triggers: with branches of uneven depth, the step runs again for each arrival. A waiting edge
runs it once, when all have arrived. Only a loop whose whole body is that one call is rewritten, in a file that imports
LangGraph and not networkx (which has an `add_edge` of its own), and where the loop's variable is not used elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits import Edit
from .file import File
from .model import BaseCodemod, Said, Stage

OTHER_GRAPHS = ("networkx", "igraph", "rustworkx", "graph_tool")


class JoinWiring(BaseCodemod):
    """See the module's docstring."""

    id = "join-wiring"
    summary = "edges added in a loop over dependencies become one waiting edge"
    stage = Stage.OTHER
    # Of the two, the rarer: other libraries have an `add_edge` too.
    needles = (b"langgraph",)

    def rewrite(self, file: File) -> Iterator[Said]:
        """The loops of one file."""
        if not all(word in file.content for word in (b"langgraph", b".add_edge")) or not _is_langgraph(file):
            return
        for node in file.source.nodes:
            if isinstance(node, ast.For) and (call := _wiring(node)) and _is_loops_own(file, node):
                yield from _waiting(file, node, call)


def _is_langgraph(file: File) -> bool:
    modules = {
        name.partition(".")[0]
        for binding in file.bindings.imports
        for name in [file.workspace.imported_name(file, binding)]
    }
    return "langgraph" in modules and modules.isdisjoint(OTHER_GRAPHS)


def _wiring(loop: ast.For) -> ast.Call | None:
    """The call, where the loop does nothing but `….add_edge(<of the variable>, <not of the variable>)`."""
    match loop:
        case ast.For(
            target=ast.Name(id=name),
            body=[
                ast.Expr(value=ast.Call(func=ast.Attribute(attr="add_edge"), args=[start, end], keywords=[]) as call)
            ],
            orelse=[],
        ) if _mentions(start, name) and not _mentions(end, name) and not _mentions(call.func, name):
            return None if any(isinstance(part, ast.Starred | ast.Await) for part in ast.walk(call)) else call
    return None


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _is_loops_own(file: File, loop: ast.For) -> bool:
    """Whether the loop's variable is used nowhere outside of it in its scope: afterwards it no longer exists."""
    assert isinstance(loop.target, ast.Name)
    inside = {id(node) for node in ast.walk(loop)}
    scope = file.bindings.scope_of(loop)
    others = [node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == loop.target.id]
    rebinding = {id(inner) for node in ast.walk(scope) if isinstance(node, ast.For | ast.comprehension) and node is not loop
                 and _mentions(node.target, loop.target.id) for inner in ast.walk(node)}  # fmt: skip
    return all(id(node) in inside or id(node) in rebinding or _in_comprehension(file, node) for node in others)


def _in_comprehension(file: File, node: ast.Name) -> bool:
    kinds = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return any(
        isinstance(parent, kinds) and any(_mentions(g.target, node.id) for g in parent.generators)
        for parent in file.source.ancestors(node)
    )


def _waiting(file: File, loop: ast.For, call: ast.Call) -> Iterator[Edit]:
    source, text = file.source, file.source.text
    assert isinstance(loop.target, ast.Name)
    name, start = loop.target.id, call.args[0]
    loop_start, _ = source.span(loop)
    iter_start, iter_end = source.span(loop.iter)
    over = text[iter_start:iter_end].decode()
    if isinstance(loop.iter, ast.Tuple) and not over.startswith("("):
        over = f"({over})"
    first, last = source.span(start)
    written = text[first:last].decode()
    made = f"list({over})" if isinstance(start, ast.Name) else f"[{written} for {name} in {over}]"
    joined = _free_name(file, name)
    yield Edit(loop_start, _closing(file, loop), f"if {joined} := {made}".encode())
    yield Edit(first, last, joined.encode())


def _closing(file: File, loop: ast.For) -> int:
    """Where the loop's head ends, before its colon: the iterable may stand in parentheses."""
    _, end = file.source.span(loop.iter)
    return file.source.text.index(b":", end)


def _free_name(file: File, name: str) -> str:
    base = name if name.endswith("s") else f"{name}s"
    candidates = [base, f"all_{base}", *(f"{base}_{number}" for number in range(2, 100))]
    return next(candidate for candidate in candidates if candidate not in file.names.mentioned)
