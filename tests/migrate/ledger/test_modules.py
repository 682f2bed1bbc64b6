"""Strings that name a symbol's module: to load, run, replace or patch it, its dotted name and its path."""

from __future__ import annotations

import pytest

KEPT, FLAGGED = ("module-string", "keep"), ("dynamic-access", "flag")
HEAD = "import importlib, pkgutil, runpy, sys\nPKG = 'legacy'\n"


def said(ledger, path, line=None):
    return [(each.role, each.fate) for each in ledger.in_file(path) if line in (None, each.line)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("m = importlib.import_module('legacy.walker')", [KEPT]),
        ("m = __import__('legacy.walker')", [KEPT]),
        ("importlib.import_module('legacy.walker').helper()", [KEPT]),
        ("pkgutil.get_logger('legacy.walker')", [KEPT]),
        ("n = ['python', '-m', 'legacy.walker']", [KEPT]),
        ("n = 'python tools/../legacy/walker.py --all'", [KEPT]),
        ("m = sys.modules['legacy.walker']", [KEPT]),
        ("use(importlib.import_module('legacy.walker'))", [FLAGGED]),
        ("m = importlib.import_module('.walker', 'legacy')", [FLAGGED]),
        ("m = importlib.import_module('.walker', package=PKG)", [FLAGGED]),
        ("m = importlib.import_module('legacy.' + 'walker')", [FLAGGED]),
        ("m = importlib.import_module(f'{PKG}.walker')", [FLAGGED]),
        ("m = importlib.import_module('%s.walker' % PKG)", [FLAGGED]),
        ("m = importlib.import_module('.'.join([PKG, 'walker']))", [FLAGGED]),
        ("n = '{}.walker'.format(PKG)", [KEPT]),
        ("m = pkgutil.resolve_name('legacy.walker')", [FLAGGED]),
        ("runpy.run_module('legacy.walker')", [FLAGGED]),
        ("runpy.run_path('legacy/walker.py')", [FLAGGED]),
        ("del sys.modules['legacy.walker']", [FLAGGED]),
        ("patch.dict('sys.modules', {'legacy.walker': None})", [FLAGGED]),
        ("monkeypatch.setitem(sys.modules, 'legacy.walker', None)", [FLAGGED]),
        ("n = 'legacy.walker.helper'", []),
        ("n = 'legacy.walkers'", []),
        ("n = 'old.legacy.walker'", []),
        ("n = 'other/walker.py'", []),
        ("m = importlib.import_module(name)", []),
        ("m = importlib.import_module('legacy.other')", []),
    ],
)
def test_in_python(ledger_of, code, expected):
    ledger = ledger_of({"job.py": f"{HEAD}{code}\n"})
    assert said(ledger, "job.py", 3) == expected
    assert ledger.is_complete


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("m = importlib.import_module('legacy.walker')\nm.BFSWalker(1)", "call"),
        ("m = __import__('legacy.walker')\nm.walker.BFSWalker(1)", "call"),
        ("m = sys.modules['legacy.walker']\nm.BFSWalker(1)", "call"),
        ("n = 'legacy.walker.BFS' 'Walker'\n", "string-target-dynamic"),
        ("n = 'BFS' + 'Walker'\nm = importlib.import_module('legacy.walker')", "string-target-dynamic"),
        ("operator.attrgetter('walker.BFSWalker')(legacy)", "string-target"),
    ],
)
def test_what_is_taken_from_it_is_followed(ledger_of, code, role):
    found = ledger_of({"job.py": f"{HEAD}{code}\n"}).in_file("job.py")
    assert role in [each.role for each in found]


@pytest.mark.parametrize(
    "call",
    [
        "patch.multiple('legacy.walker', BFSWalker=DEFAULT)",
        "mock.patch.multiple('app.core', W=1)",
        "patch.multiple(legacy.walker, BFSWalker=1)",
        "mocker.patch.object(legacy.walker, 'BFSWalker')",
        "patch.object(target=legacy.walker, attribute='BFSWalker')",
        "patch.object('legacy.walker', 'BFSWalker')",
        "monkeypatch.setattr(legacy.walker, name='BFSWalker', value=1, raising=False)",
    ],
)
def test_a_name_that_is_patched_in_a_module_is_a_target(ledger_of, call):
    files = {
        "app/core.py": "from legacy.walker import BFSWalker as W\n",
        "tests/test_a.py": f"import legacy.walker\n{call}\n",
    }
    found = [each for each in ledger_of(files).in_file("tests/test_a.py") if each.role == "string-target"]
    assert [each.context for each in found] == ["test"]
    assert found[0].fate == ("flag" if "multiple" in call else "rewrite")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("flows.yaml", "module: legacy.walker\n", ("live", "keep")),
        ("flows.yaml", "file: ./legacy/walker.py\n", ("live", "keep")),
        ("Dockerfile", 'CMD ["python", "-m", "legacy.walker"]\n', ("live", "keep")),
        ("notes.md", "It is in legacy/walker.py.\n", ("prose", "keep")),
        ("flows.yaml", "module: legacy.walker.helper\n", None),
        ("flows.yaml", "url: https://x/legacy.walker\n", None),
        ("run.sh", "python -c 'from legacy.walker import helper'\n", None),
    ],
)
def test_in_other_files(ledger_of, path, text, expected):
    found = [(each.context, each.fate) for each in ledger_of({path: text}).in_file(path)]
    assert found == ([expected] if expected else [])


def test_it_is_not_live(ledger_of):
    assert [each.file for each in ledger_of({"flows.yaml": "module: legacy.walker\n"}).live()] == []


@pytest.mark.parametrize("sheets", [False, True], ids=["format 4", "format 3"])
def test_in_notebooks(ledger_of, sheets):
    code = '["%run legacy/walker.py\\n", "%load legacy/walker.py\\n", "!python -m legacy.walker\\n"]'
    key = "input" if sheets else "source"
    cells = f'[{{"cell_type": "code", "{key}": {code}}}, {{"cell_type": "code", "{key}": "from legacy.walker import BFSWalker"}}]'
    text = f'{{"worksheets": [{{"cells": {cells}}}]}}' if sheets else f'{{"cells": {cells}}}'
    assert said(ledger_of({"a.ipynb": text}), "a.ipynb") == [FLAGGED, KEPT, KEPT, ("import", "flag")]
