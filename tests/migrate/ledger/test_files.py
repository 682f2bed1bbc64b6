"""Encodings, newlines, files that are no Python, and files that cannot be read."""

from __future__ import annotations

import json

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + IMPORT.encode() + "x = 'é', BFSWalker()\n".encode(),
        (IMPORT + "x = 'é', BFSWalker()").replace("\n", "\r\n").encode(),
        (IMPORT + "x = 'é', BFSWalker()\n").replace("\n", "\r").encode(),
        b"# -*- coding: latin-1 -*-\r\n\x0c\r\n" + IMPORT.encode() + b"x = '\xe9', BFSWalker()  # \xe9",
        b"# -*- coding: shift_jis -*-\n" + IMPORT.encode() + "x = '日本', BFSWalker()\n".encode("shift_jis"),
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + IMPORT.encode() + b"x = '\x80', BFSWalker()\n",
    ],
    ids=["bom", "crlf", "cr", "latin-1", "shift_jis", "cp1252"],
)
def test_offsets_count_the_files_own_bytes(ledger_of, content):
    ledger = ledger_of({"user.py": content})
    found = ledger.in_file("user.py")
    assert [(each.role, each.column) for each in found] == [
        ("import", 27),
        ("call", 10 if "日本".encode("shift_jis") not in content else 11),
    ]
    assert all(content[each.start : each.end] == b"BFSWalker" for each in found)
    first = found[0].container
    assert first is not None
    assert content[slice(*first)] == IMPORT.strip().encode()


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("setup.cfg", "[options.entry_points]\nengines =\n    bfs = legacy.walker:BFSWalker\n", [(3, 11, "config", "rewrite")]),
        ("pyproject.toml", "[project.entry-points.e]\nbfs = 'legacy:BFSWalker'  # BFSWalker\n[tool.graphlift]\nx = 'legacy.walker.BFSWalker'\n", [(2, 8, "config", "rewrite"), (2, 29, "comment", "keep")]),
        ("app/settings.yaml", "engine: legacy.walker.BFSWalker\nother: shop.BFSWalker\nname: BFSWalker\n", [(1, 9, "config", "rewrite"), (3, 7, "config", "flag")]),
        ("app/settings.json", '{"engine": "legacy.BFSWalker"}', [(1, 13, "config", "rewrite")]),
        ("app/x.ini", "[a]\n; BFSWalker\nengine = legacy.BFSWalker.run\n", [(2, 3, "comment", "keep"), (3, 10, "config", "flag")]),
        ("README.md", "# BFSWalker\n\n```python\nw = legacy.BFSWalker()\n```\n\nNot `IBFSWalker`.\n", [(1, 3, "prose", "keep"), (4, 5, "docstring-example", "keep")]),
        ("docs/x.rst", "See :class:`legacy.walker.BFSWalker`.\n", [(1, 13, "prose", "keep")]),
    ],
)  # fmt: skip
def test_a_file_that_is_no_python(ledger_of, name, content, expected):
    ledger = ledger_of({name: content})
    found = [(each.line, each.column, each.role, each.fate) for each in ledger.in_file(name)]
    assert found == expected
    assert ledger.unexplained == ()


def test_a_stub_is_for_types_only(ledger_of):
    ledger = ledger_of(
        {"legacy/walker.pyi": "class BFSWalker: ...\n", "user.pyi": IMPORT + "def f() -> BFSWalker: ...\n"}
    )
    assert [(each.role, each.context) for each in ledger.in_file("user.pyi")] == [
        ("import", "type-only"),
        ("annotation", "type-only"),
    ]
    assert [(each.role, each.context) for each in ledger.in_file("legacy/walker.pyi")] == [("definition", "type-only")]


def test_a_notebooks_cells_are_code(ledger_of):
    cells = [
        {"cell_type": "markdown", "source": ["About BFSWalker\n"]},
        {
            "cell_type": "code",
            "source": ["%load_ext x\n", "from legacy import BFSWalker\n", 'w = "é\\"", BFSWalker(1)'],
        },
        {"cell_type": "code", "source": "def f(BFSWalker): return BFSWalker\nBFSWalker(2)"},
    ]
    raw = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    ledger = ledger_of({"user.ipynb": raw})
    found = ledger.in_file("user.ipynb")
    assert [each.role for each in found] == ["prose", "import", "call", "call"]
    assert all(raw.encode()[each.start : each.end] == b"BFSWalker" for each in found)
    assert [each.line for each in found] == [
        1 + raw[: raw.index(text)].count("\n") for text in ("About", "from legacy", "BFSWalker(1)", "BFSWalker(2)")
    ]
    assert ledger.unexplained == ()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("user.py", b"def f(:\n  BFSWalker\n", "is not Python: invalid syntax"),
        ("user.py", b"x = 1\nBFSWalker = '\xff'\n", "cannot be decoded as utf-8"),
        ("user.py", b"# coding: nonsense\nBFSWalker\n", "unknown encoding: nonsense"),
        ("user.ipynb", b'{"BFSWalker": ', "is not a notebook"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported(ledger_of, name, content, reason):
    ledger = ledger_of({name: content})
    assert [(each.file, each.reason[: len(reason)]) for each in ledger.unreadable] == [(name, reason)]
    assert not ledger.is_complete


def test_deep_nesting_is_read(ledger_of):
    source = IMPORT + "x = " + "+".join(["1"] * 3000) + "\nBFSWalker()\n"
    ledger = ledger_of({"user.py": source})
    assert [(each.line, each.role) for each in ledger.in_file("user.py")] == [(1, "import"), (3, "call")]
    assert ledger.is_complete


def test_binary_files_are_left_alone(ledger_of):
    ledger = ledger_of({"app/x.bin": b"\0\1BFSWalker"})
    assert ledger.in_file("app/x.bin") == ()
    assert ledger.is_complete


def test_text_in_a_wide_encoding_is_read(ledger_of):
    raw = "see BFSWalker\n".encode("utf-16")
    found = ledger_of({"docs/x.txt": raw}).in_file("docs/x.txt")
    assert [(each.line, each.column, raw[each.start : each.end].decode("utf-16-le")) for each in found] == [
        (1, 5, "BFSWalker")
    ]
