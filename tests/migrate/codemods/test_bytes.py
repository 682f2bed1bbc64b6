"""Bytes that nothing is said about stay: newlines, marks, cookies, form feeds, tabs, the end of the file."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker",
    "called": "flows.engine.build_graph",
    "arguments": {"add": {"strict": "False"}},
}
OLD, NEW = b"from legacy.walker import BFSWalker", b"from flows.engine import build_graph"
CALL, CALLED = b"BFSWalker(n)", b"build_graph(n, strict=False)"


@pytest.mark.parametrize(
    "template",
    [
        b"%(i)s\r\nw = %(c)s\r\n",
        b"%(i)s\rw = %(c)s\rx = 1",
        b"%(i)s\nw = %(c)s\r\nx = 1\ry = 2\n",
        b"\xef\xbb\xbf%(i)s\nw = %(c)s",
        b"\xef\xbb\xbf# \xc3\xa9\r\n%(i)s\r\nw = '\xc3\xa9', %(c)s",
        b"# -*- coding: latin-1 -*-\r\n\x0c\r\n%(i)s\r\nw = %(c)s  # \xe9\r\n\x0c\r\nx = 1",
        b"# coding: cp1252\ns = '\x80\xe9'; e = 1\n%(i)s\nw = '\x80', %(c)s  # \xfc\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=iso-8859-15 :\n%(i)s\n'\xa4'; w = %(c)s\n",
        b"# coding: shift_jis\n%(i)s\nw = '\x83\x65\x83\x58', %(c)s\n",
        b"\x0c%(i)s\n\x0cw = %(c)s\n",
        b"if 1:\n\t%(i)s   \n\tw = %(c)s\t\n   \n\n\n",
        b"%(i)s\nw = \\\n    %(c)s\n",
        b"%(i)s\nx = '''\r\n \xe2\x80\xa8\x0b'''; w = %(c)s\n",
        b"%(i)s\nw = %(c)s\n# trailing, no newline",
    ],
)
def test_all_other_bytes_stay(template: bytes) -> None:
    check_transformed(
        template % {b"i": OLD, b"c": CALL}, template % {b"i": NEW, b"c": CALLED}, symbols=[SYMBOL], flags=[]
    )


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"x = 1\r\r\n", b"# coding: latin-1\n# \xe9 BFSWalker\n"])
def test_a_file_without_references_is_not_touched(content: bytes) -> None:
    check_noop(content, symbols=[SYMBOL])


@pytest.mark.parametrize(
    "content", [b"def (:\n" + OLD, b"# coding: nonsense\n" + OLD, OLD + b"\n'\xff'\n", OLD + b"\n\0\n"]
)
def test_a_file_that_is_not_python_is_reported_and_the_rest_goes_on(content: bytes) -> None:
    check_transformed(
        OLD + b"\nw = " + CALL + b"\n",
        NEW + b"\nw = " + CALLED + b"\n",
        symbols=[SYMBOL],
        flags=["unreadable"],
        extra={"broken.py": content},
    )
