"""The Python that the hand-written pages show is run, a block at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphlift.adapters import LEGACY_OPTIONS, options_table

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{page}-{number}")
    for page in ("adapters.md", "parity.md", "scheduler.md")
    for number, block in enumerate(BLOCK.findall((DOCS / page).read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs_and_what_it_asserts_holds(block: str) -> None:
    assert "assert " in block
    exec(compile(block, "page", "exec"), {"__name__": "page"})


def test_the_table_of_legacy_options_is_that_of_the_code() -> None:
    assert options_table() in (DOCS / "adapters.md").read_text(encoding="utf-8")
    assert len(LEGACY_OPTIONS) > 10
