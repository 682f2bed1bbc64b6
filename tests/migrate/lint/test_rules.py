"""Every rule on the shape that it is for, and on the nearest shape that is sound. Shapes are numbered L1 to L21."""

from __future__ import annotations

import textwrap

import pytest

from graphlift.migrate.lint import RULES, lint_graphs, read_graphs

HEAD = """\
import operator
from typing import Annotated, Literal, TypedDict
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

class State(TypedDict):
    log: Annotated[list, operator.add]
    key: str
    shared: Annotated[dict, operator.or_]

def body(state):
    return {}

g = StateGraph(State)
"""


def lint(source: str, head: str = HEAD) -> list[tuple[str, int, str]]:
    """(rule, line in `source`, message) of every finding."""
    text = head + textwrap.dedent(source)
    offset = head.count("\n")
    findings = lint_graphs(read_graphs("flow.py", text))
    return [(one.rule, one.place.line - offset, one.message) for one in findings]


def rules(source: str, head: str = HEAD) -> list[str]:
    return [rule for rule, _, _ in lint(source, head)]


def nodes(*names: str) -> str:
    return "".join(f"g.add_node({name!r}, body)\n" for name in names)


def test_L1_uneven_fan_in() -> None:
    source = nodes("a", "b", "c", "x", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("a", "c")
        g.add_edge("c", "x")
        g.add_edge("b", "d")
        g.add_edge("x", "d")
    """)
    assert lint(source) == [("uneven-fan-in", 12, "d runs 2 times: superstep 3 from b; superstep 4 from x")]


def test_an_even_fan_in_is_sound() -> None:
    source = nodes("a", "b", "c", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        for name in ("b", "c"):
            g.add_edge("a", name)
            g.add_edge(name, "d")
    """)
    assert lint(source) == []


def test_one_list_is_sound() -> None:
    source = nodes("a", "b", "c", "x", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("a", "c")
        g.add_edge("c", "x")
        g.add_edge(["b", "x"], "d")
        g.compile()
    """)
    assert lint(source) == []


def test_L2_a_router_and_a_plain_edge_at_other_depths() -> None:
    source = nodes("a", "b", "c") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "c")
        g.add_edge("c", "b")
        g.add_conditional_edges("a", lambda state: "b", ["b"])
    """)
    assert rules(source) == ["uneven-fan-in"]


def test_exclusive_branches_of_other_lengths_run_the_fan_in_once() -> None:
    source = nodes("a", "b", "c", "x", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_conditional_edges("a", lambda state: "b" if state["key"] else "c", ["b", "c"])
        g.add_edge("c", "x")
        g.add_edge("b", "d")
        g.add_edge("x", "d")
    """)
    assert lint(source) == []


def test_a_fan_in_that_only_carries_a_repetition_on_is_told_once() -> None:
    source = nodes("a", "b", "c", "d", "e") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("a", "c")
        g.add_edge("b", "c")
        g.add_edge("c", "d")
        g.add_edge("d", "e")
    """)
    assert [message.split()[0] for _, _, message in lint(source)] == ["c"]


def test_L3_a_barrier_over_exclusive_branches() -> None:
    source = nodes("a", "b", "c", "d", "e") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_conditional_edges("a", lambda state: "b" if state["key"] else "c", {"b": "b", "c": "c"})
        g.add_edge(["b", "c"], "d")
        g.add_edge("d", "e")
    """)
    assert lint(source) == [("exclusive-barrier", 9, "d never runs from here: when b arrives, c does not")]


def test_a_loop_that_may_bring_the_other_branch_later_is_not_told_as_never() -> None:
    source = nodes("a", "draft", "final", "publish") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_conditional_edges("a", lambda state: "draft" if state["key"] else "final", ["draft", "final"])
        g.add_edge("draft", "a")
        g.add_edge(["draft", "final"], "publish")
    """)
    found = [(rule, message) for rule, _, message in lint(source) if "barrier" in rule]
    assert found == [
        ("barrier-in-a-loop", "draft may run several times, but publish runs at the first arrival of each"),
        ("optional-barrier", "publish does not run when final arrives and draft is not picked"),
    ]


