r"""Helpers to test a codemod with: sources before and after, in the test itself.

    from graphlift.migrate.codemods.testing import check_noop, check_transformed

    check_transformed("from legacy.walker import W\nW()\n", "from flows import build\nbuild()\n", symbols=[SYMBOL])
    check_noop("W = 1\nW()\n", symbols=[SYMBOL])

Every check plans over a small project in a temporary folder, compares bytes and flags, and plans again over the result,
which must change nothing. Nothing is imported or run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...plugins.configuration import Settings, Symbol
from ...plugins.project import Project
from ..edits import Plan
from ..ledger import Ledger, build_ledger
from .builtin import builtin
from .engine import make_plan
from .model import Codemod
from .selection import select

Content = str | bytes
PATH = "app/user.py"


def check_transformed(
    before: Content,
    after: Content,
    *,
    symbols: Iterable[Symbol | dict[str, Any]],
    flags: Collection[str] | None = None,
    path: str = PATH,
    extra: Mapping[str, tuple[Content, Content] | Content] | None = None,
    codemods: Sequence[Codemod] | None = None,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Plan:
    """Check that `before`, as the file `path` of a project, becomes `after`, byte for byte.

    `extra` holds more files: their content where it stays, or (before, after). `flags` are the kinds that must be flagged,
    each as often as it is given (None: not compared). `codemods` are the built-in ones unless given. Returns the plan.
    Raises AssertionError with both contents where they differ, and where a second run would change something.
    """
    files = {path: (_bytes(before), _bytes(after))}
    for name, content in (extra or {}).items():
        pair = content if isinstance(content, tuple) else (content, content)
        files[name] = (_bytes(pair[0]), _bytes(pair[1]))
    chosen = select(codemods if codemods is not None else builtin(), only, skip)
    plan = plan_for({name: pair[0] for name, pair in files.items()}, symbols, chosen)
    changed = {change.path: change.after for change in plan.changes}
    for name, (old, expected) in files.items():
        got = changed.get(name, old)
        assert got == expected, f"{name}:\n--- expected\n{_shown(expected)}\n--- got\n{_shown(got)}\n{_flagged(plan)}"
    if flags is not None:
        kinds = sorted(flag.kind for flag in plan.flags)
        assert kinds == sorted(flags), f"flags: expected {sorted(flags)}, got {kinds}\n{_flagged(plan)}"
    again = plan_for({name: pair[1] for name, pair in files.items()}, symbols, chosen)
    assert not again.changes, f"a second run changes {[change.path for change in again.changes]}"
    return plan


def check_noop(
    source: Content,
    *,
    symbols: Iterable[Symbol | dict[str, Any]],
    flags: Collection[str] | None = (),
    path: str = PATH,
    extra: Mapping[str, Content] | None = None,
    codemods: Sequence[Codemod] | None = None,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Plan:
    """Check that nothing changes, neither `source` nor a file of `extra`; by default nothing may be flagged either."""
    return check_transformed(
        source,
        source,
        symbols=symbols,
        flags=flags,
        path=path,
        extra=dict(extra or {}),
        codemods=codemods,
        only=only,
        skip=skip,
    )


def plan_for(
    files: Mapping[str, Content], symbols: Iterable[Symbol | dict[str, Any]], codemods: Iterable[Codemod]
) -> Plan:
    """The plan of `codemods` over a project of just these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(_bytes(content))
        settings = Settings(symbol=tuple(Symbol.model_validate(symbol) for symbol in symbols))
        project = Project(root, root / "graphlift.toml", settings)
        return make_plan(project, build_ledger(project) if settings.symbol else Ledger(), codemods)


def _bytes(content: Content) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _shown(content: bytes | None) -> str:
    return "(deleted)" if content is None else content.decode("utf-8", "backslashreplace")


def _flagged(plan: Plan) -> str:
    return "\n".join(["--- flags", *(str(flag) for flag in plan.flags)])
