"""Whatever a file's encoding is, inventory and codemods read it alike: it is rewritten in it, or said to be unreadable."""

from __future__ import annotations

import codecs

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "type": "flows.engine.Runner"}
OLD, NEW = "from legacy.walker import W\n", "from flows.engine import build\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("latin-1", "é"), ("cp1251", "Привет"), ("shift_jis", "ソ表"), ("gbk", "中文"), ("utf-8", "€𝄞")],
)
def test_a_cookie_is_honoured(encoding: str, text: str) -> None:
    head = f"# -*- coding: {encoding} -*-\n"
    check_transformed(
        (head + OLD + f"x = '{text}'; W(1)  # {text}\n").encode(encoding),
        (head + NEW + f"x = '{text}'; build(1)  # {text}\n").encode(encoding),
        symbols=[SYMBOL],
        flags=[],
    )


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF16_LE + (OLD + "W(1)\n").encode("utf-16-le"),
        codecs.BOM_UTF16_BE + (OLD + "W(1)\n").encode("utf-16-be"),
        codecs.BOM_UTF32_LE + (OLD + "W(1)\n").encode("utf-32-le"),
        codecs.BOM_UTF8 + b"# coding: latin-1\n" + OLD.encode(),
        b"# coding: iso-2022-jp\n" + OLD.encode(),
        b"# coding: utf-7\n" + OLD.encode(),
        b"# coding: nope\n" + OLD.encode(),
        OLD.encode() + b"x = '\xe9'\n",
        OLD.encode() + b"x = '\0'\n",
    ],
)
def test_what_cannot_be_read_is_said_and_left(content: bytes) -> None:
    check_noop(content, symbols=[SYMBOL], flags=["unreadable"])


@pytest.mark.parametrize(
    ("bom", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (b"", "utf-8")]
)
def test_a_configuration_is_rewritten_in_its_own_encoding(bom: bytes, encoding: str) -> None:
    check_transformed(
        bom + "é: legacy.walker.W\n".encode(encoding),
        bom + "é: flows.engine.build\n".encode(encoding),
        symbols=[SYMBOL],
        flags=[],
        path="conf.yml",
    )


def test_a_document_is_rewritten_in_its_own_encoding() -> None:
    check_transformed(
        codecs.BOM_UTF16_LE + "é W(1), legacy.walker.W\n".encode("utf-16-le"),
        codecs.BOM_UTF16_LE + "é build(1), flows.engine.Runner\n".encode("utf-16-le"),
        symbols=[SYMBOL],
        flags=[],
        path="notes.md",
        only=["rewrite-docs"],
    )


@pytest.mark.parametrize("path", ["bin/tool", "gui.pyw"])
def test_a_script_is_rewritten_as_python(path: str) -> None:
    head = "#!/usr/bin/env python3\n" if path == "bin/tool" else ""
    check_transformed(head + OLD + "W(1)\n", head + NEW + "build(1)\n", symbols=[SYMBOL], flags=[], path=path)


def test_code_that_is_not_read_as_python_is_flagged() -> None:
    check_noop("python -c 'from legacy.walker import W'\n", symbols=[SYMBOL], flags=["script"], path="run.sh")
