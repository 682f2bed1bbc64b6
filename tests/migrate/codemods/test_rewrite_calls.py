"""Calls of a legacy symbol: rewritten where their arguments can be adapted, flagged and untouched where not."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "type": "flows.engine.GraphRunner",
    "arguments": {"rename": {"max_depth": "recursion_limit"}, "drop": ["trace"], "add": {"strict": "False"}},
}
OLD = "from legacy.walker import BFSWalker\n"
NEW = "from flows.engine import build_graph\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w = BFSWalker(n)\n", "w = build_graph(n, strict=False)\n"),
        ("BFSWalker\\\n  (n)\n", "build_graph\\\n  (n, strict=False)\n"),
        ("x = BFSWalker(n).run(m).y\n", "x = build_graph(n, strict=False).run(m).y\n"),
        ("x = BFSWalker(BFSWalker(1))\n", "x = build_graph(build_graph(1, strict=False), strict=False)\n"),
        ("def f(w=BFSWalker(1)): return w\n", "def f(w=build_graph(1, strict=False)): return w\n"),
        ("f = lambda: BFSWalker(1)\n", "f = lambda: build_graph(1, strict=False)\n"),
        ("xs = [BFSWalker(x) for x in y]\n", "xs = [build_graph(x, strict=False) for x in y]\n"),
        ("class K:\n    w = BFSWalker(1)\n", "class K:\n    w = build_graph(1, strict=False)\n"),
        (
            "from functools import partial\nf = partial(BFSWalker, max_depth=1)\n",
            "from functools import partial\nf = partial(build_graph, recursion_limit=1, strict=False)\n",
        ),
        (
            "w = BFSWalker(n)  # é ü\ns = 'é'; v = BFSWalker('é')\n",
            "w = build_graph(n, strict=False)  # é ü\ns = 'é'; v = build_graph('é', strict=False)\n",
        ),
    ],
)
def test_a_call_is_rewritten(before: str, after: str) -> None:
    check_transformed(OLD + before, NEW + after, symbols=[SYMBOL], flags=[])


def test_a_star_import_stays_before_the_new_import() -> None:
    check_transformed(
        "from legacy.walker import *\nhelper()\nw = BFSWalker(n)\n",
        "from legacy.walker import *\nfrom flows.engine import build_graph\nhelper()\nw = build_graph(n, strict=False)\n",
        symbols=[SYMBOL],
        flags=["star-import"],
    )


def test_reached_through_a_module_stays_reached_through_a_module() -> None:
    check_transformed(
        "import os, legacy.walker as lw\nimport legacy.walker\nimport legacy.other\n"
        "a = lw.BFSWalker(n); lw.helper()\nb = legacy.walker.BFSWalker(n); legacy.other.f()\n",
        "import os, legacy.walker as lw\nimport flows.engine\nimport legacy.other\n"
        "a = flows.engine.build_graph(n, strict=False); lw.helper()\n"
        "b = flows.engine.build_graph(n, strict=False); legacy.other.f()\n",
        symbols=[SYMBOL],
        flags=[],
    )


def test_a_name_that_is_taken_is_reached_through_its_module() -> None:
    check_transformed(
        OLD + "build_graph = None\ndef f(BFSWalker): return BFSWalker()\nclass K:\n    BFSWalker = 1\n"
        "    def g(self): return BFSWalker(2)\nys = [BFSWalker for BFSWalker in xs]\n",
        "import flows.engine\nbuild_graph = None\ndef f(BFSWalker): return BFSWalker()\nclass K:\n    BFSWalker = 1\n"
        "    def g(self): return flows.engine.build_graph(2, strict=False)\nys = [BFSWalker for BFSWalker in xs]\n",
        symbols=[SYMBOL],
        flags=["name-collision"],
    )


@pytest.mark.parametrize(
    "taken", ["def build_graph(): ...\n", "from x import build_graph\n", "def f(build_graph): ...\n"]
)
def test_any_use_of_the_new_name_is_a_collision(taken: str) -> None:
    check_transformed(
        OLD + taken + "w = BFSWalker(n)\n",
        "import flows.engine\n" + taken + "w = flows.engine.build_graph(n, strict=False)\n",
        symbols=[SYMBOL],
        flags=["name-collision"],
    )


def test_an_object_that_cannot_be_followed_is_left_to_a_person() -> None:
    check_noop("x.BFSWalker(1)\n", symbols=[SYMBOL], flags=["uncertain-reference"])


def test_where_even_the_package_is_taken_the_call_stays() -> None:
    check_noop(OLD + "build_graph = flows = 1\nw = BFSWalker(n)\n", symbols=[SYMBOL], flags=["name-collision"])


def test_an_import_of_the_new_name_that_is_there_is_used() -> None:
    check_transformed(
        NEW + OLD + "build_graph(1)\nw = BFSWalker(n)\n",
        NEW + "build_graph(1)\nw = build_graph(n, strict=False)\n",
        symbols=[SYMBOL],
        flags=[],
    )


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("BFSWalker(n, **o)", "dynamic-kwargs"),
        ("BFSWalker(*xs)", "dynamic-args"),
        ("BFSWalker(n, trace=log())", "dropped-arg-has-effect"),
        ("partial(BFSWalker, **o)", "dynamic-kwargs"),
        ("BFSWalker(recursion_limit=1, max_depth=2)", "argument-collision"),
    ],
)
def test_a_call_that_cannot_be_adapted_stays(call: str, kind: str) -> None:
    check_noop(f"from functools import partial\n{OLD}w = {call}\n", symbols=[SYMBOL], flags=[kind])


def test_what_cannot_be_adapted_keeps_the_import_beside_the_new_one() -> None:
    check_transformed(
        OLD
        + "a = BFSWalker(n, max_depth=3, trace=True)\nb = BFSWalker(n, **o)\nc = BFSWalker(n, trace=log())\nd = BFSWalker(*xs)\n",
        NEW
        + OLD
        + "a = build_graph(n, recursion_limit=3, strict=False)\nb = BFSWalker(n, **o)\nc = BFSWalker(n, trace=log())\nd = BFSWalker(*xs)\n",
        symbols=[SYMBOL],
        flags=["dynamic-kwargs", "dropped-arg-has-effect", "dynamic-args"],
    )


def test_partial_map_and_what_cannot_be_read() -> None:
    check_transformed(
        "from functools import partial\n"
        + OLD
        + "mk = partial(BFSWalker, max_depth=3)\nbad = partial(BFSWalker, **o)\nws = list(map(BFSWalker, xs))\n",
        "from functools import partial\n"
        + NEW
        + OLD
        + "mk = partial(build_graph, recursion_limit=3, strict=False)\nbad = partial(BFSWalker, **o)\nws = list(map(BFSWalker, xs))\n",
        symbols=[SYMBOL],
        flags=["dynamic-kwargs", "escapes-as-value"],
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(BFSWalker): return BFSWalker()\n",
        "class BFSWalker: ...\nw = BFSWalker(1)\n",
        "from other import BFSWalker\nw = BFSWalker(1)\n",
        "import other.walker as walker\nw = walker.BFSWalker(1)\n",
        "from legacy.walker import helper\nhelper(1)\n",
        "from legacy.walker import BFSWalker2\nBFSWalker2(1)\n",
        "from . import walker\nwalker.BFSWalker(1)\n",
        "s = 'BFSWalker(1)'\n",
    ],
)
def test_what_is_not_the_symbol_stays(source: str) -> None:
    check_noop(source, symbols=[SYMBOL])


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("class A(BFSWalker): ...\n", "subclass"),
        ("x = BFSWalker.create(1)\n", "class-attribute"),
        ("match x:\n    case BFSWalker(): ...\n", "class-pattern"),
        ("f(BFSWalker)\n", "escapes-as-value"),
        ("def f(): return BFSWalker\n", "escapes-as-value"),
        ("R = {'a': BFSWalker}\n", "escapes-as-value"),
        ("isinstance(x, BFSWalker)\n", "isinstance"),
    ],
)
def test_other_roles_are_flagged_and_stay(source: str, kind: str) -> None:
    check_noop(OLD + source, symbols=[SYMBOL], flags=[kind])


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    from legacy.walker import BFSWalker\nexcept ImportError:\n    BFSWalker = None\nw = BFSWalker(1)\n",
        "try:\n    from legacy.walker import BFSWalker\nexcept (ImportError, X):\n    pass\nw = BFSWalker(1)\n",
    ],
)
def test_an_import_that_may_fail_is_left_to_a_person(source: str) -> None:
    plan = check_noop(source, symbols=[SYMBOL], flags=None)
    assert plan.flags


def test_a_name_that_is_bound_again_is_left_to_a_person() -> None:
    plan = check_noop(OLD + "if x:\n    BFSWalker = y\nw = BFSWalker(1)\n", symbols=[SYMBOL], flags=None)
    assert plan.flags


ASYNC = {"flows/__init__.py": "", "flows/engine.py": "async def build_graph(n, strict): ...\nclass GraphRunner: ...\n"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    w = BFSWalker(n)\n", "    w = await build_graph(n, strict=False)\n"),
        ("    BFSWalker(n).run()\n", "    (await build_graph(n, strict=False)).run()\n"),
        (
            "    return f(BFSWalker(n), *[BFSWalker(m) for m in n])\n",
            "    return f(await build_graph(n, strict=False), *[await build_graph(m, strict=False) for m in n])\n",
        ),
        ("    BFSWalker(n)()\n", "    (await build_graph(n, strict=False))()\n"),
        ("    x = not BFSWalker(n)\n", "    x = not (await build_graph(n, strict=False))\n"),
    ],
)
def test_a_coroutine_function_is_awaited(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}async def g(n):\n{before}", f"{NEW}async def g(n):\n{after}", symbols=[SYMBOL], flags=[], extra=ASYNC
    )


@pytest.mark.parametrize(
    "source",
    [
        "w = BFSWalker(n)\n",
        "def g(): return BFSWalker(n)\n",
        "async def g(): return lambda: BFSWalker(n)\n",
        "async def g(w=BFSWalker(n)): ...\n",
        "async def g(): return (BFSWalker(n) for n in x)\n",
        "async def g():\n    class K:\n        w = BFSWalker(n)\n",
        "from functools import partial\nasync def g(): return partial(BFSWalker, 1)\n",
    ],
)
def test_where_nothing_can_be_awaited_the_call_is_flagged(source: str) -> None:
    check_noop(OLD + source, symbols=[SYMBOL], flags=["needs-await"], extra=ASYNC)


def test_a_new_name_that_the_code_base_does_not_have_is_never_written() -> None:
    extra = {"flows/__init__.py": "", "flows/engine.py": "def other(): ...\n"}
    plan = check_noop(OLD + "w = BFSWalker(n)\n", symbols=[SYMBOL], flags=["unverified"], extra=extra)
    assert "flows/engine.py has no build_graph" in plan.flags[0].reason


DEFINITION = {"legacy/__init__.py": "", "legacy/walker.py": "class BFSWalker:\n    def _execute_node(self): ...\n"}


@pytest.mark.parametrize(
    "use",
    [
        "w = BFSWalker(1)\n    w._execute_node()\n",
        "w: object = BFSWalker(1)\n    return w._execute_node\n",
    ],
)
def test_an_object_whose_private_members_are_used_is_left_to_a_person(use: str) -> None:
    source = f"{OLD}def f():\n    {use}"
    check_noop(source, symbols=[SYMBOL], flags=["private-member", "private-member"], extra=DEFINITION)


@pytest.mark.parametrize(
    "made",
    [
        "self._w = BFSWalker(1)",
        "self._w: object = BFSWalker(1)",
        "self._w = given or BFSWalker(1)",
        "self._w = given if given else BFSWalker(1)",
        "self.w = self._w = BFSWalker(1)",
        "w = BFSWalker(1)\n        self._w = w",
        "self.first = BFSWalker(1)\n        self._w = given or self.first",
        "with BFSWalker(1) as self._w: ...",
    ],
)
@pytest.mark.parametrize("use", ["self._w._execute_node()", "w = self._w\n        return w._execute_node"])
def test_an_object_kept_in_self_whose_private_members_the_class_uses(made: str, use: str) -> None:
    source = f"{OLD}class K:\n    def __init__(self, given=None):\n        {made}\n    def go(self):\n        {use}\n"
    check_noop(source, symbols=[SYMBOL], flags=["private-member", "private-member"], extra=DEFINITION)


def test_an_object_kept_in_the_class_itself() -> None:
    source = f"{OLD}class K:\n    w = BFSWalker(1)\n    def go(self): return self.w._execute_node()\n"
    check_noop(source, symbols=[SYMBOL], flags=["private-member", "private-member"], extra=DEFINITION)


def test_attributes_of_another_class_and_other_attributes_do_not_matter() -> None:
    rest = (
        "class L:\n    def __init__(self):\n        self._w = BFSWalker(2)\n        self.v = BFSWalker(3)\n"
        "class K:\n    def __init__(self):\n        self._w = BFSWalker(1)\n    def go(self): self._w._execute_node()\n"
    )
    after = rest.replace("BFSWalker(2)", "build_graph(2, strict=False)").replace(
        "BFSWalker(3)", "build_graph(3, strict=False)"
    )
    check_transformed(
        OLD + rest, NEW + OLD + after, symbols=[SYMBOL], flags=["private-member", "private-member"], extra=DEFINITION
    )


def test_private_members_of_another_function_do_not_matter() -> None:
    check_transformed(
        OLD + "def f():\n    w = BFSWalker(1)\n    return w\ndef g(w: object): ...\n",
        NEW + "def f():\n    w = build_graph(1, strict=False)\n    return w\ndef g(w: object): ...\n",
        symbols=[SYMBOL],
        flags=[],
        extra=DEFINITION,
    )


WALKER = "class BFSWalker:\n    def __init__(self, nodes, trace=False, max_depth=5): ...\n"


def test_positional_arguments_are_read_off_the_signature() -> None:
    check_transformed(
        OLD + "a = BFSWalker(n, True)\nb = BFSWalker(n, True, 3)\nc = BFSWalker(n, log())\n",
        NEW + OLD + "a = build_graph(n, strict=False)\n"
        "b = build_graph(n, recursion_limit=3, strict=False)\nc = BFSWalker(n, log())\n",
        symbols=[SYMBOL],
        flags=["dropped-arg-has-effect"],
        extra={"legacy/walker.py": WALKER},
    )


def test_a_call_that_cannot_work_is_not_carried_over() -> None:
    check_noop(
        OLD + "BFSWalker(n, unknown=1)\n",
        symbols=[SYMBOL],
        flags=["cannot-work"],
        extra={"legacy/walker.py": WALKER},
    )


@pytest.mark.parametrize("load", ["importlib.import_module('app.walker')", "sys.modules['app.walker']"])
def test_a_call_through_a_module_that_is_loaded_by_a_string(sandbox: Any, load: str) -> None:
    head = "import importlib\nimport sys\n"
    sandbox.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "app.walker.Walker"\nto = "app.engine.Runner"\n',
            "app/__init__.py": "",
            "app/walker.py": "class Walker: ...\n\n\ndef make():\n    return Walker()\n",
            "app/engine.py": "class Runner: ...\n",
            "app/use.py": f"{head}\n\ndef go():\n    module = {load}\n    return module.Walker()\n",
            "app/twice.py": f"{head}\nmodule = {load}\nmodule = None or module\nmodule.Walker()\n",
        }
    )
    ran = sandbox.run("codemod", "--apply")
    after = (sandbox.root / "app/use.py").read_text(encoding="utf-8")
    assert "import app.engine\n" in after
    assert after.endswith(f"\n\ndef go():\n    module = {load}\n    return app.engine.Runner()\n")
    assert "module.Walker()" in (sandbox.root / "app/twice.py").read_text(encoding="utf-8")
    assert "app/twice.py:6:1: not-rewritten: " in ran.out + ran.err
    assert "app/walker.py:5:12: beside-definition: stands beside the symbol's definition" in ran.out + ran.err
