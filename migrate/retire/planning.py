"""Plan a retirement: look at everything, decide, and give one plan of file changes with the account of what goes and stays.

Reads the code base and writes nothing; `running.py` applies the plan.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...adapters.errors import ConfigurationError, UsageError
from ..codemods.source import Source, UnreadableSourceError
from ..edits import Edit, FileChange, Plan
from ..git import Git
from ..ratchet.lock import parse_lock, render_lock
from ..ratchet.metrics.lines import count_lines
from ..ratchet.metrics.returning import returned
from ..ratchet.metrics.symbols import find, is_shim, module_file
from ..ratchet.trees import WorkTree
from . import conditions
from .alias import Alias, binds, imports
from .caps import armed, recorded
from .evidence import read_evidence
from .handing_on import handed_on
from .insiders import NONE, Insiders, find_insiders
from .module import Dead, Module
from .modules import Shim, plan_shim
from .outside import Outside
from .sites import live_rows, option_uses
from .surgery import operate
from .verifying import verify

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from ..ledger import Ledger
    from .conditions import Condition


@dataclass(frozen=True)
class Request:
    """What to retire, and how: `symbols` for all configured ones when empty."""

    symbols: tuple[str, ...] = ()
    with_tests: bool = False
    keep: frozenset[str] = frozenset()
    forced: str | None = None


@dataclass(frozen=True)
class Retirement:
    """One symbol's retirement: whether it is gone already, the conditions, and what of its file goes and stays."""

    symbol: str
    path: str
    done: bool
    conditions: tuple[Condition, ...] = ()
    alias: Alias | None = None
    goes: tuple[str, ...] = ()
    stays: tuple[tuple[str, int], ...] = ()
    lines: tuple[int, int] = (0, 0)
    tests: tuple[str, ...] = ()
    is_module: bool = False

    @property
    def missing(self) -> tuple[Condition, ...]:
        """The conditions that do not hold."""
        return tuple(condition for condition in self.conditions if not condition.holds)

    def may(self, forced: bool) -> bool:
        """Whether it may be deleted."""
        return not self.done and all(forced and condition.waivable for condition in self.missing)


@dataclass(frozen=True)
class Outcome:
    """What was looked at, and the plan; the plan is empty where something is refused or nothing is left to do."""

    retirements: tuple[Retirement, ...]
    plan: Plan
    refused: bool


def plan_retirement(project: Project, ledger: Ledger, request: Request) -> Outcome:
    """Plan the retirement of the wanted symbols. Raises `GraphliftError` for what cannot be looked at."""
    desk = _Desk(project, ledger, request)
    for symbol in _wanted(project, request.symbols):
        desk.retire(symbol)
    refused = any(not item.done and not item.may(request.forced is not None) for item in desk.retirements)
    plan = Plan() if refused else desk.plan()
    return Outcome(tuple(desk.retirements), plan, refused)


def _wanted(project: Project, names: Sequence[str]) -> tuple[Symbol, ...]:
    known = project.require_symbols().symbol
    found = []
    for name in names:
        fitting = [symbol for symbol in known if name in (symbol.legacy, symbol.legacy.rpartition(".")[2])]
        if len(fitting) != 1:
            listed = ", ".join(symbol.legacy for symbol in known)
            raise UsageError(f"{name!r} names {len(fitting)} configured symbols", mend=f"name one of {listed}")
        found += fitting
    return tuple(found) or known


