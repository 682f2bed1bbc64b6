"""Each scheduling shape that a gate can see: the walker or graph that gets it wrong, against one that does not.

Numbered as in the engines' own lists: L for what LangGraph does, W for hand-rolled walkers. A step sees the results of the
steps that it names as its sources, None where there is none yet.
"""

from __future__ import annotations

import asyncio
import hashlib
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.constants import END, START
from langgraph.graph import StateGraph
from langgraph.types import Command, Send

from graphlift.parity import Case, NodeEnd, Outcome, Report, Tap, run_gate
from graphlift.parity.rules import builtin_rules

Edges = Mapping[str, tuple[str, ...]]
Found = set[tuple[str, str | None]]


def digest(node: str, seen: Any) -> str:
    return hashlib.sha256(repr((node, seen)).encode()).hexdigest()[:6]


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other}


class State(TypedDict, total=False):
    results: Annotated[dict[str, Any], merged]
    turns: Annotated[int, operator.add]


@dataclass(frozen=True)
class Shape:
    """Edges, bodies that differ from the default (a digest of what they see), and the nodes that a run leaves out."""

    edges: Edges
    bodies: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def body(self, node: str, tap: Tap) -> Callable[[Mapping[str, Any]], Any]:
        call = tap.wrap(node, self.bodies.get(node, lambda seen: digest(node, seen)))
        sources = [name.removesuffix("?") for name in self.edges.get(node, ())]
        return lambda results: call({source: results.get(source) for source in sources})


def outcome(results: Mapping[str, Any], skipped: Iterable[str] = (), **more: Any) -> Outcome:
    ends = {name: NodeEnd("completed", value) for name, value in results.items()}
    ends.update({name: NodeEnd("skipped") for name in skipped})
    return Outcome(success=True, data=dict(results), nodes=ends, **more)


@dataclass(frozen=True)
class InOrder:
    """Runs the given nodes one after the other: what an in-degree executor does, or a walker that gets it wrong."""

    shape: Shape
    order: tuple[str, ...]
    side: Any = "legacy"
    name: str = "executor"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        bodies = {node: self.shape.body(node, tap) for node in self.order}
        results: dict[str, Any] = {}
        for node in self.order:
            results[node] = bodies[node](results)
        return outcome(results, self.shape.skipped)


@dataclass(frozen=True)
class Graph:
    """A LangGraph graph whose nodes run the shape's bodies; `wire` adds the edges."""

    shape: Shape
    wire: Callable[[Any], object]
    side: Any = "candidate"
    name: str = "graph"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        graph: Any = StateGraph(State)
        for node in self.shape.edges:
            graph.add_node(node, self._node(node, self.shape.body(node, tap)))
        self.wire(graph)
        compiled = graph.compile()
        state = compiled.invoke({"results": {}, "turns": 0}, {"recursion_limit": 25})
        return outcome(state["results"], self.shape.skipped)

    def _node(self, node: str, body: Callable[[Mapping[str, Any]], Any]) -> Callable[[State], Any]:
        return lambda state: {"results": {node: body(state["results"])}, "turns": 1}


def plain(edges: Edges) -> Callable[[Any], object]:
    """One edge for each source, as a first wiring has them."""

    def wire(graph: Any) -> None:
        for node, sources in edges.items():
            for source in sources or (START,):
                graph.add_edge(source, node)

    return wire


def gate(legacy: Any, candidate: Any, edges: Edges, tmp_path: Path) -> Report:
    case = Case("case", "w", {"name": "w"}, edges=edges)
    return run_gate([legacy, candidate], [case], builtin_rules(), root=tmp_path)


def found(report: Report) -> Found:
    return {(item.divergence.rule, item.divergence.node) for item in report.findings}


def leaders(report: Report) -> Found:
    return {(item.divergence.rule, item.divergence.node) for item in report.findings if item.follows is None}


def cause(report: Report, rule: str, node: str | None) -> str:
    (item,) = [one.divergence for one in report.findings if (one.divergence.rule, one.divergence.node) == (rule, node)]
    return item.cause


UNEVEN: Edges = {"a": (), "b": ("a",), "c": ("a",), "x": ("c",), "d": ("b", "x")}


