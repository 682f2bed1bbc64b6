"""The stages of a migration and their proofs. Each looks at what the other commands look at; none of them runs user code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...adapters.errors import GraphliftError
from ..git import Git
from ..ledger.model import PRIVATE_MEMBER
from ..ratchet.metrics.returning import returned
from ..ratchet.metrics.symbols import find, module_file
from ..ratchet.trees import WorkTree
from ..retire.alias import binds
from ..retire.evidence import read_evidence
from .records import read_records, tell_of_retired

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from ..ledger import Ledger, Reference
    from ..ratchet.checking import Report

SHOWN = 5


@dataclass(frozen=True)
class Stage:
    """One stage: whether it is done, on what proof, figures by name, and the command that brings it on ("" when done)."""

    id: str
    title: str
    done: bool
    proof: str
    figures: dict[str, int] = field(default_factory=dict)
    open: tuple[str, ...] = ()
    next: str = ""


@dataclass
class Survey:
    """A look at one state of a project. `check_ratchet` runs the ratchet's absolute check; None where it has no rules."""

    project: Project
    read_ledger: Callable[[], Ledger]
    check_ratchet: Callable[[], Report | None]

    @cached_property
    def tree(self) -> WorkTree:
        """The files."""
        return WorkTree(self.project, Git.find(self.project.root))

    @cached_property
    def ledger(self) -> Ledger:
        """The references."""
        return self.read_ledger()

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The configured symbols."""
        return self.project.settings.symbol

    @cached_property
    def left(self) -> tuple[str, ...]:
        """The symbols that are still defined."""
        return tuple(symbol.legacy for symbol in self.symbols if self.place(symbol.legacy) is not None)

    def place(self, name: str) -> tuple[str, int] | None:
        """Where a symbol is defined, or where what else stands behind its name is; None where it is gone."""
        return find(self.tree, name) or returned(self.tree, name)


def survey(look: Survey) -> tuple[Stage, ...]:
    """Every stage, in the order of the migration. Without symbols, only the first says anything."""
    first = configured(look)
    if not first.done:
        return (first,)
    return (first, *(stage(look) for stage in (inventory, parity, adapter, call_sites, retired, ratchet)))


def configured(look: Survey) -> Stage:
    """There is a configuration, and it names what is migrated."""
    count = len(look.symbols)
    config = look.project.config_file
    if config is None:
        return Stage("configured", "configured", False, "there is no graphlift.toml", {}, (), "graphlift init")
    try:
        if count:
            look.project.require_names()
    except GraphliftError as error:
        told = str(error).splitlines()[0]
        return Stage("configured", "configured", False, told, {"symbols": count}, (), "graphlift inventory")
    proof = f"{config.name} names {_many(count, 'legacy symbol')}"
    return Stage(
        "configured",
        "configured",
        count > 0,
        proof,
        {"symbols": count},
        (),
        "" if count else "graphlift init --dry-run",
    )


def inventory(look: Survey) -> Stage:
    """Every place that names a symbol is explained."""
    ledger = look.ledger
    unknown = [f"{item.file}:{item.line}: {item.text}" for item in ledger.unexplained]
    unknown += [f"{item.file}:{item.line}: {item.reason}" for item in ledger.unreadable]
    figures = {"references": len(ledger.references), "live": len(_live(look)), "unexplained": len(unknown)}
    proof = f"{_many(len(ledger.references), 'reference')}, {len(unknown)} unexplained"
    command = "graphlift inventory" if unknown else ""
    return Stage("inventory", "every reference known", not unknown, proof, figures, _shown(unknown), command)


def parity(look: Survey) -> Stage:
    """The gate is green for the engines and definitions of this state; for what is retired, it was, as the record says."""
    title, command = "engines agree", "graphlift parity"
    try:
        records = read_records(look.project)
        evidence = read_evidence(look.project) if look.left else None
    except GraphliftError as error:
        return Stage("parity", title, False, str(error).splitlines()[0], {}, (), command)
    gone = [symbol.legacy for symbol in look.symbols if symbol.legacy not in look.left]
    told, unproven = tell_of_retired(gone, records)
    if not look.left:
        figures = {"cases": max((records[name].cases for name in gone if name in records), default=0)}
        figures["known-divergences"] = max((records[name].known for name in gone if name in records), default=0)
        mend = f"say in {look.project.settings.ratchet.rules} why: a [[retired]] table with `symbol` and `forced`"
        return Stage("parity", title, not unproven, told, figures, unproven, mend if unproven else "")
    if evidence is None:
        return Stage("parity", title, False, "the gate has not been run on this state", {}, (), command)
    needed = [module_file(look.tree, name) or module_file(look.tree, name.rpartition(".")[0]) for name in look.left]
    problems = sorted({problem for path in needed for problem in evidence.problems(path)} | set(unproven))
    proof = f"{evidence.verdict}: {_many(evidence.cases, 'case')}, {_many(evidence.known, 'known divergence')}"
    proof += f"; {told}" if gone else ""
    figures = {"cases": evidence.cases, "known-divergences": evidence.known}
    return Stage("parity", title, not problems, proof, figures, tuple(problems), command if problems else "")


def adapter(look: Survey) -> Stage:
    """What the symbols become is there."""
    missing: list[str] = []
    targets: set[str] = set()
    for symbol in look.symbols:
        wanted = {name for name in (symbol.call_target, symbol.type_target, symbol.alias_target) if name}
        targets |= wanted
        missing += [
            f"{symbol.legacy}: there is no {name}" for name in sorted(wanted) if binds(look.tree, name) is False
        ]
        if not wanted:
            missing.append(f"{symbol.legacy}: nothing says what it becomes")
    elsewhere = sum(1 for name in targets if binds(look.tree, name) is None)
    proof = f"{_many(len(targets), 'target')} named, {len(missing)} missing"
    proof += f", {elsewhere} of other packages and not looked into" if elsewhere else ""
    # Its plan says of each symbol what is missing, and the mend.
    command = "graphlift retire" if missing else ""
    return Stage("adapter", "adapter in place", not missing, proof, {"targets": len(targets)}, _shown(missing), command)


def call_sites(look: Survey) -> Stage:
    """No live code refers to a symbol any more, besides its definition and its aliases."""
    live = _live(look)
    private = sum(1 for item in live if item.role == PRIVATE_MEMBER)
    rewritable = sum(1 for item in live if item.fate == "rewrite")
    figures = {"live": len(live), "private-members": private, "rewritable": rewritable}
    proof = f"{_many(len(live), 'live reference')}, {_many(private, 'use', 'uses')} of private members among them"
    places = [f"{item.file}:{item.line}: {item.role} {item.text}" for item in live]
    command = "" if not live else "graphlift codemod --apply" if rewritable else "graphlift inventory --live"
    return Stage("call-sites", "call sites migrated", not live, proof, figures, _shown(places), command)


def retired(look: Survey) -> Stage:
    """No symbol is defined any more."""
    count = len(look.symbols) - len(look.left)
    places = []
    for name in look.left:
        found = look.place(name)
        places.append(f"{found[0]}:{found[1]}: {name}" if found else name)
    proof = f"{count} of {_many(len(look.symbols), 'symbol')} deleted"
    figures = {"retired": count, "left": len(look.left)}
    return Stage(
        "retired",
        "walker retired",
        not look.left,
        proof,
        figures,
        _shown(places),
        "graphlift retire" if look.left else "",
    )


def ratchet(look: Survey) -> Stage:
    """What was won is capped, nothing is above its cap, and no symbol may come back."""
    title = "ratchet armed"
    try:
        report = look.check_ratchet()
    except GraphliftError as error:
        return Stage("ratchet", title, False, str(error).splitlines()[0], {}, (), "graphlift ratchet --absolute")
    if report is None:
        return Stage("ratchet", title, False, "there are no rules", {}, (), "graphlift ratchet init")
    book = report.facts.now.book
    armed = {
        name
        for rule in book.rule
        if rule.metric == "absent" and rule.id not in report.facts.now.waiting
        for name in rule.names
    }
    errors = [f"{finding.key}: {finding.message}" for finding in report.findings if finding.level == "error"]
    unguarded = [f"nothing forbids the return of {s.legacy}" for s in look.symbols if s.legacy not in armed]
    figures = {"rules": len(book.rule), "caps": len(report.facts.now.lock), "numbers": len(report.measurement.values)}
    proof = f"{_many(len(book.rule), 'rule')}, {_many(figures['numbers'], 'number')}, {len(errors)} above their caps"
    command = (
        "graphlift ratchet --absolute" if errors else "graphlift retire" if look.left else "graphlift ratchet init"
    )
    done = not errors and not unguarded
    return Stage("ratchet", title, done, proof, figures, _shown([*errors, *unguarded]), "" if done else command)


def _live(look: Survey) -> list[Reference]:
    homes = {module_file(look.tree, symbol.legacy.rpartition(".")[0]) for symbol in look.symbols}
    names = {symbol.legacy.rpartition(".")[2] for symbol in look.symbols}
    return [
        item
        for item in look.ledger.live()
        # What the symbol's own body says of itself goes with it.
        if not (item.file in homes and item.function.partition(".")[0] in names)
    ]


def _many(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def _shown(places: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    return (*places[:SHOWN], *more)
