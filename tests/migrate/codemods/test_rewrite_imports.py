"""Imports: only what is unused goes, comments stay with what they describe, new ones stand where the old ones did."""

from __future__ import annotations

from typing import Any

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "type": "flows.engine.Runner"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from legacy.walker import W\nW()\n", "from flows.engine import build\nbuild()\n"),
        ("from legacy.walker import W as X\nX()\n", "from flows.engine import build\nbuild()\n"),
        ("from legacy import walker\nwalker.W()\n", "import flows.engine\nflows.engine.build()\n"),
        (
            "from legacy import walker as w\nw.W(); w.f()\n",
            "import flows.engine\nfrom legacy import walker as w\nflows.engine.build(); w.f()\n",
        ),
        (
            "from legacy.walker import W, f\nW(); f()\n",
            "from legacy.walker import f\nfrom flows.engine import build\nbuild(); f()\n",
        ),
        (
            "from legacy.walker import f, W\nW(); f()\n",
            "from legacy.walker import f\nfrom flows.engine import build\nbuild(); f()\n",
        ),
        (
            "from legacy.walker import f, \\\n    W\nW(); f()\n",
            "from legacy.walker import f\nfrom flows.engine import build\nbuild(); f()\n",
        ),
        (
            "from legacy.walker import f, W  # both\nW(); f()\n",
            "from legacy.walker import f  # both\nfrom flows.engine import build\nbuild(); f()\n",
        ),
        ("from legacy.walker import W  # noqa: E402\nW()\n", "from flows.engine import build  # noqa: E402\nbuild()\n"),
        (
            "import os; from legacy.walker import W; x = W()\n",
            "import os; from flows.engine import build; x = build()\n",
        ),
        ("import legacy.walker; legacy.walker.W()\n", "import flows.engine; flows.engine.build()\n"),
        ("import os, legacy.walker\nlegacy.walker.W()\n", "import os\nimport flows.engine\nflows.engine.build()\n"),
        ("if x: from legacy.walker import W; W()\n", "if x: from flows.engine import build; build()\n"),
        (
            "def f():\n\tfrom legacy.walker import W, g\n\treturn g(W())\n",
            "def f():\n\tfrom legacy.walker import g\n\tfrom flows.engine import build\n\treturn g(build())\n",
        ),
        (
            "'''doc'''\nfrom __future__ import annotations\n\nfrom legacy.walker import W\n\n\ndef f():\n    W()\n",
            "'''doc'''\nfrom __future__ import annotations\n\nfrom flows.engine import build\n\n\ndef f():\n    build()\n",
        ),
        (
            "from legacy.walker import (  # noqa: F401\n    W,  # main\n    # keep: used by plugins\n    helper,\n)\nw = W(n)\n",
            "from legacy.walker import (  # noqa: F401\n    # keep: used by plugins\n    helper,\n)\nfrom flows.engine import build  # main\nw = build(n)\n",
        ),
        (
            "from legacy.walker import (\n    f,\n    # the walker\n    W,\n)\nf(W())\n",
            "from legacy.walker import (\n    f,\n)\n# the walker\nfrom flows.engine import build\nf(build())\n",
        ),
        ("from legacy.walker import (\n    W,  # main\n)\nW()\n", "from flows.engine import build  # main\nbuild()\n"),
        (
            "from legacy.walker import (\n    # why\n    W,\n)\nW()\n",
            "# why\nfrom flows.engine import build\nbuild()\n",
        ),
        (
            "# about the walker\nfrom legacy.walker import W\nW()\nf(W)\n",
            "# about the walker\nfrom legacy.walker import W\nfrom flows.engine import build\nbuild()\nf(W)\n",
        ),
        (
            "try:\n    import json\nfinally:\n    pass\nfrom legacy.walker import W\nW()",
            "try:\n    import json\nfinally:\n    pass\nfrom flows.engine import build\nbuild()",
        ),
        (
            "from legacy.walker import W\nfrom legacy.walker import W\nW()\n",
            "from flows.engine import build\nbuild()\n",
        ),
    ],
)
def test_imports_follow_the_uses(before: str, after: str) -> None:
    check_transformed(before, after, symbols=[SYMBOL], flags=None)