def test_l1_a_join_of_plain_edges_at_depths_2_and_3_runs_twice_and_first_without_x(tmp_path: Path) -> None:
    shape = Shape(UNEVEN)
    report = gate(InOrder(shape, tuple("abcxd")), Graph(shape, plain(UNEVEN)), UNEVEN, tmp_path)
    assert found(report) == {("GL101", "d"), ("GL110", "d"), ("GL120", "d"), ("GL150", "d")}
    assert cause(report, "GL101", "d") == (
        "under the candidate, uneven join: its sources are at depths b 1 and x 2; "
        "activation 1 began after b had ended; activation 2 began after x had ended"
    )
    assert cause(report, "GL110", "d") == (
        "under the candidate, d began before x did; uneven join: its sources are at depths b 1 and x 2"
    )


REAL = {
    "feature": {
        "design": (),
        "api": ("design",),
        "frontend": ("design",),
        "migrations": ("design",),
        "integration": ("api", "frontend"),
        "review": ("api", "frontend", "migrations", "integration"),
        "assemble": ("review",),
    },
    "branching": {
        "parse": (),
        "quick": ("parse",),
        "deep": ("parse",),
        "security": ("parse",),
        "readiness": ("deep", "security"),
        "report": ("quick", "deep", "security", "readiness"),
    },
    "bugfix": {
        "triage": (),
        "cause": ("triage",),
        "fix": ("cause",),
        "regression": ("fix",),
        "verify": ("fix", "regression"),
    },
}


@pytest.mark.parametrize(
    ("name", "join", "depths"),
    [
        ("feature", "review", "api 1, frontend 1, migrations 1 and integration 2"),
        ("branching", "report", "deep 1, quick 1, security 1 and readiness 2"),
        ("bugfix", "verify", "fix 2 and regression 3"),
    ],
)
def test_l1_in_real_workflows(name: str, join: str, depths: str, tmp_path: Path) -> None:
    shape = Shape(REAL[name])
    report = gate(InOrder(shape, tuple(REAL[name])), Graph(shape, plain(REAL[name])), REAL[name], tmp_path)
    assert {("GL101", join), ("GL110", join)} <= found(report)
    assert f"uneven join: its sources are at depths {depths}" in cause(report, "GL101", join)
    assert {item[1] for item in leaders(report)} == {join}


def test_l2_a_conditional_and_a_plain_edge_into_one_node(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "c": ("a",), "b": ("a", "c")}

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: "b", ["b"])
        graph.add_edge("a", "c")
        graph.add_edge("c", "b")

    shape = Shape(edges)
    assert {("GL101", "b"), ("GL110", "b")} <= found(
        gate(InOrder(shape, ("a", "c", "b")), Graph(shape, wire), edges, tmp_path)
    )


