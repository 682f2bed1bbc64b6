"""Which names a module uses: asked of the compiler's own symbol table, so that scoping is Python's and not a guess.

It answers for a whole module ("is this name used anywhere as the module's?", "is it mentioned at all?"). What a name
refers to across files is the ledger's work.
"""

from __future__ import annotations

import re
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from ..ledger.parsing import deeply

# With postponed annotations the symbol table forgets what they name; another feature of equal length keeps every column.
_POSTPONED = re.compile(rb"(?m)^([ \t]*from[ \t]+__future__[ \t]+import\b[^\r\n#;]*?)\bannotations\b")


@dataclass(frozen=True)
class Names:
    """The names of a module.

    `used`: those that some scope reads and that are the module's (or a builtin's); `bound`: those that the module itself
    binds, or a function of it by `global`; `mentioned`: any name of any scope.
    """

    used: frozenset[str]
    bound: frozenset[str]
    mentioned: frozenset[str]

    @classmethod
    def of(cls, text: bytes) -> Names:
        """The names of a module's source. Raises SyntaxError for what the compiler refuses."""
        source = _POSTPONED.sub(rb"\1division   ", text).decode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = deeply(lambda: symtable.symtable(source, "<source>", "exec"))
        used: set[str] = set()
        bound: set[str] = set()
        mentioned: set[str] = set()
        for scope in _scopes(table):
            for symbol in scope.get_symbols():
                mentioned.add(_unmangled(symbol.get_name()))
                if symbol.is_referenced() and _is_the_modules(scope, symbol, table):
                    used.add(symbol.get_name())
                if _binds(symbol) and (scope is table or symbol.is_declared_global()):
                    bound.add(symbol.get_name())
        return cls(frozenset(used), frozenset(bound), frozenset(mentioned))


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _is_the_modules(scope: symtable.SymbolTable, symbol: symtable.Symbol, table: symtable.SymbolTable) -> bool:
    # A class body that binds a name reads the module's until it does; where the module has none, that cannot be meant.
    if scope.get_type() == "class" and not symbol.is_global():
        return symbol.is_local() and symbol.get_name() in table.get_identifiers()
    return scope is table or symbol.is_global()


def _unmangled(name: str) -> str:
    found = re.match(r"_[^_]\w*?(__\w+)$", name)
    return found[1] if found and not name.endswith("__") else name
