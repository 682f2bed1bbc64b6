"""What a call may pass is read from the definition: its own `__init__`, an inherited one, a dataclass's fields."""

from __future__ import annotations

import pytest

SYMBOL = {
    "legacy": "legacy.walker.BFSWalker", "called": "flows.build",
    "arguments": {"rename": {"depth": "limit"}, "drop": ["trace"]},
}  # fmt: skip
IMPORT = "from legacy.walker import BFSWalker\n"


def last(ledger):
    each = ledger.in_file("app/user.py")[-1]
    return each.fate, each.reason


@pytest.mark.parametrize(
    "files",
    [
        {"legacy/walker.py": "class BFSWalker:\n    def __init__(self, h, trace=False): ...\n"},
        {"legacy/walker.py": "class B:\n    def __init__(self, h, trace): ...\nclass BFSWalker(B): ...\n"},
        {
            "legacy/walker.py": "from .base import B\nclass BFSWalker(B): ...\n",
            "legacy/base.py": "class A:\n    def __init__(self, h, trace): ...\nclass B(A): ...\n",
        },
        {
            "legacy/walker.py": "from . import base\nclass BFSWalker(base.B): ...\n",
            "legacy/base.py": "class B:\n    def __init__(self, h, trace): ...\n",
        },
        {
            "legacy/walker.py": "@dataclass\nclass BFSWalker:\n    c: ClassVar[int] = 1\n    h: int\n    trace: int = 0\n"
        },
        {"legacy/walker.py": "def BFSWalker(h, trace=True): ...\n"},
    ],
)
def test_a_dropped_argument_is_seen_in_its_place(ledger_of, files):
    ledger = ledger_of({**files, "app/user.py": IMPORT + "BFSWalker(h, log())\n"}, symbols=(SYMBOL,))
    assert last(ledger) == ("flag", "trace= would be dropped, but its value is not a literal")
    assert last(ledger_of({**files, "app/user.py": IMPORT + "BFSWalker(h, 1)\n"}, symbols=(SYMBOL,)))[0] == "rewrite"


@pytest.mark.parametrize(
    "walker",
    [
        "from elsewhere import B\nclass BFSWalker(B): ...\n",
        "class BFSWalker:\n    def __new__(cls, *a): ...\n    def __init__(self, h, trace): ...\n",
        "class BFSWalker(metaclass=M):\n    def __init__(self, h, trace): ...\n",
        "class BFSWalker:\n    @wrapped\n    def __init__(self, h, trace): ...\n",
        "@dataclass(kw_only=True)\nclass BFSWalker:\n    h: int\n    trace: int = 0\n",
        "@dataclass\nclass BFSWalker:\n    h: int = field(init=False)\n    trace: int = 0\n",
        "class B(BFSWalker): ...\nclass BFSWalker(B): ...\n",
    ],
)
def test_without_a_signature_in_sight_further_positional_arguments_are_flagged(ledger_of, walker):
    ledger = ledger_of({"legacy/walker.py": walker, "app/user.py": IMPORT + "BFSWalker(h, 1)\n"}, symbols=(SYMBOL,))
    reason = "its definition does not say in sight which parameters its positional arguments are for"
    assert last(ledger) == ("flag", reason)
    one = ledger_of({"app/user.py": IMPORT + "BFSWalker(h)\n"}, symbols=(SYMBOL,))
    taken = "its definition is not in sight, so the positional argument is taken for none that changes"
    assert last(one) == ("rewrite", f"becomes flows.build; {taken}")


def test_without_renamed_or_dropped_arguments_positions_do_not_matter(ledger_of):
    symbol = {"legacy": "legacy.walker.BFSWalker", "called": "flows.build", "arguments": {"add": {"strict": "1"}}}
    assert last(ledger_of({"app/user.py": IMPORT + "BFSWalker(h, 1, 2)\n"}, symbols=(symbol,)))[0] == "rewrite"
