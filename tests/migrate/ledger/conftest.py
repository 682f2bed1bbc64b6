"""Fixtures of the tests of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from graphlift.migrate.ledger import Ledger, build_ledger
from graphlift.plugins.configuration import Settings
from graphlift.plugins.project import Project

WALKER = "class BFSWalker:\n    def _step(self): ...\n    def run(self): ...\n\ndef helper(): ...\n"
BASE = {"legacy/__init__.py": "from .walker import BFSWalker\n", "legacy/walker.py": WALKER}
SYMBOL = {"legacy": "legacy.walker.BFSWalker", "called": "flows.engine.build_graph", "type": "flows.engine.GraphRunner"}

Files = Mapping[str, str | bytes]
LedgerOf = Callable[..., Ledger]


@pytest.fixture
def ledger_of(tmp_path: Path) -> LedgerOf:
    """The ledger of a code base given as files; `base` adds the legacy package, `symbols` replaces its one symbol."""

    def build(
        files: Files, *, base: bool = True, symbols: tuple[Mapping[str, object], ...] = (SYMBOL,),
        source: tuple[str, ...] = (".",),
    ) -> Ledger:  # fmt: skip
        for name, content in {**(BASE if base else {}), **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        settings = Settings.model_validate({"symbol": list(symbols), "source": source})
        return build_ledger(Project(tmp_path, tmp_path / "graphlift.toml", settings))

    return build
