"""Properties over generated modules: what is not said stays, a second run is empty, the result is sound."""

from __future__ import annotations

import ast
import io

from hypothesis import given, settings
from hypothesis import strategies as st
from pyflakes import api, reporter

from graphlift.migrate.codemods.builtin import builtin
from graphlift.migrate.codemods.selection import select
from graphlift.migrate.codemods.testing import plan_for

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "type": "flows.engine.GraphRunner",
    "arguments": {"rename": {"max_depth": "recursion_limit"}, "drop": ["trace"], "add": {"strict": "False"}},
}
IMPORTS = [
    ("from legacy.walker import BFSWalker", "BFSWalker"),
    ("from legacy.walker import BFSWalker as Walker", "Walker"),
    ("from legacy.walker import helper, BFSWalker", "BFSWalker"),
    ("from legacy.walker import (\n    helper,  # h\n    BFSWalker,  # w\n)", "BFSWalker"),
    ("import legacy.walker", "legacy.walker.BFSWalker"),
    ("import legacy.walker as lw", "lw.BFSWalker"),
    ("from legacy import walker", "walker.BFSWalker"),
    ("import os; from legacy.walker import BFSWalker", "BFSWalker"),
]
USES = [
    "v = {}(1)",
    "v = {}(1, max_depth=2, trace=True)",
    "v = {}(**opts)",
    "v = {}(*opts)",
    "def f(w: {}) -> '{}': return w",
    "v: list[{}] = []",
    "class A({}): pass",
    "v = [{}, 1]",
    "isinstance(opts, {})",
    "def g(build_graph): return {}(build_graph)",
    "def h():\n    from legacy.walker import BFSWalker\n    return BFSWalker(2)",
    "if opts:\n    v = {}(1)  # é",
    "v = '''\n{}\n'''",
    "v = {}(\n    1,\n    # c\n    trace=1,\n)",
    "lambda: {}(trace=0)",
    "def k(BFSWalker, lw, walker, legacy): return BFSWalker(lw, walker, legacy)",
    "opts.BFSWalker(1)",
    "alias = {}\nalias(1)",
    "for v in opts: {}(v)",
]
FILLER = ["", "# BFSWalker comment", "opts = {'a': 1}", "\x0c", "'a string'", "x = 1 ;  y = 2  # ü"]


@st.composite
def modules(draw: st.DrawFn) -> bytes:
    statement, name = draw(st.sampled_from(IMPORTS))
    body = [line.replace("{}", name) for line in draw(st.lists(st.sampled_from(USES + FILLER), max_size=7))]
    head = draw(st.sampled_from(["", "'''doc'''", "# -*- coding: utf-8 -*-", "from __future__ import annotations"]))
    lines = [*([head] if head else []), statement, "opts = {}", *body]
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = "\n".join(lines).replace("\n", newline) + draw(st.sampled_from(["", newline, newline * 2]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def complaints(content: bytes) -> list[str]:
    """What pyflakes says of undefined names and of unused imports, without places."""
    out = io.StringIO()
    text = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode()
    api.check(text, "m.py", reporter.Reporter(out, out))
    said = [line.split(": ", 1)[-1].split(" ", 1)[-1] for line in out.getvalue().splitlines()]
    return [line for line in said if "undefined name" in line or "imported but unused" in line]


def kept_lines(content: bytes) -> list[bytes]:
    names = (
        b"BFSWalker",
        b"Walker",
        b"walker",
        b"legacy",
        b"build_graph",
        b"GraphRunner",
        b"flows",
        b"import os",
        b"alias",
    )
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    return [line for line in lines if not any(name in line for name in names)]


@settings(max_examples=150, deadline=None)
@given(modules())
def test_a_rewritten_module_is_as_sound_as_it_was(content: bytes) -> None:
    codemods = select(builtin())
    plan = plan_for({"app/user.py": content}, [SYMBOL], codemods)
    assert not [flag for flag in plan.flags if flag.kind in ("unverified", "overlap")]
    after = plan.changes[0].after if plan.changes else content
    assert after is not None
    ast.parse(after.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    assert set(complaints(after)) <= set(complaints(content))
    again = plan_for({"app/user.py": after}, [SYMBOL], codemods)
    assert again.changes == ()


@settings(max_examples=60, deadline=None)
@given(modules())
def test_lines_that_name_nothing_stay_byte_for_byte(content: bytes) -> None:
    plan = plan_for({"app/user.py": content}, [SYMBOL], select(builtin()))
    if plan.changes:
        after = plan.changes[0].after or b""
        kept, left = kept_lines(content), iter(kept_lines(after))
        # Lines of a dropped argument may go; none may change, and none may move.
        assert [line for line in kept if b"trace" not in line and line.strip() not in (b"# c", b"1,", b")")] == [
            line
            for line in left
            if b"trace" not in line and line.strip() not in (b"# c", b"1,", b")", b"strict=False,")
        ]
