"""What counts as bound by a module: only what an import of it would find."""

from __future__ import annotations

import ast
import io
import re
import symtable

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from pyflakes import api, reporter

from graphlift.migrate.codemods.checks import binds, undefined
from graphlift.migrate.codemods.names import Names
from graphlift.migrate.codemods.source import Source


@pytest.mark.parametrize(
    "code",
    [
        "def build(): ...\n",
        "class build: ...\n",
        "build = 1\n",
        "from flows import make as build\n",
        "from flows import *\n",
        "def __getattr__(name): ...\n",
        "try:\n    from flows import build\nexcept ImportError:\n    build = None\n",
        "if True:\n    with open('x') as build: ...\n",
        "def start():\n    global build\n    build = 1\n",
    ],
)
def test_a_name_of_the_module_is_bound(code: str) -> None:
    assert binds(ast.parse(code), "build")


@pytest.mark.parametrize(
    "code",
    [
        "class Engine:\n    def build(self): ...\n",
        "class Engine:\n    build = 1\n",
        "def start():\n    build = 1\n",
        "def start():\n    from flows import build\n",
        "def start():\n    def build(): ...\n",
        "class Engine:\n    def __getattr__(self, name): ...\n",
        "builder = 1\n",
    ],
)
def test_a_name_of_a_function_or_class_is_not(code: str) -> None:
    assert not binds(ast.parse(code), "build")


def undefined_in(code: str) -> set[str]:
    source = Source(code.encode())
    return set(undefined(source, Names.of(source.text)))


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("class A:\n    x = 1\n    def f(self): return x\n", {"x"}),
        ("class A:\n    x = 1\ny = x\n", {"x"}),
        ("class A:\n    x = 1\n    y = [x for _ in z]\nz = 1\n", {"x"}),
        ("class A:\n    x = 1\n    y = [i for i in x]\n", set()),
        ("def f():\n    import a\na\n", {"a"}),
        ("def f():\n    from b import a\n    def g(): return a\n", set()),
        ("[x for x in y]\nx\ny = 1\n", {"x"}),
        ("[(x := i) for i in y]\nx\ny = 1\n", set()),
        ("def f():\n    global x\n    x = 1\nx\n", set()),
        ("def f():\n    global x\n    return x\n", {"x"}),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        return x\n", set()),
        ("def f(a=b): return a\n", {"b"}),
        ("lambda x: x + y\n", {"y"}),
        ("try: ...\nexcept E as e: e\n", {"E"}),
        ("def f(a: T) -> U: ...\n", {"T", "U"}),
        ("from __future__ import annotations\ndef f(a: T): ...\n", {"T"}),
        ("from m import *\nx\n", set()),
        ("class A:\n    def f(self): return __class__\n    x = __qualname__\n", set()),
        ("print(__name__, len)\n", set()),
        ("import a.b\na.b\n", set()),
        ("match x:\n    case [a, *b]: a, b\n", {"x"}),
        ("class A:\n    x = x\n", set()),
    ],
)
def test_undefined_names_are_told_by_scope(code: str, names: set[str]) -> None:
    assert undefined_in(code) == names


NAME = st.sampled_from("abcde")
EXPRESSION = st.recursive(
    NAME,
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("[{} for {} in {} if {}]".format, inner, NAME, inner, inner),
        st.builds("{{{}: {} for {} in {} for {} in {}}}".format, inner, inner, NAME, inner, NAME, inner),
        st.builds("(lambda {}={}: {})".format, NAME, inner, inner),
        st.builds("({} := {})".format, NAME, inner),
    ),
    max_leaves=5,
)
SIMPLE = st.one_of(
    st.builds("{} = {}".format, NAME, EXPRESSION),
    st.builds("{}: {} = {}".format, NAME, NAME, EXPRESSION),
    st.builds("import {}".format, NAME),
    st.builds("from m import z as {}".format, NAME),
    st.builds("del {}".format, NAME),
    st.builds("global {}".format, NAME),
    EXPRESSION,
)


def block(head: str, bodies: list[str]) -> str:
    return "\n".join([head, *("    " + line for body in bodies for line in body.split("\n"))])


STATEMENT = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(
            lambda n, a, d, t, b: block(f"def {n}({a}={d}) -> {t}:", b), NAME, NAME, EXPRESSION, NAME,
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(
            lambda n, base, b: block(f"class {n}({base}):", b), NAME, NAME, st.lists(inner, min_size=1, max_size=3)
        ),
        st.builds(lambda n, i, b: block(f"for {n} in {i}:", b), NAME, EXPRESSION, st.lists(inner, min_size=1, max_size=2)),
        st.builds(lambda n, b: block("try: ...\nexcept a as " + n + ":", b), NAME, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=4))
def test_undefined_names_against_pyflakes(statements: list[str]) -> None:
    code = "\n".join(statements) + "\n"
    try:
        compile(code, "m.py", "exec")
        ours = undefined_in(code)
    except SyntaxError:
        event("not Python")
        return
    out = io.StringIO()
    api.check(code, "m.py", reporter.Reporter(out, out))
    theirs = set(re.findall(r"undefined name '(\w+)'", out.getvalue()))
    bound = Names.of(code.encode()).bound
    event("undefined" if ours else "all bound")
    # A name that the module binds later, or deletes, is the order of things, and not asked here.
    # To pyflakes a `global` statement alone binds the name, and a comprehension in a class sees the class's names.
    declared = {name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Global) for name in node.names}
    if not any(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(code))):
        assert ours - declared <= theirs, (code, ours, theirs)
    assert theirs - ours <= bound | in_order(code), (code, ours, theirs)


def in_order(code: str) -> set[str]:
    """Names that a scope inside the module binds, and may read before; and those that are deleted."""
    found: set[str] = set()
    tables = [symtable.symtable(code, "m.py", "exec")]
    for table in tables:
        tables.extend(table.get_children())
        if table is not tables[0]:
            found |= {each.get_name() for each in table.get_symbols() if each.is_local()}
    return found | {
        node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)
    }
