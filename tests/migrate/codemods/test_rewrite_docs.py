"""Names in documents, docstrings and comments, where somebody asks for it."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.BFSWalker", "called": "flows.engine.build_graph", "type": "flows.engine.GraphRunner"}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.md", "See `legacy.walker.BFSWalker`.\n", "See `flows.engine.GraphRunner`.\n"),
        ("a.md", "A BFSWalker walks: `BFSWalker(n)`.\r\n", "A GraphRunner walks: `build_graph(n)`.\r\n"),
        ("a.py", "# the BFSWalker, é\nx = 1\n", "# the GraphRunner, é\nx = 1\n"),
        ("a.py", '"""Uses BFSWalker."""\n', '"""Uses GraphRunner."""\n'),
    ],
)
def test_a_name_in_prose_is_rewritten_when_asked(path: str, before: str, after: str) -> None:
    check_transformed(before, after, symbols=[SYMBOL], path=path, only=["rewrite-docs"])


@pytest.mark.parametrize("path", ["a.md", "a.py"])
def test_nobody_asked(path: str) -> None:
    check_noop("# the BFSWalker\n", symbols=[SYMBOL], path=path)


@pytest.mark.parametrize("text", ["# the StreamingBFSWalker\n", "# other.BFSWalkers\n"])
def test_other_names_stay(text: str) -> None:
    check_noop(text, symbols=[SYMBOL], path="a.py", only=["rewrite-docs"])
