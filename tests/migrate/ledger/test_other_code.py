"""Code that is not in a `.py` file: scripts by their first line are Python, the rest is flagged with the reason."""

from __future__ import annotations

import json

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"


def said(ledger, path):
    return [(each.line, each.role, each.fate) for each in ledger.in_file(path)]


@pytest.mark.parametrize(
    "first", ["#!/usr/bin/env python3", "#!/usr/bin/python -u", "#!/usr/bin/env -S uv run --script", "#! pypy3"]
)
@pytest.mark.parametrize("path", ["bin/tool", "bin/tool.cgi", "tools/x-y"])
def test_a_script_is_python_by_its_first_line(ledger_of, path, first):
    ledger = ledger_of({path: f"{first}\n{IMPORT}BFSWalker(1)\n"})
    assert said(ledger, path) == [(2, "import", "rewrite"), (3, "call", "rewrite")]


def test_pyw_is_python(ledger_of):
    ledger = ledger_of({"gui.pyw": IMPORT + "BFSWalker(1)\n"})
    assert said(ledger, "gui.pyw") == [(1, "import", "rewrite"), (2, "call", "rewrite")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("fast.pyx", IMPORT + "cdef w = BFSWalker(1)\n"),
        ("run.sh", "python -c 'from legacy.walker import BFSWalker'\n"),
        ("bin/run", "#!/bin/sh\npython -c 'import legacy.walker; legacy.walker.BFSWalker(1)'\n"),
        ("Makefile", "x:\n\tpython -c 'from legacy.walker import BFSWalker'\n"),
        ("Dockerfile.dev", "RUN python -c 'from legacy.walker import BFSWalker'\n"),
        ("app.py.j2", IMPORT),
        ("ci.yml", 'run: python -c "import legacy.walker; legacy.walker.BFSWalker(1)"\n'),
        ("ci.yml", "run: |\n  from legacy.walker import BFSWalker\n"),
        ("tox.ini", "commands = python3 -Wc 'from legacy.walker import BFSWalker'\n"),
        ("conf.toml", "make = 'legacy.walker.BFSWalker(1)'\n"),
    ],
)
def test_code_of_another_kind_is_flagged(ledger_of, path, text):
    ledger = ledger_of({path: text})
    assert {(role, fate) for _, role, fate in said(ledger, path)} == {("script", "flag")}
    assert all("not read as Python" in each.reason for each in ledger.in_file(path))
    assert all(each.context == "live" for each in ledger.in_file(path))


def test_a_comment_in_it_is_a_comment_and_a_path_in_a_configuration_a_path(ledger_of):
    ledger = ledger_of({"run.sh": "# starts BFSWalker\n", "ci.yml": "class: legacy.walker.BFSWalker\n"})
    assert said(ledger, "run.sh") == [(1, "comment", "keep")]
    assert said(ledger, "ci.yml") == [(1, "config", "rewrite")]


@pytest.mark.parametrize(
    "code",
    [
        "exec('from legacy.walker import BFSWalker')\n",
        "eval('BFSWalker(1)')\n",
        "exec(f'BFSWalker({x})')\n",
        "exec(compile('BFSWalker(1)', 'x', 'exec'))\n",
        "exec(textwrap.dedent('''\n    BFSWalker(1)\n'''))\n",
        "timeit.timeit('BFSWalker(1)')\n",
        "subprocess.run([sys.executable, '-c', 'from legacy.walker import BFSWalker'])\n",
        "os.execlp('python', 'python', '-c', 'from legacy.walker import BFSWalker')\n",
        "CODE = '''\nfrom legacy.walker import BFSWalker\n'''\n",
        "CODE = 'import os\\nfrom legacy.walker import BFSWalker'\n",
    ],
)
def test_code_in_a_string_is_flagged(ledger_of, code):
    (found,) = ledger_of({"app/user.py": code}).in_file("app/user.py")
    assert (found.role, found.fate, found.context) == ("script", "flag", "live")
    assert found.reason.startswith("code in a string")


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("log('use BFSWalker(handlers) instead')\n", "prose"),
        ("'''Example.\n\n    from legacy.walker import BFSWalker\n'''\n", "docstring-example"),
        ("x = 'legacy.walker.BFSWalker'\n", "string-target"),
    ],
)
def test_other_strings_are_what_they_were(ledger_of, code, role):
    assert [each.role for each in ledger_of({"app/user.py": code}).in_file("app/user.py")] == [role]


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}, indent=1)


@pytest.mark.parametrize(
    "cell", ["!python -c 'from legacy.walker import BFSWalker'\n", "%timeit BFSWalker(1)\n", "%%bash\necho BFSWalker\n"]
)
def test_a_magic_of_a_notebook_is_flagged(ledger_of, cell):
    (found,) = ledger_of({"n.ipynb": notebook(cell)}).in_file("n.ipynb")
    assert (found.role, found.fate) == ("script", "flag")
    assert found.reason == "a notebook's magic is not read as Python; it is not rewritten"


def test_a_cell_that_is_only_timed_is_python_and_no_codemod_writes_a_notebook(ledger_of):
    ledger = ledger_of({"n.ipynb": notebook("%%time\n" + IMPORT + "BFSWalker(1)\n")})
    assert [(each.role, each.fate) for each in ledger.in_file("n.ipynb")] == [("import", "flag"), ("call", "flag")]
    assert {each.reason for each in ledger.in_file("n.ipynb")} == {"in a notebook, which is not rewritten"}


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("eval('lw.BFSWalker(1)')", "script"),
        ("T = TypedDict('T', {'w': 'lw.BFSWalker'})", "string-target"),
        ("N = NamedTuple('N', [('w', 'lw.BFSWalker')])", "string-target"),
        ("def f():\n    '''Uses lw.BFSWalker.'''", "prose"),
    ],
)
def test_a_text_that_names_it_as_the_file_does(ledger_of, code, role):
    found = [
        each
        for each in ledger_of({"app/u.py": f"import legacy.walker as lw\n{code}\n"}).in_file("app/u.py")
        if each.line > 1
    ]
    assert [(each.role, each.text) for each in found] == [(role, "lw.BFSWalker")]
