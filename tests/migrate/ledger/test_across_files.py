"""Names followed across files: re-exports, shims, stars, aliases, lazy names, source layouts."""

from __future__ import annotations

import pytest

WALKER = "class BFSWalker:\n    def _step(self): ...\n    def run(self): ...\n"
SYMBOL = "legacy.walker.BFSWalker"


def places(ledger, path):
    return [(each.line, each.column, each.role) for each in ledger.in_file(path)]


def test_a_chain_of_stars_and_renames(ledger_of):
    ledger = ledger_of(
        {
            "a/__init__.py": "from .b import *\n",
            "a/b/__init__.py": "from legacy.walker import BFSWalker as Walker\n",
            "app/user.py": "from a import Walker\nw = Walker(n)\n",
        }
    )
    call = ledger.in_file("app/user.py")[1]
    assert call.role == "call"
    assert call.chain == ("app.user.Walker", "a.Walker", "a.b.Walker", SYMBOL)
    assert [each.role for each in ledger.in_file("a/__init__.py")] == ["star-import"]
    assert [each.role for each in ledger.in_file("a/b/__init__.py")] == ["re-export"]


def test_an_alias_in_another_module(ledger_of):
    ledger = ledger_of(
        {"old.py": "from legacy import BFSWalker\nOldWalker = BFSWalker\n", "user.py": "import old\nold.OldWalker()\n"}
    )
    assert places(ledger, "user.py") == [(1, 8, "module-import"), (2, 1, "call")]
    assert ledger.in_file("user.py")[1].chain == (
        "user.old.OldWalker",
        "old.OldWalker",
        "old.BFSWalker",
        "legacy.BFSWalker",
        SYMBOL,
    )


@pytest.mark.parametrize(
    "package",
    [
        "_LAZY = {'BFSWalker': 'legacy.walker'}\ndef __getattr__(name): return load(_LAZY[name], name)\n",
        "_LAZY = {'BFSWalker': ('.walker', 'BFSWalker')}\ndef __getattr__(name): ...\n",
        "_LAZY = {'BFSWalker': 'legacy.walker:BFSWalker'}\ndef __getattr__(name): ...\n",
        "__getattr__, __dir__, __all__ = lazy.attach(__name__, submod_attrs={'walker': ['BFSWalker']})\n",
        "def __getattr__(name):\n    if name == 'BFSWalker':\n        from .walker import BFSWalker\n        return BFSWalker\n",
    ],
)
def test_a_lazy_name(ledger_of, package):
    ledger = ledger_of(
        {
            "legacy/__init__.py": package,
            "legacy/walker.py": WALKER,
            "user.py": "from legacy import BFSWalker\nBFSWalker()\n",
        }
    )
    assert places(ledger, "user.py") == [(1, 20, "import"), (2, 1, "call")]
    assert ledger.unexplained == ()


def test_a_lazy_maps_key_is_a_name_for_others(ledger_of):
    package = "_LAZY = {'BFSWalker': 'legacy.walker'}\ndef __getattr__(name): ...\n"
    ledger = ledger_of({"legacy/__init__.py": package})
    assert [(each.role, each.context) for each in ledger.in_file("legacy/__init__.py")] == [("name-string", "shim")]


@pytest.mark.parametrize("source", [(".",), ("src",), ("src/legacy", "src/app")])
def test_source_layouts(ledger_of, source):
    files = {
        "src/legacy/__init__.py": "from .walker import BFSWalker\n",
        "src/legacy/walker.py": WALKER,
        "src/app/__init__.py": "",
        "src/app/user.py": "from legacy import BFSWalker\nBFSWalker()\n",
    }
    ledger = ledger_of(files, base=False, source=source)
    assert places(ledger, "src/app/user.py") == [(1, 20, "import"), (2, 1, "call")]
    assert places(ledger, "src/legacy/walker.py") == [(1, 7, "definition")]
    assert ledger.in_file("src/app/user.py")[0].certain


def test_relative_imports_of_every_depth(ledger_of):
    ledger = ledger_of(
        {
            "legacy/deep/__init__.py": "",
            "legacy/deep/user.py": "from ..walker import BFSWalker\nfrom .. import walker\nfrom .. import BFSWalker as B\nBFSWalker(), walker.BFSWalker(), B()\n",
        }
    )
    assert places(ledger, "legacy/deep/user.py") == [
        (1, 22, "import"), (2, 16, "module-import"), (3, 16, "import"), (4, 1, "call"), (4, 14, "call"), (4, 34, "call")
    ]  # fmt: skip


