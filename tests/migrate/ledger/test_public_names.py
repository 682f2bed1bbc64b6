"""Every dotted name under which modules offer a symbol is a reference where a text spells it out, however plain its end."""

from __future__ import annotations

import pytest

CODE = {
    "app/__init__.py": "from app.core import *\n",
    "app/core.py": "from legacy.walker import BFSWalker as W\n",
    "app/plain.py": "from legacy import BFSWalker as runner\n",
    "app/old.py": "from .core import *\n",
}
NAMES = ["app.core.W", "app.core:W", "app.plain.runner", "app.plain:runner", "app.old.W", "app.W"]
FORMS = {
    "flows.yaml": "engine: {}  # W\n",
    "flows.toml": 'engine = "{}"\n',
    "flows.json": '{{"engine": "{}"}}\n',
    "flows.ini": "[flow]\nengine = {}\n",
    ".env": "ENGINE={}\n",
    ".env.local": "ENGINE={}\n",
    "deploy/app.env": "ENGINE={}\n",
    "Dockerfile": "ENV ENGINE={}\n",
    "notes.md": "Set it to `{}`.\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_is_found_in_any_text(ledger_of, form, name):
    (found,) = ledger_of({**CODE, form: FORMS[form].format(name)}).in_file(form)
    assert (found.text, found.symbol, found.certain) == (name, "legacy.walker.BFSWalker", True)
    assert found.role == {"notes.md": "prose", "Dockerfile": "script"}.get(form, "config")
    assert found.fate == {"notes.md": "keep", "Dockerfile": "flag"}.get(form, "rewrite")


@pytest.mark.parametrize("text", ["W", "runner", "x.W", "app.W2", "app.other.W", "myapp.core.Wide", "app.core.w"])
def test_an_ordinary_word_is_none(ledger_of, text):
    ledger = ledger_of({**CODE, "app/other.py": "W = 1\n", "flows.yaml": f"engine: {text}\n"})
    assert ledger.in_file("flows.yaml") == ()
    assert ledger.is_complete


@pytest.mark.parametrize("line", ["from app import W\n", "from app.old import W\n", "import app.old as o\nW = o.W\n"])
def test_an_alias_that_a_star_import_passes_on_is_found(ledger_of, line):
    """Nothing in the file says `core`, where the alias is made."""
    ledger = ledger_of({**CODE, "job.py": f"{line}W([1]).run()\n"})
    assert [each.role for each in ledger.in_file("job.py") if each.line == line.count("\n") + 1] == ["call"]


def test_in_a_text_of_a_module_it_is_prose(ledger_of):
    ledger = ledger_of({**CODE, "job.py": 'HELP = "give app.core.W or another W"\n'})
    assert [(each.role, each.text) for each in ledger.in_file("job.py")] == [("prose", "app.core.W")]


def test_what_no_finder_explains_is_an_error(ledger_of, monkeypatch):
    monkeypatch.setattr("graphlift.migrate.ledger.documents.find_in_document", lambda *_: _nothing())
    ledger = ledger_of({**CODE, "flows.yaml": "engine: app.core.W\n"})
    assert [(each.file, each.line, each.column, each.text) for each in ledger.unexplained] == [
        ("flows.yaml", 1, 18, "W")
    ]


def _nothing():
    from graphlift.migrate.ledger.mention import FileFindings

    return FileFindings()