def test_L4_an_early_plain_edge_beside_it() -> None:
    source = nodes("a", "b", "c", "p", "q", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("a", "c")
        g.add_conditional_edges("b", lambda state: "p", ["p", "q"])
        g.add_edge(["p", "q"], "d")
        g.add_edge("c", "d")
    """)
    assert rules(source) == ["exclusive-barrier"]


def test_L5_two_of_three() -> None:
    source = nodes("a", "x", "y", "z", "e") + textwrap.dedent("""
        def pick(state):
            return ["x", "z"]

        g.add_edge(START, "a")
        g.add_conditional_edges("a", pick, ["x", "y", "z"])
        g.add_edge(["x", "y", "z"], "e")
    """)
    assert lint(source) == [("exclusive-barrier", 12, "e never runs from here: when x, z arrives, y does not")]


def test_L5_some_of_three_at_run_time() -> None:
    source = nodes("a", "x", "y", "e") + textwrap.dedent("""
        def pick(state) -> list[str]:
            return state["key"].split()

        g.add_edge(START, "a")
        g.add_conditional_edges("a", pick, ["x", "y"])
        g.add_edge(["x", "y"], "e")
    """)
    assert rules(source) == ["optional-barrier"]


def test_an_inclusive_edge_over_a_choice_is_sound() -> None:
    source = """
        from graphlift.adapters.inclusive import InclusiveStateGraph
        h = InclusiveStateGraph(State)
        for name in ("a", "x", "y", "e"):
            h.add_node(name, body)
        h.add_edge(START, "a")
        h.add_conditional_edges("a", lambda state: "x", ["x", "y"])
        h.add_edge(["x", "y"], "e", inclusive=True)
    """
    assert lint(source) == []


def test_L6_a_descendant_before_its_slower_ancestor() -> None:
    source = nodes("a", "b", "c", "e") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("b", "c")
        g.add_edge("c", "e")
        g.add_edge("a", "e")
    """)
    assert rules(source) == ["uneven-fan-in"]


def test_L7_L8_L15_L16_show_in_no_source() -> None:
    source = nodes("a", "b", "c", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("a", "c")
        g.add_edge("b", "d")
    """)
    assert lint(source) == []


WRITERS = """
    def one(state):
        return {"key": 1}

    async def two(state):
        out = {"key": 2, "log": []}
        return out

    g.add_node("a", body)
    g.add_node("b", one)
    g.add_node("c", two)
    g.add_edge(START, "a")
    g.add_edge("a", "b")
"""


def test_L9_two_writers_of_a_plain_key() -> None:
    found = lint(WRITERS + '    g.add_edge("a", "c")\n')
    assert found == [
        ("same-key-writers", 11, "b and c can write key in one superstep, and it has no reducer"),
    ]


def test_writers_in_different_supersteps_are_sound() -> None:
    assert lint(WRITERS + '    g.add_edge("b", "c")\n') == []


def test_writers_on_exclusive_branches_are_sound() -> None:
    source = WRITERS.replace('g.add_edge("a", "b")', 'g.add_conditional_edges("a", lambda s: "b", ["b", "c"])')
    assert lint(source) == []


def test_L10_a_send_to_a_barriers_target() -> None:
    source = nodes("a", "b", "d") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_edge(START, "b")
        g.add_edge(["a", "b"], "d")
        g.add_conditional_edges("a", lambda state: [Send("d", {})], ["d"])
    """)
    assert rules(source) == ["send-to-barrier"]


LOOP = """
    def again(state) -> Literal["a", "done"]:
        return "done" if len(state["log"]) > 3 else "a"

    for name in ("a", "b", "c", "done"):
        g.add_node(name, body)
    g.add_edge(START, "a")
    g.add_conditional_edges("a", again)
"""


def test_L11_a_plain_edge_out_of_a_loop() -> None:
    assert lint(LOOP + '    g.add_edge("a", "b")\n') == [
        ("loop-dependents", 9, "b runs once for each iteration of the loop through a"),
    ]


def test_leaving_the_loop_through_its_router_is_sound() -> None:
    assert lint(LOOP + '    g.add_edge("done", "b")\n') == []


def test_L12_a_barrier_is_a_set() -> None:
    source = LOOP + '    g.add_edge(START, "b")\n    g.add_edge(["a", "b"], "c")\n'
    assert lint(source) == [
        ("barrier-in-a-loop", 10, "a may run several times, but c runs at the first arrival of each")
    ]


def test_L13_a_router_without_a_path_map() -> None:
    source = nodes("a", "b") + textwrap.dedent("""
        g.add_edge(START, "a")
        g.add_conditional_edges("a", lambda state: state["key"])
    """)
    assert rules(source) == ["open-router"]


