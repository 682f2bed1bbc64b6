"""The conditions under which a symbol may be deleted, each with its evidence and with what would satisfy it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ledger import model as ledger_model

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ..ledger import Ledger, Reference
    from .evidence import Evidence

SHOWN = 10


@dataclass(frozen=True)
class Condition:
    """One condition: whether it holds, on what evidence, and otherwise what would satisfy it.

    One that is not `waivable` cannot be overridden with `--force`: without it there is nothing to write.
    """

    id: str
    holds: bool
    summary: str
    evidence: tuple[str, ...] = ()
    mend: str = ""
    waivable: bool = True

    def __str__(self) -> str:
        lines = [f"{'ok     ' if self.holds else 'MISSING'} {self.id}: {self.summary}"]
        if not self.holds:
            lines += [f"          {item}" for item in self.evidence]
            lines.append(f"        mend: {self.mend}")
        return "\n".join(lines)


def parity(evidence: Evidence | None, path: str) -> Condition:
    """The gate is green for today's definitions and engines, and was about this file."""
    mend = "run `graphlift parity` on this state, until it is green"
    if evidence is None:
        return Condition("parity", False, "the parity gate has not been run", (), mend)
    problems = evidence.problems(path)
    summary = f"{evidence.verdict}, {evidence.cases} cases, {evidence.known} known divergences ({evidence.path})"
    return Condition("parity", not problems, summary, problems, mend)


def complete(ledger: Ledger) -> Condition:
    """The inventory explains every place, so that `no references` means none."""
    unknown = [f"{item.file}:{item.line}: {item.text}" for item in ledger.unexplained]
    unknown += [f"{item.file}:{item.line}: {item.reason}" for item in ledger.unreadable]
    summary = f"{len(ledger.references)} references known, {len(unknown)} places not explained"
    return Condition("inventory", not unknown, summary, _shown(unknown), "see `graphlift inventory`, and explain them")


def references(found: Sequence[Reference]) -> Condition:
    """No live code refers to the symbol. `found` are those that count."""
    places = [f"{item.file}:{item.line}: {item.role} {item.text}" for item in found]
    summary = f"{len(places)} live references besides its definition and its aliases"
    return Condition(
        "references", not places, summary, _shown(places), "`graphlift codemod --apply`, then port the rest by hand"
    )


def private_members(found: Sequence[Reference]) -> Condition:
    """No live code reaches into the symbol's private members."""
    places = [f"{item.file}:{item.line}: {item.text}" for item in found]
    summary = f"{len(places)} uses of private members in live code"
    return Condition(
        "private-members", not places, summary, _shown(places), "port them to the public interface of the new engine"
    )


def inside_tests(found: Sequence[Reference], moved_out: Collection[str]) -> Condition:
    """No test tests the symbol's inside; those in `moved_out` go with it."""
    left = [item for item in found if item.file not in moved_out]
    places = [f"{item.file}:{item.line}: {item.text}" for item in left]
    gone = f"; {', '.join(sorted(moved_out))} go with it" if moved_out else ""
    mend = "port them, or let the files that test nothing else go: --with-tests"
    return Condition("tests", not places, f"{len(places)} uses of private members in tests{gone}", _shown(places), mend)


def options(used: Sequence[str]) -> Condition:
    """No call site uses an option that the new engine refuses."""
    return Condition(
        "options", not used, f"{len(used)} uses of options that the new engine refuses", _shown(used),
        "replace each as its message says; `graphlift explain` has the table",
    )  # fmt: skip


def alias(symbol: Symbol, bound: bool | None, problem: str) -> Condition:
    """There is something that the old name can stand for. `bound` is None where the target is another package's."""
    target = symbol.alias_target
    if target is None:
        mend = "say what the old name becomes: `alias = …` (or `type`, `called`, `to`) in its [[symbol]] table"
        return Condition("alias", False, "nothing says what the old name becomes", (), mend, waivable=False)
    if bound is False:
        mend = f"write it, or correct `alias` of {symbol.legacy}"
        return Condition("alias", False, f"there is no {target}", (), mend, waivable=False)
    where = "" if bound else " (of another package; not looked into)"
    mend = "write the alias by hand and delete the class by hand"
    return Condition(
        "alias",
        not problem,
        f"the old name becomes {target}{where}",
        (problem,) if problem else (),
        mend,
        waivable=False,
    )


def counts_as_live(ledger: Ledger, symbol: str, path: str, ours: Collection[tuple[int, int]]) -> list[Reference]:
    """The live references that stand in the way: not those inside `ours` (spans of `path`) that go or become aliases."""
    return [
        item
        for item in ledger.live(symbol)
        if item.role != ledger_model.PRIVATE_MEMBER
        and not (item.file == path and any(start <= item.start and item.end <= end for start, end in ours))
    ]


def uses_of_private(
    ledger: Ledger, symbol: str, path: str, ours: Collection[tuple[int, int]], context: str
) -> list[Reference]:
    """The uses of private members in one context, those inside of the symbol left out."""
    return [
        item
        for item in ledger.references
        if item.symbol == symbol
        and item.role == ledger_model.PRIVATE_MEMBER
        and item.context == context
        and not (item.file == path and any(start <= item.start and item.end <= end for start, end in ours))
    ]


def refused_options(
    path: str, tree: ast.Module, callees: Collection[str], refused: dict[str, tuple[object, ...]]
) -> list[str]:
    """Keyword arguments in calls of `callees` that the new engine refuses; `refused` gives the values that are harmless."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last(node.func) in callees:
            found += [
                f"{path}:{keyword.value.lineno}: {keyword.arg}={ast.unparse(keyword.value)}"
                for keyword in node.keywords
                if keyword.arg in refused and not _is_harmless(keyword.value, refused[keyword.arg])
            ]
    return found


def _is_harmless(value: ast.expr, harmless: Iterable[object]) -> bool:
    return isinstance(value, ast.Constant) and any(value.value is item for item in harmless)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _shown(places: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    return (*places[:SHOWN], *more)
