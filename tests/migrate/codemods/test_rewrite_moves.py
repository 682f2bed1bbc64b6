"""A symbol that only moved is replaced in every role."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

MOVED = {"legacy": "legacy.walker.W", "to": "flows.engine.Runner"}
CHANGED = {"legacy": "legacy.walker.W", "to": "flows.engine.Runner", "arguments": {"add": {"strict": "False"}}}
ROLES = [
    "class A({}): ...\n",
    "isinstance(x, {})\n",
    "isinstance(x, (int, {}))\n",
    "f({})\n",
    "R = {{'a': {}}}\n",
    "x = {}.create()\n",
    "match x:\n    case {}(): ...\n",
    "def f(): return {}\n",
    "try: ...\nexcept {}: ...\n",
]


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_rewritten(role: str) -> None:
    check_transformed(
        "from legacy.walker import W\n" + role.format("W"),
        "from flows.engine import Runner\n" + role.format("Runner"),
        symbols=[MOVED],
        flags=[],
    )


@pytest.mark.parametrize("role", ROLES)
def test_with_changed_arguments_it_is_flagged(role: str) -> None:
    plan = check_noop("from legacy.walker import W\n" + role.format("W"), symbols=[CHANGED], flags=None)
    assert len(plan.flags) == 1
