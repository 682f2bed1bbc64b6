"""Places that cannot work with the symbol as it is: said where the definition says it all, and nowhere else."""

from __future__ import annotations

import pytest

IMPORT = "from legacy.walker import BFSWalker\n"
WALKER = (
    "from dataclasses import dataclass\n"
    "@dataclass\n"
    "class Result:\n"
    "    ok: bool\n"
    "    @property\n"
    "    def data(self): ...\n"
    "class BFSWalker:\n"
    "    limit = 3\n"
    "    def __init__(self, handlers, services=None, *, workers=4, trace):\n"
    "        self.handlers = handlers\n"
    "    async def execute(self, workflow) -> Result: ...\n"
    "    def run(self, workflow) -> 'Result': ...\n"
)


def problems(ledger, path="app/user.py"):
    return [
        (each.line, each.role, each.reason.removeprefix("cannot work as it is: "))
        for each in ledger.in_file(path)
        if each.reason.startswith("cannot work as it is: ")
    ]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("BFSWalker(h, s, 4, trace=1)", "takes 2 positional arguments, 3 are given"),
        ("BFSWalker(h, trace=1, depth=2)", "has no parameter 'depth'"),
        ("BFSWalker(h)", "the argument 'trace' is missing"),
        ("BFSWalker(trace=1)", "the argument 'handlers' is missing"),
        ("BFSWalker(h, trace=1).nope", "the symbol has no member 'nope'"),
        ("w = BFSWalker(h, trace=1); w.run(1).error", "Result has no member 'error'"),
        (
            "async def f(w: BFSWalker):\n    r = await w.execute(1)\n    r.ok, r.data, r.node_results",
            "Result has no member 'node_results'",
        ),
    ],
)
def test_what_cannot_work_is_flagged(ledger_of, call, problem):
    ledger = ledger_of({"legacy/walker.py": WALKER, "app/user.py": IMPORT + call + "\n"})
    ((_, _, reason),) = problems(ledger)
    assert reason == problem


@pytest.mark.parametrize(
    "call",
    [
        "BFSWalker(h, trace=1)",
        "BFSWalker(h, s, workers=2, trace=1).limit",
        "BFSWalker(*a, **k)",
        "w = BFSWalker(h, trace=1); w.handlers; w.run(1).ok; w.__class__",
        "w = BFSWalker(h, trace=1); w.extra = 1; w.extra",
        "class S(BFSWalker):\n    def more(self): ...\nS().more()",
        "r = BFSWalker(h, trace=1).run(1)\nr = other()\nr.anything",
    ],
)
def test_what_can_work_is_not(ledger_of, call):
    assert problems(ledger_of({"legacy/walker.py": WALKER, "app/user.py": IMPORT + call + "\n"})) == []


@pytest.mark.parametrize(
    "walker",
    [
        "class BFSWalker(Base):\n    pass\n",
        "class BFSWalker:\n    def __getattr__(self, name): ...\n",
        "@register\nclass BFSWalker: ...\n",
        "class BFSWalker:\n    def __init__(self, **options): self.__dict__.update(options)\n",
        "def BFSWalker(*args, **options): ...\n",
    ],
)
def test_a_definition_that_does_not_say_it_all_says_nothing(ledger_of, walker):
    ledger = ledger_of({"legacy/walker.py": walker, "app/user.py": IMPORT + "w = BFSWalker(depth=1)\nw.nope\n"})
    assert problems(ledger) == []
