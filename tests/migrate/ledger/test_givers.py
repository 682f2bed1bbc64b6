"""Private members of an instance that another module hands out: reported as places that may depend on them."""

from __future__ import annotations

import pytest

WALKER = "class BFSWalker:\n    def __init__(self): self._queue = []\n    def _run(self): ...\n    def run(self): ...\n"
MAKE = """\
from legacy.walker import BFSWalker
def make(): return BFSWalker()
def typed(kind) -> "BFSWalker | None": ...
async def later():
    w = BFSWalker()
    return w
def opened():
    yield BFSWalker()
WALKER = BFSWalker()
class Service:
    def __init__(self): self.walker = BFSWalker()
    def get(self): return self.walker
def other(): return 1
def outer():
    def inner(): return BFSWalker()
    return 2
"""
FILES = {
    "legacy/walker.py": WALKER,
    "app/make.py": MAKE,
    # Another class has the same private members, so that the names alone say nothing.
    "app/other.py": "class Other:\n    def __init__(self): self._queue = []\n    def _run(self): ...\n",
    "facade.py": "from app.make import make, Service\n",
}


def found(ledger):
    return [(each.line, each.reason) for each in ledger.in_file("app/user.py") if each.role == "private-member"]


@pytest.mark.parametrize(
    ("code", "giver"),
    [
        ("from app.make import make\nmake()._run()\n", "app.make.make"),
        ("from app.make import make\nw = make()\nv = w\nv._run()\n", "app.make.make"),
        ("from app import make\nmake.make()._queue\n", "app.make.make"),
        ("import facade\nfacade.make()._run()\n", "app.make.make"),
        ("from .make import typed\nw = typed(1) or None\nw._run()\n", "app.make.typed"),
        ("from app.make import later\nasync def f(): (await later())._run()\n", "app.make.later"),
        ("from app.make import opened\nwith opened() as w:\n    w._run()\n", "app.make.opened"),
        ("from app.make import make as create\ncreate()._run()\n", "app.make.make"),
        ("from app.make import WALKER\nWALKER._run()\n", "app.make.WALKER"),
        ("from app.make import Service\nService().walker._run()\n", "app.make.Service.walker"),
        ("from app.make import Service\ns = Service()\ns.get()._run()\n", "app.make.Service.get"),
        ("from facade import Service\ndef f(s: Service): s.walker._run()\n", "app.make.Service.walker"),
        ("from app.make import Service\nclass K:\n    s = Service()\n    def f(self): self.s.get()._run()\n", "app.make.Service.get"),
        ("from app.make import make\npatch.object(make(), '_run')\n", "app.make.make"),
    ],
)  # fmt: skip
def test_may_depend(ledger_of, code, giver):
    ledger = ledger_of({**FILES, "app/user.py": code})
    assert [reason for _, reason in found(ledger)] == [f"may depend: {giver} gives an instance of the symbol"]
    (each,) = (each for each in ledger.in_file("app/user.py") if each.role == "private-member")
    assert (each.fate, each.certain) == ("flag", False)


@pytest.mark.parametrize(
    "code",
    [
        "from app.make import make\nmake().run()\nmake()._unknown\n",
        "from app.make import other, outer\nother()._run()\nouter()._run()\n",
        "from app.make import Service\nService()._run()\nService().other._run()\n",
        "from app.other import Other\nOther()._run()\n",
        "def make(): return 1\nmake()._run()\n",
        "x._run()\n",
    ],
)
def test_what_nothing_says_of_is_not(ledger_of, code):
    assert found(ledger_of({**FILES, "app/user.py": code})) == []
