"""A name that is taken from a legacy symbol's module by a value: it may be the symbol's."""

from __future__ import annotations

import pytest


def places(ledger):
    return [(each.line, each.column) for each in ledger.in_file("app/user.py") if each.role == "dynamic-access"]


@pytest.mark.parametrize(
    "code",
    [
        "import legacy.walker as lw\ngetattr(lw, name)(1)\n",
        "from legacy import walker\nvars(walker)[n]\n",
        "import legacy.walker\nlegacy.walker.__dict__[n]\n",
        "import legacy\ngetattr(legacy, n)\n",
        "def f(n):\n    from legacy import walker\n    return getattr(walker, n, None)\n",
        "import importlib\ngetattr(importlib.import_module('legacy.walker'), n)\n",
        "import sys\nvars(sys.modules['legacy.walker'])\n",
        "import inspect, legacy.walker as w\ninspect.getmembers(w, inspect.isclass)\n",
    ],
)
def test_is_flagged(ledger_of, code):
    ledger = ledger_of({"app/user.py": code})
    (found,) = (each for each in ledger.in_file("app/user.py") if each.role == "dynamic-access")
    assert (found.fate, found.certain, found.context) == ("flag", False, "live")
    assert found.symbol == "legacy.walker.BFSWalker"
    assert found.reason.startswith("may depend: ")
    assert found in ledger.live()


@pytest.mark.parametrize(
    "code",
    [
        "import legacy.walker as lw\ngetattr(lw, 'helper')\n",
        "import json\ngetattr(json, n)\nvars(json)\n",
        "from legacy import walker\ndef f(walker): return vars(walker)\n",
        "from other import walker\nvars(walker)\n",
        "import legacy.walker as lw\nlw.helper.__dict__\n",
        "walker = 1\nvars(walker)\n",
    ],
)
def test_what_takes_no_name_of_the_module_is_not(ledger_of, code):
    assert places(ledger_of({"app/user.py": code, "legacy/other.py": "x = 1\n"})) == []


def test_a_module_that_only_passes_the_symbol_on_counts_too(ledger_of):
    shim = "from legacy.walker import BFSWalker\n"
    ledger = ledger_of({"facade.py": shim, "app/user.py": "import facade\ngetattr(facade, n)\n"})
    assert places(ledger) == [(2, 9)]


@pytest.mark.parametrize(
    "code",
    [
        "from legacy import walker\nregister(walker)\n",
        "import legacy.walker as lw\nPARTS = {'a': lw}\n",
        "import sys, legacy.walker\nsys.modules['old'] = legacy.walker\n",
        "def f():\n    from legacy import (\n        walker,\n    )\n    return walker\n",
        "from legacy import walker\nuse(part=walker)\n",
    ],
)
def test_a_module_that_is_passed_on_is_flagged(ledger_of, code):
    (found,) = ledger_of({"app/user.py": code}).in_file("app/user.py")
    assert (found.role, found.fate, found.certain) == ("dynamic-access", "flag", False)
    assert found.chain[1:] == ("legacy.walker", "legacy.walker.BFSWalker")


@pytest.mark.parametrize(
    "code",
    [
        "from legacy import walker\nwalker.helper(1)\n",
        "from legacy import walker\nimportlib.reload(walker)\n",
        "from legacy import walker\nw = walker\nw.helper(1)\n",
        "from legacy import walker\nprint(walker.helper)\n",
        "from other import walker\nregister(walker)\n",
        "from legacy.walker import helper\nregister(helper)\n",
    ],
)
def test_a_module_that_is_only_asked_for_other_names_is_not(ledger_of, code):
    assert places(ledger_of({"app/user.py": code, "other/walker.py": "x = 1\n"})) == []
