"""A module that moved."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

MOVED = {"legacy": "legacy.walker", "to": "flows.engine"}
MODULES = {
    "legacy/__init__.py": "",
    "legacy/walker.py": "class W: ...\ndef helper(): ...\n",
    "legacy/other.py": "def f(): ...\n",
    "flows/__init__.py": "",
    "flows/engine.py": "class W: ...\ndef helper(): ...\n",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from legacy.walker import W, helper  # both\nW(); helper()\n",
            "from flows.engine import W, helper  # both\nW(); helper()\n",
        ),
        (
            "from legacy.walker import (\n    W,\n    helper,\n)\n",
            "from flows.engine import (\n    W,\n    helper,\n)\n",
        ),
        ("import legacy.walker as lw\nlw.W()\n", "import flows.engine as lw\nlw.W()\n"),
        ("import os, legacy.walker as lw\nlw.W(lw)\n", "import os, flows.engine as lw\nlw.W(lw)\n"),
        ("from legacy import walker\nwalker.W()\n", "from flows import engine as walker\nwalker.W()\n"),
        ("from legacy import walker as engine\nengine.W()\n", "from flows import engine\nengine.W()\n"),
        (
            "from legacy import other, walker\nwalker.W(other)\n",
            "from legacy import other\nfrom flows import engine as walker\nwalker.W(other)\n",
        ),
        (
            "import legacy.walker\nimport legacy.other\nlegacy.walker.W(); legacy.other.f()\nx: 'legacy.walker.W'\n",
            "import flows.engine\nimport legacy.other\nflows.engine.W(); legacy.other.f()\nx: 'flows.engine.W'\n",
        ),
        (
            "from unittest.mock import patch\npatch('legacy.walker.W.run')\n",
            "from unittest.mock import patch\npatch('flows.engine.W.run')\n",
        ),
        (
            "import importlib\nimportlib.import_module('legacy.walker')\n",
            "import importlib\nimportlib.import_module('flows.engine')\n",
        ),
    ],
)
def test_it_is_used_at_its_new_place(before: str, after: str) -> None:
    check_transformed(before, after, symbols=[MOVED], flags=[], extra=MODULES)


def test_a_relative_import() -> None:
    extra = {"pkg/__init__.py": "", "pkg/old.py": "W = 1\n", "pkg/new/__init__.py": "W = 1\n"}
    check_transformed(
        "from .old import W\nprint(W)\n",
        "from .new import W\nprint(W)\n",
        symbols=[{"legacy": "pkg.old", "to": "pkg.new"}],
        flags=[],
        path="pkg/user.py",
        extra=extra,
    )


def test_configuration() -> None:
    check_transformed(
        "k: legacy.walker.W\n", "k: flows.engine.W\n", symbols=[MOVED], flags=[], path="a.yaml", extra=MODULES
    )


@pytest.mark.parametrize(
    "source",
    ["from legacy.other import f\nf()\n", "import legacy.other\nlegacy.other.f()\n", "from legacy.walkers import W\n"],
)
def test_other_modules_stay(source: str) -> None:
    check_noop(source, symbols=[MOVED], extra=MODULES)


def test_an_import_that_may_fail_is_left_to_a_person() -> None:
    source = "try:\n    from legacy.walker import W\nexcept ImportError:\n    W = None\n"
    check_noop(source, symbols=[MOVED], flags=["try-except-fallback"], extra=MODULES)