def test_a_relative_import_stays_relative() -> None:
    check_transformed(
        "from ..legacy.walker import W\nW()\n",
        "from ..flows import build\nbuild()\n",
        symbols=[{"legacy": "app.legacy.walker.W", "to": "app.flows.build"}],
        path="app/api/routes.py",
        flags=[],
        extra={"app/legacy/walker.py": "class W: ...\n", "app/flows.py": "def build(): ...\n"},
    )


def test_an_import_that_sorts_after_the_old_one_is_put_after_it() -> None:
    check_transformed(
        "from legacy.walker import W\nW()\nf(W)\n",
        "from legacy.walker import W\nfrom zflows import build\nbuild()\nf(W)\n",
        symbols=[{"legacy": "legacy.walker.W", "called": "zflows.build"}],
        flags=["escapes-as-value"],
    )


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (
            "from legacy.walker import W\nW()\nclass A(W): ...\n",
            "from flows.engine import build\nfrom legacy.walker import W\nbuild()\nclass A(W): ...\n",
            ["subclass"],
        ),
        (
            "import legacy.walker\nlegacy.walker.W()\nlegacy.walker.f()\n",
            "import flows.engine\nimport legacy.walker\nflows.engine.build()\nlegacy.walker.f()\n",
            [],
        ),
        (
            "import legacy.walker\nlegacy.walker.W()\nx: 'legacy.walker.Other'\n",
            "import flows.engine\nimport legacy.walker\nflows.engine.build()\nx: 'legacy.walker.Other'\n",
            [],
        ),
    ],
)
def test_an_import_that_something_uses_stays(before: str, after: str, kinds: list[str]) -> None:
    check_transformed(before, after, symbols=[SYMBOL], flags=kinds)


def test_two_functions_each_import_for_themselves() -> None:
    check_transformed(
        "def f():\n    from legacy.walker import W\n    return W()\ndef g():\n    from legacy.walker import W\n    x: W = 1\n    return x\n",
        "def f():\n    from flows.engine import build\n    return build()\ndef g():\n    from flows.engine import Runner\n    x: Runner = 1\n    return x\n",
        symbols=[SYMBOL],
        flags=[],
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from legacy.walker import W\nx = 1\n", "x = 1\n"),
        ("from legacy.walker import f, W\nf()\n", "from legacy.walker import f\nf()\n"),
        ("def f():\n    from legacy.walker import W\n", "def f():\n    pass\n"),
        ("import os; from legacy.walker import W\nos.x\n", "import os\nos.x\n"),
        ("from legacy.walker import W; import os\nos.x\n", "import os\nos.x\n"),
        (
            "if x:\n    from legacy.walker import W  # old\nelse:\n    y = 1\n",
            "if x:\n    pass  # old\nelse:\n    y = 1\n",
        ),
    ],
)
def test_an_import_that_nothing_had_used_is_dropped(before: str, after: str) -> None:
    check_transformed(before, after, symbols=[SYMBOL], flags=[])


@pytest.mark.parametrize(
    "source",
    ["from legacy.walker import f\nf()\n", "import legacy.walker\n", "from legacy import walker\nwalker.f()\n"],
)
def test_imports_of_something_else_stay(source: str) -> None:
    check_noop(source, symbols=[SYMBOL])


def test_without_pruning_the_old_import_stays() -> None:
    check_transformed(
        "from legacy.walker import W\nW()\n",
        "from flows.engine import build\nfrom legacy.walker import W\nbuild()\n",
        symbols=[SYMBOL],
        skip=["rewrite-imports", "drop-unused"],
    )


def test_a_module_that_stays_keeps_no_import_in_its_stub(sandbox: Any) -> None:
    old = "from app.walker import Walker as _W\n"
    sandbox.files(
        {
            "graphlift.toml": '[[symbol]]\nlegacy = "app.walker.Walker"\ncalled = "app.engine.R"\ntype = "app.engine.R"\n',
            "app/__init__.py": "",
            "app/walker.py": "class Walker: ...\n",
            "app/engine.py": "class R: ...\n",
            "app/api.py": f"{old}\n\nclass Api:\n    kind = _W\n",
            "app/api.pyi": f"{old}\nclass Api:\n    kind: type[_W]\n",
        }
    )
    sandbox.run("codemod", "--apply")
    stub = (sandbox.root / "app/api.pyi").read_text(encoding="utf-8")
    assert stub == "from app.engine import R\n\nclass Api:\n    kind: type[R]\n"
