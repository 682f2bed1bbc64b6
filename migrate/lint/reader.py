"""Graphs as a module writes them down: `StateGraph(...)` and the calls on it, followed by syntax alone.

Nothing is imported or run. Loops over constants are followed; a name, a target or a whole builder that cannot be seen makes
the graph incomplete, and rules that would have to guess leave it alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .facts import facts_of
from .model import END, START, Edge, Facts, Join, Key, Node, Place, Router, Wired
from .names import OPAQUE, Module

_METHODS = frozenset(
    {
        "add_node", "add_edge", "add_conditional_edges", "add_sequence", "compile",
        "set_conditional_entry_point", "set_entry_point", "set_finish_point",
    }
)  # fmt: skip
_VOLATILE = frozenset({"InMemorySaver", "MemorySaver"})
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


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


def read_graphs(file: str, text: str) -> tuple[Wired, ...]:
    """Every graph that a module builds, in the order of its source. Raises `SyntaxError` where it does not parse."""
    if "StateGraph" not in text:
        return ()
    tree = ast.parse(text)
    module = Module.of(tree)
    found: list[Wired] = []
    for scope in (tree, *(n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))):
        found.extend(_Reader(file, module).read(scope))
    return tuple(sorted(found, key=lambda wired: wired.place))


class _Reader:
    """Follows the statements of one scope."""

    def __init__(self, file: str, module: Module) -> None:
        self.file = file
        self.module = module
        self.drafts: dict[str, Draft] = {}
        self.anonymous: list[Draft] = []
        self.local: dict[str, object] = {}
        self.unseen: list[set[str]] = []
        self.volatile: set[str] = set()

    def read(self, scope: Scope) -> Iterator[Wired]:
        if not isinstance(scope, ast.Module):
            self._parameters(scope)
        self._statements(scope.body)
        drafts = {id(draft): draft for draft in (*self.drafts.values(), *self.anonymous)}
        yield from (draft.finished() for draft in drafts.values() if draft.nodes or draft.edges or draft.looped)

    def _parameters(self, scope: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A parameter that is annotated as a builder is one, of which this function sees only a part."""
        for argument in (*scope.args.args, *scope.args.kwonlyargs):
            self.local[argument.arg] = OPAQUE
            if argument.annotation is not None and _is_builder(ast.unparse(argument.annotation).split("[")[0]):
                stock = "Inclusive" not in ast.unparse(argument.annotation)
                self.drafts[argument.arg] = Draft(argument.arg, self._place(argument), stock, None, complete=False)

    def _place(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        return Place(self.file, node.lineno, node.col_offset + 1)

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, (ast.For, ast.AsyncFor)):
                self._loop(statement.target, statement.iter, statement.body)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            elif isinstance(statement, (ast.If, ast.While, ast.With, ast.AsyncWith, ast.Try)):
                self._compound(statement)
            else:
                self._simple(statement)

    def _compound(self, statement: ast.If | ast.While | ast.With | ast.AsyncWith | ast.Try) -> None:
        before = self._size()
        for name in ("body", "orelse", "finalbody"):
            self._statements(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            self._statements(handler.body)
        if isinstance(statement, (ast.If, ast.While)) and self._size() != before:
            # Wiring that depends on a condition: what the graph looks like is not one thing.
            for draft in self.drafts.values():
                draft.complete = False

    def _size(self) -> int:
        return sum(len(d.nodes) + len(d.edges) + len(d.joins) + len(d.routers) for d in self.drafts.values())

    def _loop(self, target: ast.expr, over: ast.expr, body: list[ast.stmt]) -> None:
        values = self.module.value(over, self.local)
        if isinstance(values, list) and OPAQUE not in values:
            for value in values:
                self._bind(target, value)
                self._statements(body)
            return
        self._bind(target, OPAQUE)
        self.unseen.append({node.id for node in ast.walk(target) if isinstance(node, ast.Name)})
        self._statements(body)
        self.unseen.pop()

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.local[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value if isinstance(value, list) and len(value) == len(target.elts) else [OPAQUE] * len(target.elts)
            for inner, part in zip(target.elts, parts, strict=True):
                self._bind(inner, part)

    def _simple(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            draft = self._builder(statement.value)
            for target in targets:
                self._assigned(target, statement.value, draft)
            if draft is None:
                self._expression(statement.value)
            return
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.expr):
                self._expression(node)

    def _assigned(self, target: ast.expr, value: ast.expr, draft: Draft | None) -> None:
        name = ast.unparse(target)
        if draft is not None:
            if draft.name == "":
                draft.name = name
            self.drafts[name] = draft
        elif isinstance(target, ast.Name):
            self.local[target.id] = self.module.value(value, self.local)
            if isinstance(value, ast.Call) and ast.unparse(value.func).rsplit(".", 1)[-1] in _VOLATILE:
                self.volatile.add(name)

    def _expression(self, node: ast.expr) -> None:
        """Find the calls on builders, wherever they stand in an expression; a builder handed on is incomplete."""
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
            self._loop(node.generators[0].target, node.generators[0].iter, [ast.Expr(node.elt, lineno=1, col_offset=0)])
            return
        if isinstance(node, ast.Call) and self._builder(node) is not None:
            return
        if isinstance(node, ast.Call):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if (draft := self.drafts.get(ast.unparse(argument))) is not None:
                    draft.complete = False
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)

    def _builder(self, node: ast.expr) -> Draft | None:
        """The builder that an expression is: a known name, `StateGraph(...)`, or a call on either; the call is read."""
        known = self.drafts.get(ast.unparse(node)) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if known is not None or not isinstance(node, ast.Call):
            return known
        if _is_builder(ast.unparse(node.func).split("[")[0]):
            return self._started(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            draft = self._builder(node.func.value)
            if draft is not None:
                getattr(self, f"_{node.func.attr}")(draft, node)
                return None if node.func.attr == "compile" else draft
        return None

    def _started(self, node: ast.Call) -> Draft:
        schema = node.args[0] if node.args else _keyword(node, "state_schema")
        stock = "Inclusive" not in ast.unparse(node.func)
        draft = Draft("", self._place(node), stock, self.module.keys(schema))
        self.anonymous.append(draft)
        return draft

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
        first = call.args[0] if call.args else _keyword(call, "node")
        action = call.args[1] if len(call.args) > 1 else _keyword(call, "action")
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
        defer = _keyword(call, "defer")
        deferred = isinstance(defer, ast.Constant) and defer.value is True
        draft.nodes[name] = Node(name, self._place(call), deferred, self._facts(action))

    def _add_edge(self, draft: Draft, call: ast.Call) -> None:
        start = call.args[0] if call.args else _keyword(call, "start_key")
        end = call.args[1] if len(call.args) > 1 else _keyword(call, "end_key")
        if start is None or end is None:
            return
        self._note_loop(draft, call, start, end)
        sources = self.module.value(start, self.local)
        target = self._text(draft, end)
        if isinstance(sources, list) and target is not None and all(isinstance(name, str) for name in sources):
            inclusive = _keyword(call, "inclusive")
            is_inclusive = isinstance(inclusive, ast.Constant) and inclusive.value is True
            draft.joins.append(Join(tuple(map(str, sources)), target, self._place(call), is_inclusive))
        elif isinstance(sources, str) and target is not None:
            draft.edges.append(Edge(sources, target, self._place(call)))
        else:
            draft.complete = False

    def _note_loop(self, draft: Draft, call: ast.Call, start: ast.expr, end: ast.expr) -> None:
        """An edge whose start is of the innermost loop's variables and whose end is not: many edges into one target."""
        if not self.unseen or isinstance(start, (ast.List, ast.Tuple)):
            return
        used = {node.id for node in ast.walk(start) if isinstance(node, ast.Name)}
        ends = {node.id for node in ast.walk(end) if isinstance(node, ast.Name)}
        if self.unseen[-1] & used and not self.unseen[-1] & ends:
            draft.looped.append((self._place(call), ast.unparse(start), ast.unparse(end)))

    def _add_conditional_edges(self, draft: Draft, call: ast.Call) -> None:
        source = self._text(draft, call.args[0] if call.args else _keyword(call, "source"))
        self._router(draft, call, source, 1)

    def _set_conditional_entry_point(self, draft: Draft, call: ast.Call) -> None:
        self._router(draft, call, START, 0)

    def _router(self, draft: Draft, call: ast.Call, source: str | None, first: int) -> None:
        path = call.args[first] if len(call.args) > first else _keyword(call, "path")
        mapped = call.args[first + 1] if len(call.args) > first + 1 else _keyword(call, "path_map")
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
        if isinstance(mapped, ast.Dict) and facts is not None:
            facts = _through(facts, self._labels(mapped))
        draft.routers.append(Router(source, self._place(call), targets, facts))

    def _labels(self, mapped: ast.Dict) -> dict[object, str]:
        pairs = zip(mapped.keys, mapped.values, strict=True)
        found = {self._label(key): self.module.value(value, self.local) for key, value in pairs if key is not None}
        return {label: target for label, target in found.items() if isinstance(target, str)}

    def _label(self, key: ast.expr) -> object:
        value = self.module.value(key, self.local)
        return value if isinstance(value, (str, int, bool)) else ast.unparse(key)

    def _set_entry_point(self, draft: Draft, call: ast.Call) -> None:
        target = self._text(draft, call.args[0] if call.args else _keyword(call, "key"))
        if target is not None:
            draft.edges.append(Edge(START, target, self._place(call)))

    def _set_finish_point(self, draft: Draft, call: ast.Call) -> None:
        source = self._text(draft, call.args[0] if call.args else _keyword(call, "key"))
        if source is not None:
            draft.edges.append(Edge(source, END, self._place(call)))

    def _add_sequence(self, draft: Draft, call: ast.Call) -> None:
        steps = call.args[0] if call.args else _keyword(call, "nodes")
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
                draft.edges.append(Edge(before, name, self._place(step)))
            before = name

    def _compile(self, draft: Draft, call: ast.Call) -> None:
        saver = call.args[0] if call.args else _keyword(call, "checkpointer")
        if saver is None or isinstance(saver, ast.Constant):
            return
        made = ast.unparse(saver.func).rsplit(".", 1)[-1] if isinstance(saver, ast.Call) else ""
        if made not in _VOLATILE and ast.unparse(saver) not in self.volatile:
            draft.saved = self._place(call)


def _is_builder(name: str) -> bool:
    last = name.strip("'\"").rsplit(".", 1)[-1]
    return last.endswith("StateGraph") and not last.startswith("Compiled")


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _seen(value: object) -> object:
    return None if value is OPAQUE else value


def _through(facts: Facts, labels: Mapping[object, str]) -> Facts:
    """What a router picks, through its path map; open when it returns a label that the map does not have."""
    from dataclasses import replace

    if facts.picks is None:
        return facts
    if not all(label in labels for pick in facts.picks for label in pick):
        return replace(facts, picks=None)
    return replace(facts, picks=tuple(frozenset(labels[label] for label in pick) for pick in facts.picks))