def test_L13_a_route_to_no_node() -> None:
    source = """
        def leap(state):
            return Command(goto="nowhere", update={"key": 1})

        g.add_node("a", leap)
        g.add_edge(START, "a")
    """
    assert lint(source) == [("unknown-target", 3, "'nowhere' is no node of this graph")]


@pytest.mark.parametrize("mapped", ['["b"]', '{"b": "b"}', '{"yes": "b"}'])
def test_L13_a_name_that_the_path_map_does_not_have(mapped: str) -> None:
    source = nodes("a", "b") + textwrap.dedent(f"""
        g.add_edge(START, "a")
        g.add_conditional_edges("a", lambda state: "b" if state["key"] else END, {mapped})
    """)
    assert {rule for rule, _, _ in lint(source)} == {"unknown-target"}
    assert "'__end__', which its path map does not have" in lint(source)[0][2]


def test_a_command_to_the_parent_graph_is_not_ours_to_check() -> None:
    source = """
        def leap(state):
            return Command(goto="elsewhere", graph=Command.PARENT)

        g.add_node("a", leap)
        g.add_edge(START, "a")
    """
    assert lint(source) == []


def test_L14_a_router_that_may_pick_nothing() -> None:
    source = """
        def pick(state):
            if state["key"]:
                return "b"
            return []

        g.add_node("a", body)
        g.add_node("b", body)
        g.add_edge(START, "a")
        g.add_conditional_edges("a", pick, ["b"])
    """
    assert lint(source) == [("empty-route", 5, "the router after a may pick nothing")]


@pytest.mark.parametrize(
    "line",
    [
        'state["log"].append(1)',
        'state["log"] += [1]',
        'state["shared"]["x"] = 1',
        'del state["shared"]["x"]',
        'state["shared"].setdefault("x", 1)',
        'state.update(key="x")',
    ],
)
def test_L17_a_change_in_place(line: str) -> None:
    source = f"""
        def touch(state):
            {line}
            return {{}}

        g.add_node("a", touch)
        g.add_edge(START, "a")
    """
    assert [(rule, at) for rule, at, _ in lint(source)] == [("state-mutation", 3)]


def test_a_change_of_a_copy_is_sound() -> None:
    source = """
        def touch(state):
            mine = dict(state["shared"])
            mine["x"] = 1
            seen = set()
            seen.add(2)
            return {"shared": {"x": 1}}

        g.add_node("a", touch)
        g.add_edge(START, "a")
    """
    assert lint(source) == []


def test_L18_parallel_writers_of_a_list() -> None:
    source = """
        def one(state):
            return {"log": [1]}

        g.add_node("a", one)
        g.add_node("b", one)
        g.add_edge(START, "a")
        g.add_edge(START, "b")
    """
    assert lint(source) == [
        ("ordered-reducer", 6, "the order of 'log' is the order of the names of a, b, which share a superstep"),
    ]


def test_L19_two_questions_in_one_superstep() -> None:
    source = """
        def ask(state):
            return {"shared": {"x": interrupt("?")}}

        g.add_node("a", ask)
        g.add_node("b", ask)
        g.add_edge(START, "a")
        g.add_edge(START, "b")
    """
    assert rules(source) == ["parallel-interrupts"]


@pytest.mark.parametrize(
    "value",
    [
        "state",
        '{**state, "key": 1}',
        "dict(state, key=1)",
        'state | {"key": 1}',
        "state.copy()",
        '{"shared": {**state["shared"], "x": 1}}',
        '{"shared": dict(state["shared"], x=1)}',
        '{"shared": state["shared"] | {"x": 1}}',
        '{"shared": {**state.get("shared", {}), "x": 1}}',
    ],
)
def test_L20_a_full_copy(value: str) -> None:
    source = f"""
        def whole(state):
            return {value}

        g.add_node("a", whole)
        g.add_edge(START, "a")
    """
    assert [(rule, at) for rule, at, _ in lint(source)] == [("full-state-return", 3)]


def test_a_copy_under_a_key_that_is_replaced_is_sound() -> None:
    source = """
        def whole(state):
            return {"key": {**state["key"], "x": 1}}

        g.add_node("a", whole)
        g.add_edge(START, "a")
    """
    assert lint(source) == []


def test_L21_a_step_that_waits_for_itself() -> None:
    source = nodes("a", "b") + 'g.add_edge(START, "a")\ng.add_edge(["a", "b"], "b")\n'
    assert "self-dependency" in rules(source)
    source = nodes("a", "b") + 'g.add_edge(START, "a")\ng.add_edge("b", "b")\n'
    assert "self-dependency" in rules(source)