def test_l3_a_barrier_behind_a_router_never_releases(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a?",), "c": ("a?",), "d": ("b", "c"), "e": ("d",)}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: ["b"], ["b", "c"])
        graph.add_edge(["b", "c"], "d")
        graph.add_edge("d", "e")

    report = gate(InOrder(shape, tuple("abde")), Graph(shape, wire), edges, tmp_path)
    assert {("GL102", "d"), ("GL102", "e"), ("GL170", "d")} <= found(report)
    assert cause(report, "GL102", "d") == "a join that never released: b had ended, c never ran"
    both = gate(Graph(shape, wire, "legacy"), Graph(shape, wire), edges, tmp_path)
    assert found(both) == {("GL170", "d")}
    assert cause(both, "GL170", "d") == (
        "under both engines the run ended normally although b had led to d, c never came"
    )


def test_l4_a_plain_edge_starts_the_target_of_a_barrier_early(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",), "c": ("a",), "p": ("b?",), "q": ("b?",), "d": ("p", "q", "c")}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        graph.add_edge("a", "c")
        graph.add_conditional_edges("b", lambda state: "p", ["p", "q"])
        graph.add_edge(["p", "q"], "d")
        graph.add_edge("c", "d")

    report = gate(InOrder(shape, tuple("abcpd")), Graph(shape, wire), edges, tmp_path)
    assert {("GL110", "d"), ("GL120", "d")} <= found(report)
    assert "p" in cause(report, "GL110", "d")


def test_l5_a_router_that_picks_two_of_three(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "x": ("a?",), "y": ("a?",), "z": ("a?",), "e": ("x", "y", "z")}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: ["x", "y"], ["x", "y", "z"])
        graph.add_edge(["x", "y", "z"], "e")

    report = gate(InOrder(shape, tuple("axye")), Graph(shape, wire), edges, tmp_path)
    assert cause(report, "GL102", "e") == "a join that never released: x and y had ended, z never ran"
    assert ("GL170", "e") in found(report)


def test_l6_a_descendant_runs_before_its_slower_ancestor(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "s": ("a",), "t": ("s",), "u": ("t",), "d": ("a", "u")}
    shape = Shape(edges)
    report = gate(InOrder(shape, tuple("astud")), Graph(shape, plain(edges)), edges, tmp_path)
    assert cause(report, "GL120", "d").startswith(
        "uneven join: its sources are at depths a 0 and u 3; u ended before d"
    )


def test_l7_a_superstep_that_waits_for_its_slowest_node_is_no_divergence(tmp_path: Path) -> None:
    edges: Edges = {"fast": (), "slow": (), "after": ("fast",)}
    shape = Shape(edges)
    assert found(gate(InOrder(shape, ("fast", "after", "slow")), Graph(shape, plain(edges)), edges, tmp_path)) == set()


def test_l8_a_node_sees_the_whole_superstep_before_it(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b1": ("a",), "c": ("a",), "b2": ("b1",)}
    reads: Edges = {**edges, "b2": ("b1", "c")}
    report = gate(InOrder(Shape(reads), ("a", "b1", "b2", "c")), Graph(Shape(reads), plain(edges)), edges, tmp_path)
    assert leaders(report) == {("GL112", "b2")}


def test_l9_two_writers_of_one_key_without_a_reducer(tmp_path: Path) -> None:
    class Bare(TypedDict, total=False):
        total: int

    @dataclass(frozen=True)
    class Unreduced(Graph):
        def run(self, case: Case, tap: Tap) -> Outcome:
            graph: Any = StateGraph(Bare)
            for node in ("a", "b"):
                body = self.shape.body(node, tap)
                graph.add_node(node, lambda state, body=body: {"total": len(body({}))})
                graph.add_edge(START, node)
            graph.compile().invoke({})
            raise AssertionError("LangGraph refuses the second write")

    edges: Edges = {"a": (), "b": ()}
    report = gate(InOrder(Shape(edges), ("a", "b")), Unreduced(Shape(edges), plain(edges)), edges, tmp_path)
    assert {("GL140", None), ("GL203", None)} <= found(report)
    assert "InvalidUpdateError" in next(i.divergence.candidate for i in report.findings if i.divergence.rule == "GL140")


def test_l10_a_send_to_the_target_of_a_barrier_runs_it_twice(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",), "d": ("a", "b")}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        graph.add_edge(["a", "b"], "d")
        graph.add_conditional_edges("a", lambda state: [Send("d", state)], ["d"])

    assert ("GL101", "d") in found(gate(InOrder(shape, tuple("abd")), Graph(shape, wire), edges, tmp_path))


def looping(turns: int, leave: str) -> Callable[[Any], object]:
    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: leave if state["turns"] >= turns else "a", ["a", leave])

    return wire


def test_l11_a_loop_body_with_a_plain_edge_out_starts_its_dependent_each_turn(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",)}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        looping(3, END)(graph)
        graph.add_edge("a", "b")

    report = gate(InOrder(shape, ("a", "a", "a", "b")), Graph(shape, wire), edges, tmp_path)
    assert ("GL101", "b") in found(report)
    assert "its source a ran" in cause(report, "GL101", "b")


def test_l12_a_barrier_is_a_set_so_a_loop_before_it_releases_it_once(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": (), "c": ("a", "b")}
    shape = Shape(edges, {"a": lambda seen: "a", "b": lambda seen: "b"})

    def wire(graph: Any) -> None:
        graph.add_edge(START, "b")
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: END if state["turns"] >= 4 else "a", ["a", END])
        graph.add_edge(["a", "b"], "c")

    report = gate(InOrder(shape, ("a", "b", "a", "c")), Graph(shape, wire), edges, tmp_path)
    assert "GL101" not in {rule for rule, node in found(report) if node == "c"}


@dataclass(frozen=True)
class Fails:
    """A legacy engine that is strict: it runs `order` and then fails."""

    shape: Shape
    order: tuple[str, ...]
    error: str
    side: Any = "legacy"
    name: str = "strict"
    sources: tuple[str, ...] = ()

    def run(self, case: Case, tap: Tap) -> Outcome:
        inner = InOrder(self.shape, self.order).run(case, tap)
        return Outcome(success=False, data=inner.data, nodes=inner.nodes, error=self.error)


def test_l13_an_unknown_target_is_a_logged_warning_and_then_success(tmp_path: Path) -> None:
    edges: Edges = {"a": ()}
    shape = Shape(edges)

    @dataclass(frozen=True)
    class Goes(Graph):
        def _node(self, node: str, body: Any) -> Any:
            return lambda state: Command(update={"results": {node: body(state["results"])}}, goto="nowhere")

    report = gate(Fails(shape, ("a",), "KeyError: nowhere"), Goes(shape, plain(edges)), edges, tmp_path)
    assert ("GL141", None) in leaders(report)


def test_l13_with_a_path_map_it_is_a_key_error(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a?",)}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: "other", {"known": "b"})

    report = gate(InOrder(shape, ("a",)), Graph(shape, wire), edges, tmp_path)
    assert {("GL140", None), ("GL203", None)} <= found(report)


def test_l14_a_router_that_returns_nothing_ends_its_branch_silently(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",)}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: [], ["b"])

    report = gate(InOrder(shape, ("a", "b")), Graph(shape, wire), edges, tmp_path)
    assert cause(report, "GL102", "b") == "an edge is lost: a had ended, and nothing started b"
    assert ("GL170", "b") in found(report)


def test_l17_a_change_in_place_leaks_although_nothing_was_returned(tmp_path: Path) -> None:
    def greedy(seen: Any) -> Any:
        if seen["a"]:
            seen["a"].append("b was here")

    edges: Edges = {"a": (), "b": ("a",), "c": ("a", "b")}
    shape = Shape(edges, {"a": lambda seen: ["a"], "b": greedy})

    @dataclass(frozen=True)
    class Copies(InOrder):
        def run(self, case: Case, tap: Tap) -> Outcome:
            results: dict[str, Any] = {}
            for node in self.order:
                copies = {key: list(value) if isinstance(value, list) else value for key, value in results.items()}
                results[node] = self.shape.body(node, tap)(copies)
            return outcome(results)

    report = gate(Copies(shape, tuple("abc")), Graph(shape, plain(edges)), edges, tmp_path)
    assert any(rule in ("GL111", "GL112", "GL113") and node == "c" for rule, node in found(report))
    assert any("changes its input in place" in item.divergence.cause for item in report.findings)


def shared(order: str, *, whole: bool = False, write: Mapping[str, Mapping[str, Any]], side: Any = "legacy") -> Any:
    """An engine with one shared map: activations at once see one state; their returns are merged in the given order."""

    @dataclass(frozen=True)
    class Shared:
        side: Any
        name: str = "shared"
        sources: tuple[str, ...] = ()

        async def run(self, case: Case, tap: Tap) -> Outcome:
            def body(node: str) -> Any:
                async def call(seen: Mapping[str, Any]) -> Mapping[str, Any]:
                    await asyncio.sleep(0)
                    return write[node]

                return tap.wrap(node, call)

            bodies = {node: body(node) for node in sorted(order)}
            data: dict[str, Any] = {"x": 0, "y": 0}
            seen = {node: dict(data) for node in order}
            returned = dict(
                zip(sorted(order), await asyncio.gather(*(bodies[n](seen[n]) for n in sorted(order))), strict=True)
            )
            for node in order:
                data.update({**seen[node], **returned[node]} if whole else returned[node])
            return Outcome(success=True, data=data, nodes={})

    return Shared(side)


def test_l18_parallel_writers_are_merged_in_another_order(tmp_path: Path) -> None:
    writes = {"a": {"x": 1}, "b": {"x": 2}}
    edges: Edges = {"a": (), "b": ()}
    report = gate(shared("ab", write=writes), shared("ba", write=writes, side="candidate"), edges, tmp_path)
    assert found(report) == {("GL153", "a")}
    assert cause(report, "GL153", "a") == (
        "b and a both write x; the legacy engine keeps what b wrote, the candidate what a wrote"
    )


@pytest.mark.parametrize(("loser", "side"), [("legacy", "legacy"), ("candidate", "candidate")], ids=["w6", "l20"])
def test_l20_w6_whole_copies_undo_what_a_sibling_wrote(loser: str, side: str, tmp_path: Path) -> None:
    writes = {"a": {"x": 1}, "b": {"y": 2}}
    pair = [shared("ab", write=writes, whole=loser == name, side=name) for name in ("legacy", "candidate")]
    report = gate(*pair, {"a": (), "b": ()}, tmp_path)
    assert found(report) == {("GL152", "a")}
    assert cause(report, "GL152", "a") == (
        f"a wrote x last, but the {side} engine ends with the value from before; "
        "b ran beside it and may have given back a whole old copy"
    )


def test_l21_a_step_that_depends_on_itself_is_dropped(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a", "b")}
    shape = Shape({"a": (), "b": ("a",)})

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_edge(["a", "b"], "b")

    report = gate(InOrder(shape, ("a", "b")), Graph(shape, wire), edges, tmp_path)
    assert {("GL102", "b"), ("GL170", "b")} <= found(report)


def test_w1_a_visited_set_that_is_never_filled(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
    shape = Shape(edges)
    correct = InOrder(shape, tuple("abcd"), "candidate")
    assert ("GL101", "d") in found(gate(InOrder(shape, tuple("abcdd")), correct, edges, tmp_path))


def test_w2_layered_diamonds_without_a_visited_set(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c"), "e": ("d",), "f": ("d",), "g": ("e", "f")}
    shape = Shape(edges)
    walked = ("a", "b", "c", "d", "d", *"efef", *"gggg")
    report = gate(InOrder(shape, walked), InOrder(shape, tuple("abcdefg"), "candidate"), edges, tmp_path)
    counts = {i.divergence.node: i.divergence.legacy for i in report.findings if i.divergence.rule == "GL101"}
    assert counts == {"d": "ran 2 times", "e": "ran 2 times", "f": "ran 2 times", "g": "ran 4 times"}


def test_w3_the_join_runs_at_its_first_arrival(tmp_path: Path) -> None:
    shape = Shape(UNEVEN)
    report = gate(InOrder(shape, tuple("abcdx")), InOrder(shape, tuple("abcxd"), "candidate"), UNEVEN, tmp_path)
    assert ("GL112", "d") in found(report)
    assert "d began before x did" in cause(report, "GL112", "d")


def test_w5_a_lost_cancellation_reads_as_success(tmp_path: Path) -> None:
    edges: Edges = {"a": ()}
    shape = Shape(edges)
    strict = Fails(shape, ("a",), "CancelledError", "candidate")
    assert ("GL140", None) in found(gate(InOrder(shape, ("a",)), strict, edges, tmp_path))


def test_w7_an_unknown_next_node_is_passed_over_with_a_warning(tmp_path: Path) -> None:
    edges: Edges = {"a": ()}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_edge("a", "typo")

    report = gate(InOrder(shape, ("a",)), Graph(shape, wire), edges, tmp_path)
    assert found(report) == {("GL200", None), ("GL140", None)}
    assert leaders(report) == {("GL200", None)}


def test_w8_the_dependent_of_a_skipped_step_runs(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "b": ("a",), "c": ("b",)}
    legacy = InOrder(Shape(edges, skipped=("b", "c")), ("a",))
    candidate = InOrder(Shape(edges, skipped=("b",)), ("a", "c"), "candidate")
    assert ("GL103", "c") in found(gate(legacy, candidate, edges, tmp_path))


def test_w10_a_condition_that_is_evaluated_twice(tmp_path: Path) -> None:
    edges: Edges = {"a": (), "is_large": ("a",), "b": ("is_large",)}
    shape = Shape(edges)
    twice, once = ("a", "is_large", "is_large", "b"), ("a", "is_large", "b")
    report = gate(InOrder(shape, twice), InOrder(shape, once, "candidate"), edges, tmp_path)
    assert ("GL101", "is_large") in found(report)


def test_w11_a_cycle_that_the_visited_set_cuts(tmp_path: Path) -> None:
    edges: Edges = {"a": ("b?",), "b": ("a",)}
    shape = Shape(edges)

    def wire(graph: Any) -> None:
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        graph.add_conditional_edges("b", lambda state: END if state["turns"] >= 4 else "a", ["a", END])

    report = gate(InOrder(shape, ("a", "b")), Graph(shape, wire), edges, tmp_path)
    assert {("GL101", "a"), ("GL101", "b")} <= found(report)


def ends(statuses: Mapping[str, str], *, success: bool, side: Any, error: str | None = None) -> Any:
    @dataclass(frozen=True)
    class Ends:
        side: Any
        name: str = "ends"
        sources: tuple[str, ...] = ()

        def run(self, case: Case, tap: Tap) -> Outcome:
            nodes = {name: NodeEnd(status, None) for name, status in statuses.items()}
            return Outcome(success=success, data={}, nodes=nodes, error=error)

    return Ends(side)


def test_w12_a_group_with_a_failed_branch_stops_one_engine_only(tmp_path: Path) -> None:
    edges: Edges = {"group": (), "left": ("group",), "right": ("group",), "after": ("group",)}
    branch = {"left": "completed", "right": "failed"}
    legacy = ends({**branch, "group": "failed"}, success=False, side="legacy", error="X: no")
    candidate = ends({**branch, "group": "completed", "after": "completed"}, success=True, side="candidate")
    report = gate(legacy, candidate, edges, tmp_path)
    assert {("GL130", "group"), ("GL143", "after"), ("GL141", None)} <= found(report)
    assert ("GL141", None) in leaders(report)
