"""Find classes and functions that look like a workflow walker, and say why. Reads source with `ast`; imports nothing.

A walker is a loop that takes node ids from a list, deque or queue and puts their successors back (breadth-first), or that
releases a node once a counter of its open dependencies has fallen (in-degree); a function that calls itself for a node's
successors; or a loop over what `graphlib.TopologicalSorter` gives, which sees to the dependencies. A loop that only collects ids, without
running anything for a node, is reported with that doubt and comes last.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plugins.project import Project

TAKES = frozenset({"pop", "popleft", "get", "get_nowait", "heappop"})
PUTS = frozenset(
    {"append", "appendleft", "extend", "extendleft", "put", "put_nowait", "insert", "heappush", "update", "add"}
)
SUCCESSOR_WORDS = (
    "next",
    "succ",
    "child",
    "edge",
    "depend",
    "branch",
    "target",
    "neighbo",
    "outgoing",
    "adjacen",
    "downstream",
)
RUNS = "runs something for each node"
ONLY_COLLECTS = "but runs nothing for a node: it may only collect ids"
SORTER = "TopologicalSorter"
GIVES = frozenset({"static_order", "get_ready"})
SUCCESSORS = "extends it with successors"
SEEN_WORDS = ("seen", "visited", "executed", "done", "completed", "finished")

HEAP = frozenset({"heappop", "heappush"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Candidate:
    """A class or function that may be a walker: where it is, its dotted name, and one sentence for each reason."""

    file: str
    line: int
    name: str
    reasons: tuple[str, ...]
    runs_nodes: bool


@dataclass(frozen=True)
class _Loop:
    line: int
    queue: str
    reasons: tuple[str, ...]
    runs_nodes: bool


def find_candidates(project: Project) -> tuple[Candidate, ...]:
    """Every candidate of the code base outside its tests, those that run nodes first, then by file and line."""
    found: list[Candidate] = []
    for path in project.files(".py"):
        if not _is_test(path):
            found.extend(_in_file(project, path))
    return tuple(sorted(found, key=lambda item: (not item.runs_nodes, item.file, item.line)))


def _is_test(path: str) -> bool:
    parts = path.split("/")
    return parts[-1].startswith("test_") or parts[-1] == "conftest.py" or "tests" in parts[:-1]


def _in_file(project: Project, path: str) -> Iterator[Candidate]:
    try:
        tree = ast.parse((project.root / path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # `inventory` reports files that cannot be read; here they only hide a suggestion
    module = module_name(project, path)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            functions = [item for item in node.body if isinstance(item, Function)]
        elif isinstance(node, Function):
            functions = [node]
        else:
            continue
        loops = [
            loop
            for function in functions
            for loop in (*_loops(function), *_recursions(function), *_sorted(node, function))
        ]
        if loops:
            best = max(loops, key=lambda loop: (loop.runs_nodes, len(loop.reasons)))
            yield Candidate(path, node.lineno, f"{module}.{node.name}", best.reasons, best.runs_nodes)


def module_name(project: Project, path: str) -> str:
    """The dotted name that a file is imported under, from the source root that is nearest to it."""
    absolute = project.root / path
    root = max(
        (root for root in project.source_roots if absolute.is_relative_to(root)), key=lambda root: len(root.parts)
    )
    parts = list(absolute.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _loops(function: Function) -> Iterator[_Loop]:
    for node in ast.walk(function):
        if isinstance(node, ast.While) and (loop := _judge(node, function)):
            yield loop


def _recursions(function: Function) -> Iterator[_Loop]:
    """A function that calls itself for the successors of what it was given."""
    own = [node for node in ast.walk(function) if isinstance(node, ast.Call) and _last(node.func) == function.name]
    for loop in ast.walk(function):
        if not isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)):
            continue
        inside = function if isinstance(loop, ast.comprehension) else loop
        again = next(
            (call for call in own if call in ast.walk(inside) and _all_names(loop.target) & _all_names(call)), None
        )
        text = ast.unparse(loop.iter)
        if again is None or not any(word in text.lower() for word in SUCCESSOR_WORDS):
            continue
        more, runs = _more_reasons(function, function), _runs_nodes(function, own)
        if not runs and not more:
            continue  # a tree that is counted or printed
        last = RUNS if runs else ONLY_COLLECTS
        reason = f"calls itself for successors: `{_clip(text)}` (line {again.lineno})"
        yield _Loop(again.lineno, function.name, (reason, *more, last), runs)
        return


def _sorted(around: ast.AST, function: Function) -> Iterator[_Loop]:
    """A loop over the nodes that a `TopologicalSorter` gives out, made in this function or kept by its class."""
    made = {
        name
        for node in ast.walk(around)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and isinstance(node.value, ast.Call)
        and _last(node.value.func) == SORTER
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if (name := _dotted(target))
    }
    for loop in ast.walk(function):
        if not isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)):
            continue
        asked = [node for node in ast.walk(loop.iter) if isinstance(node, ast.Attribute) and node.attr in GIVES]
        if any(_dotted(each.value) in made or SORTER in ast.unparse(each.value) for each in asked):
            runs = _runs_nodes(function if isinstance(loop, ast.comprehension) else loop)
            reason = f"takes nodes from a `{SORTER}`: `{_clip(ast.unparse(loop.iter))}` (line {loop.iter.lineno})"
            yield _Loop(loop.iter.lineno, SORTER, (reason, RUNS if runs else ONLY_COLLECTS), runs)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _judge(loop: ast.While, function: Function) -> _Loop | None:
    calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call)]
    takes = {name: call for call in calls if (name := _container(call, TAKES))}
    puts: dict[str, ast.AST] = {name: call for call in calls if (name := _container(call, PUTS))}
    puts |= {
        name: node
        for node in ast.walk(loop)
        if isinstance(node, (ast.Assign, ast.AugAssign)) and (name := _rebound(node)) and name in _names(loop.test)
    }
    drained = {name for name in _names(loop.test) if _iterated(loop, name)}
    for queue in sorted((set(takes) | drained) & set(puts)):
        taken_at = takes[queue].lineno if queue in takes else loop.lineno
        reasons = [f"takes nodes from `{queue}` in a loop (line {taken_at})", _put_reason(puts[queue])]
        more = _more_reasons(loop, function)
        if not more and not reasons[1].startswith(SUCCESSORS):
            continue  # a stack of tokens, a retry queue: nothing says that these are nodes of a graph
        runs = _runs_nodes(loop)
        last = RUNS if runs else ONLY_COLLECTS
        return _Loop(loop.lineno, queue, (*reasons, *more, last), runs)
    return None


def _put_reason(put: ast.AST) -> str:
    text = ast.unparse(put)
    line = getattr(put, "lineno", 0)
    word = next((word for word in SUCCESSOR_WORDS if word in text.lower()), None)
    kind = SUCCESSORS if word else "puts nodes back into it"
    return f"{kind}: `{_clip(text)}` (line {line})"


def _more_reasons(loop: ast.AST, function: Function) -> list[str]:
    reasons: list[str] = []
    seen = sorted(name for name in _all_names(function) if any(word in name.lower() for word in SEEN_WORDS))
    if seen:
        reasons.append(f"remembers nodes in `{seen[0]}`")
    falls = [node for node in ast.walk(loop) if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub)]
    counters = [node for node in falls if isinstance(node.target, ast.Subscript)]
    if counters:
        reasons.append(f"counts dependencies down: `{_clip(ast.unparse(counters[0]))}` (line {counters[0].lineno})")
    return reasons


def _runs_nodes(loop: ast.AST, apart: Sequence[ast.Call] = ()) -> bool:
    """Whether the loop awaits something, or calls what it has looked up or a function named for running.

    `apart` are calls that say nothing: of the function to itself.
    """
    for node in ast.walk(loop):
        if isinstance(node, ast.Await) and node.value not in apart:
            return True
        if isinstance(node, ast.Call) and node not in apart:
            if isinstance(node.func, (ast.Subscript, ast.Call)):
                return True
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if any(
                word in name.lower()
                for word in ("execute", "run", "invoke", "handler", "dispatch", "perform", "process")
            ):
                return True
    return False


def _container(call: ast.Call, methods: frozenset[str]) -> str | None:
    """The name of the container that a call takes from or puts into: `q` of `q.pop()` and of `heapq.heappop(q)`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    if name not in methods:
        return None
    if name in HEAP and call.args:
        return _dotted(call.args[0])
    return _dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None


def _rebound(node: ast.Assign | ast.AugAssign) -> str | None:
    """The name that an assignment gives other contents; a number that is counted up or down is no container."""
    if isinstance(node, ast.Assign):
        return _dotted(node.targets[0])
    grows = isinstance(node.op, (ast.Add, ast.BitOr)) and not isinstance(node.value, ast.Constant)
    return _dotted(node.target) if grows else None


def _iterated(loop: ast.While, name: str) -> bool:
    """Whether the loop runs over the whole container: `for node in ready`, also inside `gather(*(… for …))`."""
    iterables = [node.iter for node in ast.walk(loop) if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))]
    return any(name in _names(iterable) for iterable in iterables)


def _names(node: ast.AST) -> set[str]:
    return {name for item in ast.walk(node) if (name := _dotted(item))}


def _all_names(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := _dotted(node.value)):
        return f"{head}.{node.attr}"
    return None


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."
