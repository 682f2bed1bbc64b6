"""Metric `references`: live references to the legacy symbols, by file and function, so that no place pays for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ....adapters.errors import ConfigurationError
from ..keys import Key
from .base import Reading, Scope
from .symbols import module_file

if TYPE_CHECKING:
    from ...ledger import Reference

CONTEXTS = ("live",)


def key_of(reference: Reference) -> Key:
    """The key under which a reference is counted."""
    return Key(References.id, reference.file, f"{reference.function or '<module>'} {reference.symbol}")


class References:
    """Counts the references of each function to each symbol."""

    id = "references"
    summary = "live references to legacy symbols, by file and function"
    default_cap: int | None = 0
    by_file = True

    def needs(self) -> Sequence[str]:
        """Nothing: without `symbols`, every configured symbol counts."""
        return ()

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a symbol, file and function. `options.contexts` names the contexts that count; only live ones do."""
        from ...ledger.model import DEFINITION
        from ..ledgers import ledger_of

        if not scope.paths:
            return {}
        ledger, project = ledger_of(scope.tree, scope.finders)
        configured = {symbol.legacy for symbol in project.settings.symbol}
        # At the merge base, a symbol may not have been configured yet.
        known = configured | {symbol.legacy for symbol in scope.tree.base.settings.symbol}
        if unknown := sorted(set(scope.rule.symbols) - known):
            mend = "add a [[symbol]] table to the configuration, or mend the rule's `symbols`"
            raise ConfigurationError(f"rule {scope.rule.id!r}: {unknown[0]!r} is no configured symbol", mend=mend)
        wanted, selected = set(scope.rule.symbols) or configured, set(scope.paths)
        contexts = tuple(scope.rule.options.get("contexts", CONTEXTS))
        found: dict[Key, Reading] = {}
        for item in ledger.references:
            if item.symbol in wanted and item.context in contexts and item.file in selected and item.role != DEFINITION:
                key = key_of(item)
                first = found.get(key, Reading(0, item.file, item.line))
                found[key] = Reading(first.value + 1, item.file, first.line)
        return found

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """The first Python file that is no test, with one more construct of the symbol."""
        symbols = scope.rule.symbols or tuple(symbol.legacy for symbol in scope.tree.base.settings.symbol)
        module, _, name = symbols[0].rpartition(".") if symbols else ("", "", "")
        home = module_file(scope.tree, module)
        shown = set(scope.tree.base.files(".py")) & set(scope.paths)
        files = sorted(path for path in shown if "test" not in path and path != home)
        if not files:
            return {}
        taken = f"from {module} import {name}" if module else f"import {name}"
        lines = f"\n\ndef _grown() -> object:\n    {taken}\n\n    return {name}()\n"
        return {files[0]: scope.tree.read(files[0]) + lines.encode() * (scope.limit + 1)}
