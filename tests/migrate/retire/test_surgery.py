"""What is left of a module: before and after, byte for byte."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.codemods.source import Source
from graphlift.migrate.retire.alias import Alias
from graphlift.migrate.retire.module import Binding, Module
from graphlift.migrate.retire.surgery import operate

EAGER = Alias(("Walker",), "new.engine.Runner", lazy=False)


def operated(before: str, *, used: Collection[str] = (), alias: Alias = EAGER, kept: Collection[str] = ()) -> str:
    module = Module(Source(before.encode()))
    gone = module.definition("Walker")
    assert gone is not None
    aliases = module.aliases("Walker") if alias.lazy else ()
    uses: Callable[[Binding], bool] = lambda binding: binding.name in used  # noqa: E731
    keep = frozenset(kept) | (frozenset() if alias.lazy else frozenset(alias.names))
    dead = module.left_unused([gone, *aliases], uses, keep)
    after = operate(module, dead, alias).decode()
    ast.parse(after)
    return after


CASES = {
    "imports that only it used": (
        "import os\nimport sys\nfrom a import b, c\n\n\nclass Walker:\n    x = sys, b\n\n\ny = os, c\n",
        "import os\nfrom a import c\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\ny = os, c\n",
    ),
    "an unused import that it did not use stays": (
        "import os\n\n\nclass Walker:\n    pass\n",
        "import os\nfrom new.engine import Runner as Walker  # noqa: F401\n",
    ),
    "comments and decorators above go, those with an empty line between stay": (
        "x = 1\n\n# stays\n\n# goes\n# too\n@deco\nclass Walker:\n    pass\n\n\n# about y\ny = 2\n",
        "from new.engine import Runner as Walker  # noqa: F401\n\n\nx = 1\n\n# stays\n\n# about y\ny = 2\n",
    ),
    "helpers of helpers": (
        "def _a():\n    return _b()\n\n\ndef _b():\n    return 1\n\n\nclass Walker:\n    x = _a()\n\n\nz = 1\n",
        "from new.engine import Runner as Walker  # noqa: F401\n\n\nz = 1\n",
    ),
    "a helper that something else uses stays": (
        "def _a():\n    return 1\n\n\nclass Walker:\n    x = _a()\n\n\nz = _a()\n",
        "from new.engine import Runner as Walker  # noqa: F401\n\n\ndef _a():\n    return 1\n\n\nz = _a()\n",
    ),
    "a helper that registers itself stays": (
        "import reg\n\n\n@reg.add\ndef _a():\n    return 1\n\n\nclass Walker:\n    x = _a()\n",
        "import reg\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\n@reg.add\ndef _a():\n    return 1\n",
    ),
    "a constant with a call that may do something stays": (
        "_a = register()\n_b = frozenset((1,))\n\n\nclass Walker:\n    x = _a, _b\n",
        "from new.engine import Runner as Walker  # noqa: F401\n\n\n_a = register()\n",
    ),
    "rows of __all__": (
        '__all__ = [\n    "Helper",\n    "Other",\n    "Walker",\n]\n\n\nclass Helper:\n    pass\n\n\nclass Walker(Helper):\n    pass\n\n\nOther = 1\n',
        'from new.engine import Runner as Walker\n\n\n__all__ = [\n    "Other",\n    "Walker",\n]\n\n\nOther = 1\n',
    ),
    "an alias below goes on working": (
        "import os\n\n\nclass Walker:\n    pass\n\n\n# old name\nExecutor = Walker\n",
        "import os\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\n# old name\nExecutor = Walker\n",
    ),
    "imports for type checkers": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import a\n    import b\n\n\nclass Walker:\n    x: 'a.X'\n\n\ny: 'b.Y'\n",
        "from typing import TYPE_CHECKING\nfrom new.engine import Runner as Walker  # noqa: F401\n\nif TYPE_CHECKING:\n    import b\n\n\ny: 'b.Y'\n",
    ),
    "several names on lines of their own": (
        "from a import (\n    b,  # b is for it\n    c,\n    d,\n)\n\n\nclass Walker:\n    x = b, d\n\n\ny = c\n",
        "from a import (\n    c,\n)\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\ny = c\n",
    ),
    "a docstring and nothing else": (
        '"""Doc."""\n\n\nclass Walker:\n    pass\n',
        '"""Doc."""\n\nfrom new.engine import Runner as Walker  # noqa: F401\n',
    ),
    "nothing else at all": ("class Walker:\n    pass\n", "from new.engine import Runner as Walker  # noqa: F401\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_left(name: str) -> None:
    before, after = CASES[name]
    assert operated(before) == after


@pytest.mark.parametrize("name", CASES)
def test_crlf_stays_crlf(name: str) -> None:
    before, after = CASES[name]
    assert operated(before.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


def test_what_others_use_stays() -> None:
    before = "import os\n\n\ndef _a():\n    return os\n\n\nclass Walker:\n    x = _a()\n"
    after = "import os\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\ndef _a():\n    return os\n"
    assert operated(before, used={"_a"}) == after
    assert operated(before, kept={"_a"}) == after


def test_a_byte_order_mark_and_a_cookie_stay() -> None:
    text = "\ufeff# coding: utf-8\nname = 'é'\n\n\nclass Walker:\n    pass\n"
    module = Module(Source(text.encode()))
    definition = module.definition("Walker")
    assert definition
    after = operate(module, module.left_unused([definition], lambda _: False, frozenset()), EAGER)
    assert (
        after
        == "\ufeff# coding: utf-8\nfrom new.engine import Runner as Walker  # noqa: F401\n\n\nname = 'é'\n".encode()
    )


LATE = Alias(("Walker", "Executor"), "new.engine.Runner", lazy=True)


def test_a_late_alias() -> None:
    before = "from typing import Any\n\nx: Any = 1\n\n\nclass Walker:\n    pass\n\n\nExecutor = Walker\n"
    assert (
        operated(before, alias=LATE)
        == '''\
from typing import TYPE_CHECKING, Any

x: Any = 1


if TYPE_CHECKING:
    from new.engine import Runner as Walker, Runner as Executor


def __getattr__(name: str) -> object:
    """Old names of `new.engine.Runner`, which is imported late because it imports this module."""
    if name in ("Walker", "Executor"):
        from new.engine import Runner

        return Runner
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
'''
    )


@given(
    st.lists(st.sampled_from(["a = 1\n", "\n", "# note\n", "def f():\n    return a\n", "import os\n", "b = Other\n"]))
)
def test_everything_around_stays_where_nothing_depends_on_it(parts: list[str]) -> None:
    before = "".join(parts)
    text = f"{before}\nclass Walker:\n    pass\n"
    kept = [line for line in operated(text).splitlines() if line and "Runner as Walker" not in line]
    # Only a comment that stands directly above the class goes with it.
    lines = [line for line in before.splitlines() if line]
    assert kept == lines