class _Desk:
    """One planning: the files as they will be after each symbol, so that several symbols of one file work."""

    def __init__(self, project: Project, ledger: Ledger, request: Request) -> None:
        self.project, self.ledger, self.request = project, ledger, request
        self.tree = WorkTree(project, Git.find(project.root))
        self.retirements: list[Retirement] = []
        self._after: dict[str, bytes | None] = {}
        settings = project.settings.ratchet
        self._rules_name, self._lock_name = settings.rules, settings.lock
        self._rules = self._text(settings.rules)
        self._rows = parse_lock(self._text(settings.lock), settings.lock)

    def _text(self, path: str) -> str:
        file = self.project.root / path
        return file.read_bytes().decode("utf-8-sig") if file.is_file() else ""

    def retire(self, symbol: Symbol) -> None:
        """Look at one symbol, and note what its files become."""
        module_name, _, name = symbol.legacy.rpartition(".")
        path = module_file(self.tree, module_name)
        if own := module_file(self.tree, symbol.legacy):
            self._retire_module(symbol, own)
            return
        if path is None:
            raise ConfigurationError(f"there is no module {module_name}", mend=f"correct the symbol {symbol.legacy}")
        source = self._source(path)
        module = Module(source)
        definition = module.definition(name)
        if definition is None and path not in self._after and (place := find(self.tree, symbol.legacy)):
            mend = "move it to the module's top level, or delete it by hand"
            raise UsageError(
                f"{symbol.legacy} is not defined at the top level", where=f"{place[0]}:{place[1]}", mend=mend
            )
        if definition is None:
            self._require_gone(symbol, path)
            self.retirements.append(Retirement(symbol.legacy, path, done=True))
            return
        self._delete(symbol, path, module, definition)

    def _require_gone(self, symbol: Symbol, path: str) -> None:
        """Raise `UsageError` where the name leads to something else than what it is to become: a class that was moved away."""
        if path not in self._after and (place := returned(self.tree, symbol.legacy)):
            mend = f"name in `legacy` where it is defined, or in `alias` what {symbol.legacy} became"
            told = f"{symbol.legacy} is not defined in {path}, and its name leads here"
            raise UsageError(told, where=f"{place[0]}:{place[1]}", mend=mend)

    def _source(self, path: str) -> Source:
        content = self._after.get(path)
        try:
            return Source(content if content is not None else self.tree.read(path))
        except UnreadableSourceError as error:
            raise ConfigurationError(f"cannot be read as Python: {error}", where=path, mend="mend the file") from None

    def _delete(self, symbol: Symbol, path: str, module: Module, definition: ast.stmt) -> None:
        module_name, _, name = symbol.legacy.rpartition(".")
        aliases = module.aliases(name)
        ours = [module.source.span(node) for node in (definition, *aliases)]
        spans = [_in_file(module.source, *span) for span in ours]
        alias, problem = self._alias(symbol, module_name, module, name)
        inside = conditions.uses_of_private(self.ledger, symbol.legacy, path, spans, "test")
        tests = find_insiders(self.ledger, symbol.legacy, inside, self._source)
        found = self._conditions(symbol, path, spans, problem, tests)
        found += conditions.handed_on(handed_on(self.tree, path, definition))
        retirement = Retirement(symbol.legacy, path, done=False, conditions=found, alias=alias, tests=tests.named)
        if alias is None or not retirement.may(self.request.forced is not None):
            self.retirements.append(retirement)
            return
        gone: list[ast.stmt] = [definition, *(aliases if alias.lazy else ())]
        going = tests if self.request.with_tests else NONE
        outside = Outside(self.tree, path, module_name, going.files)
        kept = self.request.keep | {name for name in alias.names if not alias.lazy}
        dead = module.left_unused(gone, outside.uses, frozenset(kept))
        after = operate(module, dead, alias)
        verify(path, module.source, after)
        self._after[path] = after
        self._after.update(going.after(self._source))
        self._arm(symbol, path, after, retirement, spans)
        self.retirements.append(_told(retirement, module, dead, outside, after))

    def _alias(self, symbol: Symbol, module_name: str, module: Module, name: str) -> tuple[Alias | None, str]:
        target = symbol.alias_target
        if target is None:
            return None, ""
        chain = imports(self.tree, target.rpartition(".")[0], module_name)
        if target.rpartition(".")[0] == module_name:
            return None, f"{target} is in the same module: rename it by hand"
        names = (name, *(node.targets[0].id for node in module.aliases(name) if isinstance(node.targets[0], ast.Name)))
        if not chain:
            return Alias((name,), target, lazy=False), ""
        if any(binding.name == "__getattr__" for binding in module.bindings):
            return None, f"a cycle ({' -> '.join(chain)}) needs a module __getattr__, and there is one already"
        return Alias(names, target, lazy=True), ""

    def _conditions(
        self, symbol: Symbol, path: str, spans: list[tuple[int, int]], problem: str, tests: Insiders
    ) -> tuple[Condition, ...]:
        ledger, legacy = self.ledger, symbol.legacy
        target = symbol.alias_target
        return (
            conditions.alias(symbol, binds(self.tree, target) if target else None, problem),
            conditions.parity(read_evidence(self.project), path),
            conditions.complete(ledger),
            conditions.references(conditions.counts_as_live(ledger, legacy, path, spans)),
            conditions.private_members(conditions.uses_of_private(ledger, legacy, path, spans, "live")),
            conditions.options(option_uses(self.project, self.tree, symbol, self._source)),
            conditions.inside_tests(
                conditions.uses_of_private(ledger, legacy, path, spans, "test"),
                tests if self.request.with_tests else NONE,
            ),
        )

    def _retire_module(self, symbol: Symbol, path: str) -> None:
        """Look at a module as a whole: its file becomes a shim of the new one."""
        if is_shim(self.tree, path):
            self.retirements.append(Retirement(symbol.legacy, path, done=True))
            return
        folder = path.removesuffix("__init__.py")
        if path.endswith("/__init__.py") and any(p.startswith(folder) and p != path for p in self.tree.paths):
            mend = "a [[symbol]] for each of its modules; the package itself comes last"
            raise UsageError(f"{symbol.legacy} is a package with modules in it", where=path, mend=mend)
        module, target = Module(self._source(path)), symbol.alias_target
        outside = Outside(self.tree, path, symbol.legacy)
        shim = plan_shim(module, target or "", lambda name: binds(self.tree, f"{target}.{name}"), outside.taken)
        spans = [(0, sys.maxsize)]  # all of the file, as it was and as it may have become by another symbol
        found = self._module_conditions(symbol, path, shim, spans)
        lines = count_lines(module.source.content), count_lines(shim.text("\n"))
        alias = Alias(shim.kept, target, lazy=False) if target else None
        retirement = Retirement(symbol.legacy, path, False, found, alias, shim.goes, (), lines, is_module=True)
        if retirement.may(self.request.forced is not None):
            self._after[path] = shim.text(module.source.newline(0).decode())
            self._arm(symbol, path, self._after[path] or b"", retirement, spans)
        self.retirements.append(retirement)

    def _module_conditions(
        self, symbol: Symbol, path: str, shim: Shim, spans: list[tuple[int, int]]
    ) -> tuple[Condition, ...]:
        ledger, target = self.ledger, symbol.alias_target
        if target is None:
            return (conditions.alias(symbol, None, ""),)
        chain = imports(self.tree, target, symbol.legacy)
        problem = f"it imports the old one: {' -> '.join(chain)}" if chain else ""
        return (
            conditions.shim(target, binds(self.tree, target), problem),
            conditions.parity(read_evidence(self.project), path),
            conditions.complete(ledger),
            conditions.references(conditions.counts_as_live(ledger, symbol.legacy, path, spans)),
            conditions.names(shim.lost, target),
            conditions.private_names(shim.private),
            conditions.options(option_uses(self.project, self.tree, symbol, self._source)),
        )

    def _arm(
        self, symbol: Symbol, path: str, after: bytes, retirement: Retirement, spans: list[tuple[int, int]]
    ) -> None:
        reason = f"{symbol.legacy} was retired; its name stands for {symbol.alias_target}"
        if self.request.forced is not None:
            missing = ", ".join(condition.id for condition in retirement.missing) or "nothing"
            reason = f"{reason}. Forced: {self.request.forced} (missing: {missing})"
        gone = conditions.inside(self.ledger.live(symbol.legacy), path, spans)
        left = live_rows(self.ledger, symbol.legacy, gone)
        self._rules, self._rows = armed(
            self._rules, self._rules_name, self._rows,
            symbol=symbol.legacy, path=path, content=after, reason=reason, left=left,
        )  # fmt: skip
        missed, evidence = [condition.id for condition in retirement.missing], read_evidence(self.project)
        self._rules = recorded(self._rules, self._rules_name, symbol, evidence, self.request.forced, missed)

    def plan(self) -> Plan:
        """Everything as one plan."""
        if not self._after:
            return Plan()
        self._after[self._rules_name] = self._rules.encode()
        self._after[self._lock_name] = render_lock(self._rows).encode()
        return Plan.of(FileChange(path, self._before(path), after) for path, after in self._after.items())

    def _before(self, path: str) -> bytes | None:
        file = self.project.root / path
        return file.read_bytes() if file.is_file() else None


def _in_file(source: Source, start: int, end: int) -> tuple[int, int]:
    """A span of the source's text as a span of the file's bytes, which is what references count in."""
    edit = source.to_file(Edit(start, end, b""))
    return edit.start, edit.end


def _told(retirement: Retirement, module: Module, dead: Dead, outside: Outside, after: bytes) -> Retirement:
    from dataclasses import replace

    from .module import Definition

    stays = [
        (binding.name, len(outside.mentions(binding.name)))
        for binding in module.bindings
        if isinstance(binding.statement, Definition) and binding.name not in dead.names and binding.name[0] != "_"
    ]
    goes = sorted(dead.names - set(retirement.alias.names if retirement.alias else ()))
    lines = count_lines(module.source.content), count_lines(after)
    return replace(retirement, goes=tuple(goes), stays=tuple(sorted(stays)), lines=lines)