def test_imports_in_a_circle_end(ledger_of):
    ledger = ledger_of(
        {
            "a.py": "from b import BFSWalker\nBFSWalker = BFSWalker\n",
            "b.py": "from a import BFSWalker\nfrom c import *\n",
            "c.py": "from b import *\nfrom legacy import BFSWalker\n",
            "user.py": "from a import BFSWalker\nBFSWalker()\n",
        }
    )
    assert [role for *_, role in places(ledger, "user.py")] == ["import", "call"]


def test_a_symbol_configured_under_its_re_exported_name(ledger_of):
    ledger = ledger_of(
        {"user.py": "from legacy.walker import BFSWalker\nBFSWalker()\n"}, symbols=({"legacy": "legacy.BFSWalker"},)
    )
    assert places(ledger, "user.py") == [(1, 27, "import"), (2, 1, "call")]
    assert places(ledger, "legacy/walker.py") == [(1, 7, "definition")]
    assert {each.symbol for each in ledger.references} == {"legacy.BFSWalker"}


def test_a_module_and_a_function_as_symbols(ledger_of):
    ledger = ledger_of(
        {"user.py": "import legacy.walker\nfrom legacy import walker as w\nfrom legacy.walker import helper\nw.helper()\nhelper()\nwalker = 1\n"},
        symbols=({"legacy": "legacy.walker"}, {"legacy": "legacy.walker.helper"}),
    )  # fmt: skip
    found = [(each.line, each.role, each.symbol) for each in ledger.in_file("user.py")]
    assert found == [
        (1, "module-import", "legacy.walker"),
        (2, "module-import", "legacy.walker"),
        (3, "module-import", "legacy.walker"),
        (3, "import", "legacy.walker.helper"),
        (4, "call", "legacy.walker.helper"),
        (5, "call", "legacy.walker.helper"),
    ]
    assert ledger.unexplained == ()


def test_a_re_export_outside_the_source_folders_is_not_silent(ledger_of):
    ledger = ledger_of(
        {"tests/test_it.py": "from legacy import BFSWalker\nBFSWalker()\n"}, base=False, source=("tests",)
    )
    assert [(each.role, each.fate, each.certain) for each in ledger.in_file("tests/test_it.py")] == [
        ("import", "flag", False), ("call", "flag", False)
    ]  # fmt: skip


def test_a_symbol_that_an_assignment_defines(ledger_of):
    ledger = ledger_of(
        {
            "legacy/walker.py": "make = object()\nBFSWalker = make\nBFSWalker()\n",
            "user.py": "from legacy import BFSWalker\nBFSWalker()\n",
        }
    )
    assert places(ledger, "legacy/walker.py") == [(2, 1, "definition"), (3, 1, "call")]
    assert places(ledger, "user.py") == [(1, 20, "import"), (2, 1, "call")]
    assert ledger.unexplained == ()


def test_a_classs_attribute_of_the_same_name_is_an_alias(ledger_of):
    text = (
        "from legacy.walker import BFSWalker\n\nclass A:\n    BFSWalker = BFSWalker\n\n"
        "    def f(self):\n        return self.BFSWalker(1), A.BFSWalker(2)\n"
    )
    found = ledger_of({"app/a.py": text}).in_file("app/a.py")
    assert [(each.line, each.role) for each in found if each.line > 3] == [
        (4, "definition"), (4, "alias"), (7, "call"), (7, "call"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    ["getattr(legacy.walker, 'BFSWalker', None)", "getattr(importlib.import_module('legacy.walker'), 'BFSWalker')"],
)
def test_what_getattr_gives_by_a_constant_is_followed(ledger_of, value):
    text = f"import importlib\nimport legacy.walker\n\nW = {value}\nW(1)\n"
    found = ledger_of({"app/a.py": text, "app/b.py": "from app.a import W\nW(2)\n"})
    assert [(each.file, each.line) for each in found.references if each.role == "call"] == [
        ("app/a.py", 5),
        ("app/b.py", 2),
    ]
