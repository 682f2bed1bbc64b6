"""The conditions under which a symbol may be deleted, each with its evidence and with what would satisfy it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ledger import model as ledger_model

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ..ledger import Ledger, Reference
    from .evidence import Evidence
    from .insiders import Insiders

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


def handed_on(found: Sequence[str]) -> tuple[Condition, ...]:
    """Nothing gets hold of the symbol by its mere definition; only told where something does."""
    if not found:
        return ()
    mend = "unregister it (or register the new one under the same key) first; or --force with the reason why nobody asks for it"
    return (Condition("registered", False, "its definition hands it to others", _shown(found), mend),)


def private_members(found: Sequence[Reference]) -> Condition:
    """No live code reaches into the symbol's private members."""
    places = [f"{item.file}:{item.line}: {item.text}" for item in found]
    summary = f"{len(places)} uses of private members in live code"
    return Condition(
        "private-members", not places, summary, _shown(places), "port them to the public interface of the new engine"
    )


def inside_tests(found: Sequence[Reference], insiders: Insiders) -> Condition:
    """No test tests the symbol's inside; the `insiders` go with it."""
    left, moved_out = [item for item in found if not insiders.hold(item)], insiders.named
    places = [f"{item.file}:{item.line}: {item.text}" for item in left]
    gone = f"; {', '.join(moved_out)} go with it" if moved_out else ""
    mend = "port them, or let the tests that test nothing else go: --with-tests"
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
        if item.role != ledger_model.PRIVATE_MEMBER and not _is_inside(item, path, ours)
    ]


def inside(found: Iterable[Reference], path: str, ours: Collection[tuple[int, int]]) -> frozenset[Reference]:
    """Those of `found` that stand in `ours`, spans of `path`."""
    return frozenset(item for item in found if _is_inside(item, path, ours))


def _is_inside(item: Reference, path: str, ours: Collection[tuple[int, int]]) -> bool:
    return item.file == path and any(start <= item.start and item.end <= end for start, end in ours)


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
        and not _is_inside(item, path, ours)
    ]


def names(lost: Mapping[str, Sequence[str]], target: str) -> Condition:
    """Every name of a module that somebody needs is in the new one."""
    places = [f"{name}: {_by(files)}" for name, files in lost.items()]
    summary = f"{len(places)} names of the module that are needed and not in {target}"
    return Condition("names", not places, summary, _shown(places), f"move them to {target}, or port what uses them")


def private_names(taken: Mapping[str, Sequence[str]]) -> Condition:
    """Nobody takes private names out of the module."""
    places = [f"{name}: {_by(files)}" for name, files in taken.items()]
    mend = "port them to public names of the new module"
    return Condition("private-members", not places, f"{len(places)} private names taken", _shown(places), mend)


def shim(target: str, bound: bool | None, problem: str) -> Condition:
    """The new module is there, and does not need the old one."""
    if bound is False:
        mend = "write it, or correct `to` of the symbol"
        return Condition("alias", False, f"there is no module {target}", (), mend, waivable=False)
    where = "" if bound else " (of another package; not looked into)"
    mend = "move what it takes from there into it first"
    summary = f"the old module becomes a shim of {target}{where}"
    return Condition("alias", not problem, summary, (problem,) if problem else (), mend, waivable=False)


def _by(files: Sequence[str]) -> str:
    return f"needed by {', '.join(files[:3])}{' and others' if len(files) > 3 else ''}" if files else "in `__all__`"


def _shown(places: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    return (*places[:SHOWN], *more)
