"""For any module put together from these statements: every place is explained, and every span holds a name."""

from __future__ import annotations

import codecs
import re
import tempfile
from pathlib import Path

from hypothesis import event, given, settings
from hypothesis import strategies as st

from graphlift.migrate.ledger import build_ledger
from graphlift.plugins.configuration import Settings
from graphlift.plugins.project import Project

NAMES = st.sampled_from(["BFSWalker", "W", "other", "legacy", "lw", "IBFSWalker", "x"])
LEAF = st.one_of(
    NAMES,
    st.sampled_from(
        ["legacy.walker.BFSWalker", "lw.BFSWalker", "legacy.BFSWalker.run", "self.BFSWalker", "f().BFSWalker"]
    ),
    st.sampled_from(
        ["'BFSWalker'", "'legacy.walker.BFSWalker'", "'é BFSWalker €'", "b'BFSWalker'", "f'{W} BFSWalker {x}'"]
    ),
    st.sampled_from(["'a.' 'BFSWalker'", "'''\\n  BFSWalker\\n'''", "'legacy.BFSWalker.run'", "r'\\BFSWalker'", "1"]),
)
EXPRESSION = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.builds("{}({})".format, NAMES, inner),
        st.builds("[{} for BFSWalker in {}]".format, inner, inner),
        st.builds("(lambda BFSWalker=1: {})".format, inner),
        st.builds("{{{}: {}}}".format, inner, inner),
        st.builds("isinstance({}, {})".format, inner, inner),
        st.builds("partial({}, BFSWalker={})".format, inner, inner),
        st.builds("({} if {} else (W := {}))".format, inner, inner, inner),
    ),
    max_leaves=6,
)
IMPORTS = st.sampled_from(
    [
        "from legacy.walker import BFSWalker", "from legacy import BFSWalker as W", "import legacy.walker as lw",
        "import legacy", "from legacy.walker import *", "from legacy import walker as lw, BFSWalker",
        "from other import BFSWalker", "import other.BFSWalker as x", "from .legacy import (\n    BFSWalker,  # BFSWalker\n)",
        "try:\n    from legacy import BFSWalker\nexcept ImportError:\n    BFSWalker = None",
    ]
)  # fmt: skip
SIMPLE = st.one_of(
    IMPORTS.filter(lambda text: "*" not in text and "try" not in text),
    st.builds("{} = {}".format, NAMES, EXPRESSION),
    st.builds("{}: {} = {}".format, NAMES, EXPRESSION, EXPRESSION),
    EXPRESSION,
    st.builds("{}  # BFSWalker {}".format, EXPRESSION, NAMES),
    st.just("__all__ = ['BFSWalker', 'x']"),
    st.builds("del {}".format, NAMES),
    st.just("assert not hasattr(legacy, 'BFSWalker')"),
)


def indented(head: str, *bodies: str) -> str:
    return "\n".join([head, *("    " + line for body in bodies for line in body.split("\n"))])


COMPOUND = st.one_of(
    st.builds(lambda body: indented("def f(a: 'BFSWalker', BFSWalker=W) -> W:", body), SIMPLE),
    st.builds(lambda body: indented("class K(BFSWalker):", "BFSWalker = 1", "def g(self):", "    pass", body), SIMPLE),
    st.builds(lambda body: indented("class BFSWalker:", body), SIMPLE),
    st.builds(lambda body: indented("if TYPE_CHECKING:", body), SIMPLE),
    st.builds(lambda body: indented("with pytest.raises(ImportError):", body), SIMPLE),
    st.builds(lambda name, body: indented(f"for {name} in xs:", body), NAMES, SIMPLE),
    st.builds(lambda body: indented("def g():", "global BFSWalker", body), SIMPLE.filter(lambda text: ":" not in text)),
)
MODULE = st.lists(st.one_of(IMPORTS, SIMPLE, COMPOUND), min_size=1, max_size=6)
WORD = re.compile(rb"(?<![\w\x80-\xff])BFSWalker(?![\w\x80-\xff])")


def ledger_for(content: bytes):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "legacy").mkdir()
        (root / "legacy/__init__.py").write_text("from .walker import BFSWalker\n")
        (root / "legacy/walker.py").write_text("class BFSWalker:\n    def _step(self): ...\n")
        (root / "user.py").write_bytes(content)
        symbol = {"legacy": "legacy.walker.BFSWalker", "called": "new.build", "type": "new.Runner"}
        return build_ledger(Project(root, root / "graphlift.toml", Settings.model_validate({"symbol": [symbol]})))


@settings(max_examples=200, deadline=None)
@given(statements=MODULE, newline=st.sampled_from(["\n", "\r\n", "\r"]), bom=st.booleans(), final=st.booleans())
def test_every_place_is_accounted_for_and_every_span_holds_its_text(statements, newline, bom, final):
    text = ("\n".join(statements) + "\n" * final).replace("\n", newline)
    content = codecs.BOM_UTF8 * bom + text.encode()
    ledger = ledger_for(content)
    if ledger.unreadable:
        event("not Python")
        return
    event("references" if ledger.in_file("user.py") else "no reference")
    own = list(ledger.in_file("user.py"))
    noted = [each for each in (*own, *ledger.lookalikes, *ledger.unexplained) if each.file == "user.py"]
    for hit in WORD.finditer(content):
        assert any(each.start <= hit.start() and hit.end() <= each.end for each in noted), (text, hit)
    for each in noted:
        assert content[each.start : each.end].decode() == each.text
        before = content[: each.start].removeprefix(codecs.BOM_UTF8).decode()
        lines = re.split("\r\n|\n|\r", before)
        assert (each.line, each.column) == (len(lines), len(lines[-1]) + 1)
    for each in ledger.unexplained:
        assert "not bound" in each.reason or "defines no" in each.reason, (text, each)
    places = [(each.start, each.end, each.role, each.symbol) for each in own]
    assert len(set(places)) == len(places)
    assert [each.start for each in own] == sorted(each.start for each in own)
