"""A repository whose main branch holds a ratchet."""

from __future__ import annotations

from typing import Any

import pytest


def lines(count: int, word: str = "x") -> str:
    return "".join(f"{word}{number} = {number}\n" for number in range(count))


RULES = """\
# People write here.
[[rule]]
id = "walker"          # the old engine
metric = "lines"
paths = ["src/walker.py", "src/other.py"]
owner = "flows"

[[rule]]
id = "small-files"
metric = "lines"
paths = ["src/**/*.py"]
cap = 50
"""


@pytest.fixture
def branch(repo: Any) -> Any:
    """main holds a ratchet over two big files; a branch is checked out."""
    repo.files(
        {"src/walker.py": lines(100), "src/other.py": lines(80), "src/small.py": lines(5), "ratchet.toml": RULES}
    )
    assert repo.run("ratchet", "init").code == 0
    repo.commit("main")
    repo.git("switch", "--quiet", "--create", "branch")
    return repo