@pytest.mark.parametrize(
    "loop",
    [
        "for dep in deps:\n        g.add_edge(dep, name)",
        "for dep in step.depends_on:\n        g.add_edge(dep, step.name)",
        "for dep, kind in deps:\n        if kind:\n            g.add_edge(ids[dep], name)",
        "[g.add_edge(dep, name) for dep in deps]",
    ],
)
def test_edges_in_a_loop(loop: str) -> None:
    source = f"\ndef wire(g: StateGraph, deps, name, step, ids):\n    {loop}\n"
    assert rules(source) == ["edges-in-a-loop"]


@pytest.mark.parametrize(
    "loop",
    [
        "for step in steps:\n        g.add_edge(list(step.depends_on), step.name)",
        "for name in names:\n        g.add_edge(first, name)",
        "for name in names:\n        g.add_edge(name, name + '_done')",
        "for dep in deps:\n        g.add_edge([dep], name)",
    ],
)
def test_other_loops_are_sound(loop: str) -> None:
    source = f"\ndef wire(g: StateGraph, steps, names, first, deps, name):\n    {loop}\n"
    assert lint(source) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('raise ValueError("no")', "raise ValueError('no')"),
        ('assert state["key"]', "assert state['key']"),
        ('n = state["log"][-1]', "state['log'][-1]"),
        ('n = int(state["key"])', "int(state['key'])"),
        ('n = 1 / len(state["log"])', "1 / len(state['log'])"),
        ('n = max(state["log"])', "max(state['log'])"),
        ("n = next(iter(state))", "next(iter(state))"),
    ],
)
def test_a_router_that_can_raise(line: str, what: str) -> None:
    source = f"""
        def pick(state):
            {line}
            return "b"

        g.add_node("a", body)
        g.add_node("b", body)
        g.add_edge(START, "a")
        g.add_conditional_edges("a", pick, ["b"])
    """
    assert lint(source) == [("raising-router", 3, f"the router after a can raise here: {what}")]


def test_a_router_that_only_reads_is_sound() -> None:
    source = """
        def pick(state):
            try:
                n = int(state["key"])
            except ValueError:
                n = 0
            label = "%s" % n
            return "b" if n > len(state["log"]) and max(n, 2) else END

        g.add_node("a", body)
        g.add_node("b", body)
        g.add_edge(START, "a")
        g.add_conditional_edges("a", pick, ["b", END])
    """
    assert lint(source) == []


def test_a_chain_of_deferred_nodes() -> None:
    source = """
        g.add_node("a", body)
        g.add_node("b", body, defer=True)
        g.add_node("c", body, defer=True)
        g.add_edge(START, "a")
        g.add_edge("a", "b")
        g.add_edge("b", "c")
    """
    assert lint(source) == [("defer-chain", 4, "c is deferred and so is b, which leads to it")]


@pytest.mark.parametrize("saver", ["SqliteSaver(conn)", "saver", "PostgresSaver.from_conn_string(url)"])
def test_stock_barriers_with_a_persistent_saver(saver: str) -> None:
    source = nodes("a", "b", "c") + textwrap.dedent(f"""
        g.add_edge(START, "a")
        g.add_edge(START, "b")
        g.add_edge(["a", "b"], "c")
        app = g.compile(checkpointer={saver})
    """)
    assert lint(source) == [
        ("stock-barrier", 8, "1 waiting edge(s) with a persistent saver and LangGraph's default durability")
    ]


@pytest.mark.parametrize("saver", ["InMemorySaver()", "None", "True", "memory"])
def test_a_saver_in_memory_cannot_outlive_a_crash(saver: str) -> None:
    source = nodes("a", "b", "c") + textwrap.dedent(f"""
        memory = MemorySaver()
        g.add_edge(START, "a")
        g.add_edge(START, "b")
        g.add_edge(["a", "b"], "c")
        app = g.compile(checkpointer={saver})
    """)
    assert lint(source) == []


def test_every_rule_is_documented_and_has_an_id_of_its_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.why.endswith(".")
        assert rule.summary
        assert rule.mend
        assert rule.level in ("error", "warning")


def test_every_rule_is_tested_here() -> None:
    from pathlib import Path

    text = Path(__file__).read_text(encoding="utf-8")
    assert [rule.id for rule in RULES if f'"{rule.id}"' not in text] == []
