"""What each call on a builder adds to the graph: nodes, edges, waiting edges, routers, the saver it is compiled with."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .facts import facts_of
from .model import END, START, Edge, Facts, Join, Key, Node, Place, Router, Wired
from .names import OPAQUE, Module

METHODS = frozenset(
    {
        "add_node", "add_edge", "add_conditional_edges", "add_sequence", "compile",
        "set_conditional_entry_point", "set_entry_point", "set_finish_point",
    }
)  # fmt: skip
_VOLATILE = frozenset({"InMemorySaver", "MemorySaver"})


@dataclass
class Draft:
    """A graph while its calls are read."""

    name: str
    place: Place
    stock: bool
    keys: dict[str, Key] | None
    complete: bool = True
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    looped: list[tuple[Place, str, str]] = field(default_factory=list)
    saved: Place | None = None

    def finished(self) -> Wired:
        """The graph as data, without repetitions that a followed loop may have made."""
        return Wired(
            self.name,
            self.place,
            self.nodes,
            tuple(dict.fromkeys(self.edges)),
            tuple(dict.fromkeys(self.joins)),
            tuple(self.routers),
            self.keys,
            self.complete,
            self.stock,
            self.saved,
            tuple(dict.fromkeys(self.looped)),
        )


class Calls:
    """Reads the calls of one scope. `local` are the values of its names, `unseen` the variables of its open loops."""

    def __init__(self, file: str, module: Module) -> None:
        self.file = file
        self.module = module
        self.local: dict[str, object] = {}
        self.unseen: list[set[str]] = []
        self.volatile: set[str] = set()

    def place(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        """Where a piece of source is."""
        return Place(self.file, node.lineno, node.col_offset + 1)

    def call(self, method: str, draft: Draft, call: ast.Call) -> None:
        """Add to the draft what a call on its builder says."""
        getattr(self, f"_{method}")(draft, call)

    def _text(self, draft: Draft, node: ast.expr | None) -> str | None:
        value = OPAQUE if node is None else self.module.value(node, self.local)
        if isinstance(value, str):
            return value
        draft.complete = False
        return None

    def _facts(self, node: ast.expr | None) -> Facts | None:
        function = self.module.function(node)
        return None if function is None else facts_of(function, self.file, lambda e: _seen(self.module.value(e, {})))

    def _add_node(self, draft: Draft, call: ast.Call) -> None:
        first = call.args[0] if call.args else keyword(call, "node")
        action = call.args[1] if len(call.args) > 1 else keyword(call, "action")
        function = self.module.function(first)
        value = None if first is None else self.module.value(first, self.local)
        if action is None and function is not None and not isinstance(value, str):
            name: str | None = getattr(function, "name", None)
            action = first
        else:
            name = self._text(draft, first)
        if name is None:
            draft.complete = False
            return
        defer = keyword(call, "defer")
        deferred = isinstance(defer, ast.Constant) and defer.value is True
        draft.nodes[name] = Node(name, self.place(call), deferred, self._facts(action))

    def _add_edge(self, draft: Draft, call: ast.Call) -> None:
        start = call.args[0] if call.args else keyword(call, "start_key")
        end = call.args[1] if len(call.args) > 1 else keyword(call, "end_key")
        if start is None or end is None:
            return
        self._note_loop(draft, call, start, end)
        sources = self.module.value(start, self.local)
        target = self._text(draft, end)
        if isinstance(sources, list) and target is not None and all(isinstance(name, str) for name in sources):
            inclusive = keyword(call, "inclusive")
            is_inclusive = isinstance(inclusive, ast.Constant) and inclusive.value is True
            draft.joins.append(Join(tuple(map(str, sources)), target, self.place(call), is_inclusive))
        elif isinstance(sources, str) and target is not None:
            draft.edges.append(Edge(sources, target, self.place(call)))
        else:
            draft.complete = False

    def _note_loop(self, draft: Draft, call: ast.Call, start: ast.expr, end: ast.expr) -> None:
        """An edge whose start is of the innermost loop's variables and whose end is not: many edges into one target."""
        if not self.unseen or isinstance(start, (ast.List, ast.Tuple)):
            return
        used = {node.id for node in ast.walk(start) if isinstance(node, ast.Name)}
        ends = {node.id for node in ast.walk(end) if isinstance(node, ast.Name)}
        if self.unseen[-1] & used and not self.unseen[-1] & ends:
            draft.looped.append((self.place(call), ast.unparse(start), ast.unparse(end)))

    def _add_conditional_edges(self, draft: Draft, call: ast.Call) -> None:
        source = self._text(draft, call.args[0] if call.args else keyword(call, "source"))
        self._router(draft, call, source, 1)

    def _set_conditional_entry_point(self, draft: Draft, call: ast.Call) -> None:
        self._router(draft, call, START, 0)

    def _router(self, draft: Draft, call: ast.Call, source: str | None, first: int) -> None:
        path = call.args[first] if len(call.args) > first else keyword(call, "path")
        mapped = call.args[first + 1] if len(call.args) > first + 1 else keyword(call, "path_map")
        if source is None:
            return
        targets: frozenset[str] | None = None
        if mapped is not None:
            values = self.module.value(mapped, self.local)
            if isinstance(values, list) and all(isinstance(name, str) for name in values):
                targets = frozenset(map(str, values))
            else:
                draft.complete = False
        facts = self._facts(path)
        labels: Mapping[object, str] = {name: name for name in targets or ()}
        if isinstance(mapped, ast.Dict):
            labels = self._labels(mapped)
        unmapped: frozenset[str] = frozenset()
        if targets is not None and facts is not None:
            facts, unmapped = through(facts, labels)
        draft.routers.append(Router(source, self.place(call), targets, facts, unmapped))

    def _labels(self, mapped: ast.Dict) -> dict[object, str]:
        pairs = zip(mapped.keys, mapped.values, strict=True)
        found = {self._label(key): self.module.value(value, self.local) for key, value in pairs if key is not None}
        return {label: target for label, target in found.items() if isinstance(target, str)}

    def _label(self, key: ast.expr) -> object:
        value = self.module.value(key, self.local)
        return value if isinstance(value, (str, int, bool)) else ast.unparse(key)

    def _set_entry_point(self, draft: Draft, call: ast.Call) -> None:
        target = self._text(draft, call.args[0] if call.args else keyword(call, "key"))
        if target is not None:
            draft.edges.append(Edge(START, target, self.place(call)))

    def _set_finish_point(self, draft: Draft, call: ast.Call) -> None:
        source = self._text(draft, call.args[0] if call.args else keyword(call, "key"))
        if source is not None:
            draft.edges.append(Edge(source, END, self.place(call)))

    def _add_sequence(self, draft: Draft, call: ast.Call) -> None:
        steps = call.args[0] if call.args else keyword(call, "nodes")
        if not isinstance(steps, (ast.List, ast.Tuple)):
            draft.complete = False
            return
        before: str | None = None
        for step in steps.elts:
            parts = step.elts if isinstance(step, ast.Tuple) else [step]
            made = ast.Call(
                func=call.func, args=list(parts), keywords=[], lineno=step.lineno, col_offset=step.col_offset
            )
            known = set(draft.nodes)
            self._add_node(draft, made)
            name = next(iter(set(draft.nodes) - known), None)
            if before is not None and name is not None:
                draft.edges.append(Edge(before, name, self.place(step)))
            before = name

    def _compile(self, draft: Draft, call: ast.Call) -> None:
        saver = call.args[0] if call.args else keyword(call, "checkpointer")
        if saver is None or isinstance(saver, ast.Constant):
            return
        if not made_in_memory(saver) and ast.unparse(saver) not in self.volatile:
            draft.saved = self.place(call)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((one.value for one in call.keywords if one.arg == name), None)


def made_in_memory(value: ast.expr) -> bool:
    """Whether an expression makes a saver that does not outlive its process."""
    return isinstance(value, ast.Call) and ast.unparse(value.func).rsplit(".", 1)[-1] in _VOLATILE


def _seen(value: object) -> object:
    return None if value is OPAQUE else value


def through(facts: Facts, labels: Mapping[object, str]) -> tuple[Facts, frozenset[str]]:
    """What a router picks, through its path map, and what it returns that the map does not have."""
    if facts.picks is None:
        return facts, frozenset()
    unmapped = frozenset(label for pick in facts.picks for label in pick if label not in labels)
    picks = tuple(frozenset(labels[label] for label in pick) for pick in facts.picks) if not unmapped else None
    return replace(facts, picks=picks), unmapped
