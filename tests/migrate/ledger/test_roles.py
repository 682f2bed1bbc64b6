"""One source a form: where each reference stands, in which role and context."""

from __future__ import annotations

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"

FORMS = [
    # -- imports
    ("from", IMPORT + "BFSWalker()\n", [(1, 27, "import", "live"), (2, 1, "call", "live")]),
    ("through the package", "from legacy import BFSWalker\nBFSWalker()\n", [(1, 20, "import", "live"), (2, 1, "call", "live")]),
    ("as", "from legacy import BFSWalker as W\nW()\n", [(1, 20, "import", "live"), (2, 1, "call", "live")]),
    ("module", "import legacy.walker\nlegacy.walker.BFSWalker()\n", [(1, 8, "module-import", "live"), (2, 1, "call", "live")]),
    ("module as", "import legacy.walker as lw\nlw.BFSWalker()\n", [(1, 8, "module-import", "live"), (2, 1, "call", "live")]),
    ("from package import module", "from legacy import walker as w\nw.BFSWalker()\n", [(1, 20, "module-import", "live"), (2, 1, "call", "live")]),
    ("package", "import legacy\nlegacy.BFSWalker()\n", [(1, 8, "module-import", "live"), (2, 1, "call", "live")]),
    ("star", "from legacy.walker import *\nBFSWalker()\n", [(1, 27, "star-import", "live"), (2, 1, "call", "live")]),
    ("in a function", "def f():\n    from legacy import BFSWalker\n    return BFSWalker()\n", [(2, 24, "import", "live"), (3, 12, "call", "live")]),
    ("many lines", "from legacy.walker import (\n    helper,\n    BFSWalker as W,  # why\n)\nW()\n", [(3, 5, "import", "live"), (5, 1, "call", "live")]),
    ("continued", "from legacy.walker \\\n    import BFSWalker\nBFSWalker()\n", [(2, 12, "import", "live"), (3, 1, "call", "live")]),
    ("unused is for others", IMPORT, [(1, 27, "re-export", "shim")]),
    ("as itself", "from legacy.walker import BFSWalker as BFSWalker\nBFSWalker()\n", [(1, 27, "re-export", "shim"), (2, 1, "call", "live")]),
    ("type checking", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from legacy import BFSWalker\ndef f(w: 'BFSWalker'): ...\n", [(3, 24, "import", "type-only"), (4, 11, "string-annotation", "type-only")]),
    ("fallback", "try:\n    from legacy.walker import BFSWalker\nexcept ImportError:\n    BFSWalker = None\nBFSWalker()\n", [(2, 31, "import", "live"), (4, 5, "definition", "live"), (5, 1, "call", "live")]),
    # -- constructs and calls
    ("generic", IMPORT + "BFSWalker[int]()\n", [(1, 27, "import", "live"), (2, 1, "call", "live")]),
    ("partial", "from functools import partial\n" + IMPORT + "partial(BFSWalker, 1)\n", [(2, 27, "import", "live"), (3, 9, "partial", "live")]),
    ("decorator", IMPORT + "@BFSWalker\ndef f(): ...\n@BFSWalker(1)\ndef g(): ...\n", [(1, 27, "import", "live"), (2, 2, "decorator", "live"), (4, 2, "decorator", "live")]),
    ("class attribute", IMPORT + "BFSWalker.run\nBFSWalker.__name__\n", [(1, 27, "import", "live"), (2, 1, "class-attribute", "live"), (3, 1, "class-attribute", "live")]),
    ("after non-ASCII text", IMPORT + "x = 'é€𝄞', BFSWalker()\n", [(1, 27, "import", "live"), (2, 12, "call", "live")]),
    ("in an f-string", IMPORT + "f'{x} {BFSWalker(1)!r}'\n", [(1, 27, "import", "live"), (2, 8, "call", "live")]),
    ("in a class body's method", IMPORT + "class K:\n    BFSWalker = 1\n    def g(self): return BFSWalker()\n", [(1, 27, "import", "live"), (4, 25, "call", "live")]),
    # -- types
    ("annotations", IMPORT + "def f(a: BFSWalker, *b: 'BFSWalker') -> list[BFSWalker]: ...\nx: BFSWalker | None = None\n", [(1, 27, "import", "live"), (2, 10, "annotation", "type-only"), (2, 26, "string-annotation", "type-only"), (2, 46, "annotation", "type-only"), (3, 4, "annotation", "type-only")]),
    ("cast and bounds", "from typing import TypeVar, cast\n" + IMPORT + "T = TypeVar('T', bound='BFSWalker')\ncast('list[BFSWalker]', 1)\ncast(BFSWalker, 1)\n", [(2, 27, "import", "live"), (3, 25, "string-annotation", "type-only"), (4, 12, "string-annotation", "type-only"), (5, 6, "annotation", "type-only")]),
    ("type alias", "from typing import Callable, TypeAlias\n" + IMPORT + "A: TypeAlias = BFSWalker\nH = Callable[[BFSWalker], None]\n", [(2, 27, "import", "live"), (3, 1, "definition", "shim"), (3, 16, "annotation", "type-only"), (4, 15, "annotation", "type-only")]),
    ("generic base", IMPORT + "class R(Base[BFSWalker]): ...\n", [(1, 27, "import", "live"), (2, 14, "annotation", "type-only")]),
    ("type comments", IMPORT + "def f(a):\n    # type: (BFSWalker) -> None\n    x = []  # type: list[BFSWalker]  # BFSWalker\n", [(1, 27, "import", "live"), (3, 14, "string-annotation", "type-only"), (4, 26, "string-annotation", "type-only"), (4, 40, "comment", "prose")]),
    ("ignored types", IMPORT + "x = y  # type: ignore[BFSWalker]\n", [(1, 27, "re-export", "shim"), (2, 23, "comment", "prose")]),
    # -- other values
    ("subclass", IMPORT + "class Sub(Mixin, BFSWalker): ...\n", [(1, 27, "import", "live"), (2, 18, "subclass", "live")]),
    ("alias", IMPORT + "Walker = BFSWalker\nWalker()\n", [(1, 27, "import", "live"), (2, 1, "definition", "shim"), (2, 10, "alias", "shim"), (3, 1, "call", "live")]),
    ("local alias", IMPORT + "def f():\n    w = BFSWalker\n    return w()\n", [(1, 27, "import", "live"), (3, 5, "definition", "live"), (3, 9, "alias", "live"), (4, 12, "call", "live")]),
    ("walrus", IMPORT + "if (W := BFSWalker): W()\n", [(1, 27, "import", "live"), (2, 5, "definition", "shim"), (2, 10, "alias", "shim"), (2, 22, "call", "live")]),
    ("walrus in a function", IMPORT + "def f():\n    return [w() for x in y if (w := BFSWalker)]\n", [(1, 27, "import", "live"), (3, 13, "call", "live"), (3, 32, "definition", "live"), (3, 37, "alias", "live")]),
    ("called where it is bound", IMPORT + "(w := BFSWalker)(1)._step()\n", [(1, 27, "import", "live"), (2, 2, "definition", "shim"), (2, 7, "alias", "shim"), (2, 21, "private-member", "live")]),
    ("checks", IMPORT + "isinstance(x, BFSWalker)\nissubclass(x, (int, BFSWalker))\nisinstance(x, BFSWalker | int)\n", [(1, 27, "import", "live"), (2, 15, "isinstance", "live"), (3, 21, "isinstance", "live"), (4, 15, "isinstance", "live")]),
    ("except", IMPORT + "try: ...\nexcept (ValueError, BFSWalker): ...\n", [(1, 27, "import", "live"), (3, 21, "isinstance", "live")]),
    ("class pattern", IMPORT + "match x:\n    case BFSWalker(): ...\n", [(1, 27, "import", "live"), (3, 10, "class-pattern", "live")]),
    ("escapes", IMPORT + "d = {'bfs': BFSWalker}\nf(BFSWalker)\ndef g(): return BFSWalker\ntype(x) is BFSWalker\n", [(1, 27, "import", "live"), (2, 13, "escapes-as-value", "live"), (3, 3, "escapes-as-value", "live"), (4, 17, "escapes-as-value", "live"), (5, 12, "escapes-as-value", "live")]),
    ("class attribute as alias", IMPORT + "class K:\n    walker_class = BFSWalker\n    def g(self): return self.walker_class()\n", [(1, 27, "import", "live"), (3, 5, "definition", "live"), (3, 20, "alias", "live"), (4, 25, "call", "live")]),
    # -- strings
    ("__all__", IMPORT + "__all__ = ['BFSWalker']\n", [(1, 27, "re-export", "shim"), (2, 13, "name-string", "shim")]),
    ("patch", "patch('legacy.walker.BFSWalker')\npatch('legacy.BFSWalker.run')\npatch(f'{M}.BFSWalker')\n", [(1, 8, "string-target", "live"), (2, 8, "string-target-member", "live"), (3, 13, "string-target-dynamic", "live")]),
    ("entry point", "x = 'legacy.walker:BFSWalker'\n", [(1, 6, "string-target", "live")]),
    ("patch.object", "import legacy.walker as lw\npatch.object(lw, 'BFSWalker')\ngetattr(lw, 'BFSWalker')\n", [(1, 8, "module-import", "live"), (2, 19, "string-target", "live"), (3, 14, "name-string", "live")]),
    ("registry key", "REG['BFSWalker']\nx.__name__ == 'BFSWalker'\n", [(1, 6, "name-string", "live"), (2, 16, "name-string", "live")]),
    ("message", "log('BFSWalker failed')\n", [(1, 6, "prose", "prose")]),
    ("docstring", '"""Uses BFSWalker.\n\n>>> BFSWalker()\n"""\n', [(1, 9, "prose", "prose"), (3, 5, "docstring-example", "prose")]),
    ("comment", "x = 1  # see BFSWalker\n", [(1, 14, "comment", "prose")]),
    # -- members of instances
    ("private member", IMPORT + "w = BFSWalker()\nw._step()\nw.run()\n", [(1, 27, "import", "live"), (2, 5, "call", "live"), (3, 3, "private-member", "live")]),
    ("of an attribute", IMPORT + "class K:\n    def __init__(self): self.w = BFSWalker()\n    def g(self):\n        w = self.w\n        return w._step(), self.w._step\n", [(1, 27, "import", "live"), (3, 34, "call", "live"), (6, 18, "private-member", "live"), (6, 34, "private-member", "live")]),
    ("of a parameter", IMPORT + "def f(w: 'BFSWalker | None'): w._step()\n", [(1, 27, "import", "live"), (2, 11, "string-annotation", "type-only"), (2, 33, "private-member", "live")]),
    ("patched", IMPORT + "w = BFSWalker()\npatch.object(w, '_step')\n", [(1, 27, "import", "live"), (2, 5, "call", "live"), (3, 17, "private-member", "live")]),
    ("may depend", "def f(runtime): runtime._step()\n", [(1, 25, "private-member", "live")]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), [form[1:] for form in FORMS], ids=[form[0] for form in FORMS])
def test_a_form(ledger_of, source, expected):
    ledger = ledger_of({"app/user.py": source})
    found = [(each.line, each.column, each.role, each.context) for each in ledger.in_file("app/user.py")]
    assert found == expected
    assert ledger.is_complete, ledger.unexplained
    assert {each.symbol for each in ledger.references} == {"legacy.walker.BFSWalker"}


@pytest.mark.parametrize(
    ("text", "role", "fate"),
    [
        ("HELP = 'usage:\\nBFSWalker runs it'\n", "prose", "keep"),
        ("HELP = 'usage:\\n\\tlegacy.walker.BFSWalker runs it'\n", "prose", "keep"),
        ("PATTERN = r'\\bBFSWalker\\b'\n", "prose", "keep"),
        ("DATA = b'clegacy.walker\\nBFSWalker\\n(t.'\n", "string-target-dynamic", "flag"),
        (
            "DATA = b'\\x80\\x04\\x8c\\rlegacy.walker\\x94\\x8c\\tBFSWalker\\x94\\x93'\n",
            "string-target-dynamic",
            "flag",
        ),
    ],
)
def test_a_name_right_behind_an_escape_is_none_of_a_longer_word(ledger_of, text, role, fate):
    ledger = ledger_of({"app/use.py": text})
    assert [(each.role, each.fate) for each in ledger.in_file("app/use.py") if "BFSWalker" in each.text] == [
        (role, fate)
    ]
    assert [each for each in ledger.lookalikes if each.file == "app/use.py"] == []


def test_a_name_that_is_only_declared_is_explained(ledger_of):
    files = {"app/api.py": "from legacy.walker import BFSWalker\n\nclass Api:\n    engine_class = BFSWalker\n"}
    stub = "from legacy.walker import BFSWalker\n\nclass Api:\n    engine_class: type[BFSWalker]\n"
    ledger = ledger_of({**files, "app/api.pyi": stub})
    assert ledger.is_complete
