"""What a dotted name leads to, across files: imports, re-exports, stars, aliases, shims and lazy names followed.

Modules are read when a name asks for them, so that only the files on some chain are parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .bindings import Binding
from .exports import Exports
from .layout import Layout

MAX_CHAIN = 100
"""The longest chain of names that is followed; a longer one (`X = X.y` in a circle) leads nowhere."""


@dataclass(frozen=True)
class Resolution:
    """A legacy symbol that a name leads to, what is asked of it (`members`), and the names on the way.

    `certain` is False where one of the names on the way has another binding too.
    """

    symbol: str
    members: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    certain: bool = True

    def through(self, name: str, certain: bool = True) -> Resolution:
        """The same, reached through one more name."""
        return replace(self, chain=(name, *self.chain), certain=self.certain and certain)


class Resolver:
    """Resolves absolute dotted names. `exports` reads what a module exposes, where it can bind one of the names.

    It gives None for a module without a file, one that cannot be read, and one whose text holds none of the names.
    """

    def __init__(
        self, symbols: Iterable[str], layout: Layout, exports: Callable[[str, Sequence[str]], Exports | None]
    ) -> None:
        self._symbols = {symbol: symbol for symbol in symbols}
        self._layout = layout
        self._exports = exports
        self._known: dict[str, Resolution | None] = {}
        self._open: list[str] = []
        self._met_cycle = False
        self._origins()

    def _origins(self) -> None:
        """A symbol configured under a re-exported name counts where it is defined too."""
        configured = list(self._symbols)
        for symbol in configured:
            del self._symbols[symbol]
            self._known.clear()
            for origin in self._ends(symbol):
                self._symbols.setdefault(origin, symbol)
            self._symbols[symbol] = symbol
        self._known.clear()

    def _ends(self, name: str) -> list[str]:
        """Where the chain of a name ends, as far as single imports lead."""
        seen = [name]
        while (following := self._next(seen[-1])) and following not in seen:
            seen.append(following)
        return seen[1:]

    def _next(self, name: str) -> str:
        module, _, own = name.rpartition(".")
        exports = self.exports(module, [own])
        bindings = exports.names.get(own, []) if exports else []
        return bindings[0].target if len(bindings) == 1 and bindings[0].kind == "import" else ""

    def resolve(self, name: str) -> Resolution | None:
        """The legacy symbol that an absolute dotted name leads to, or None."""
        if name in self._known:
            return self._known[name]
        if name in self._open or len(self._open) > MAX_CHAIN:
            self._met_cycle = True
            return None
        self._open.append(name)
        found = self._follow(name)
        self._open.pop()
        # Inside a cycle, "nowhere" may only mean "not this way round", so it is not remembered.
        if found or not self._open or not self._met_cycle:
            self._known[name] = found
        if not self._open:
            self._met_cycle = False
        return found

    def configured(self, name: str) -> Resolution | None:
        """The legacy symbol that a dotted name spells out, itself or with members, without following anything."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            if symbol := self._symbols.get(".".join(parts[:length])):
                origin = ".".join(parts[:length])
                chain = (name,) if length == len(parts) else (name, origin)
                return Resolution(symbol, tuple(parts[length:]), chain)
        return None

    def _follow(self, name: str) -> Resolution | None:
        if found := self.configured(name):
            return found
        parts = name.split(".")
        for length in range(1, len(parts)):
            module = ".".join(parts[:length])
            if not self._layout.is_module(module):
                return None
            if (own := self._layout.own_name(module)) != module:
                # The same file under another import root's name.
                found = self.resolve(".".join([own, *parts[length:]]))
                return found.through(name) if found else None
            found = self._in_module(module, parts[length:])
            if found is not None:
                return found.through(name)
        return None

    def _in_module(self, module: str, rest: list[str]) -> Resolution | None:
        exports = self.exports(module, rest[:1])
        if exports is None:
            return None
        for length in (1, 2):
            own = ".".join(rest[:length])
            if len(rest) >= length and (bindings := exports.names.get(own)):
                found = self._through_bindings(module, bindings, rest[length:], own)
                if found is not None:
                    return found
        if rest[0] in exports.lazy:
            return self.resolve(".".join([exports.lazy[rest[0]], *rest[1:]]))
        leads = all(binding.leads for binding in exports.names.get(rest[0], []))
        # A star may bind a submodule's name too, but asking that of every star on the way would never end.
        if leads and not self._layout.is_module(f"{module}.{rest[0]}"):
            for star in exports.stars:
                found = self._through_star(star, rest)
                if found is not None:
                    return found
        return None

    def _through_bindings(self, module: str, bindings: list[Binding], rest: list[str], own: str) -> Resolution | None:
        for binding in bindings:
            if not binding.leads:
                continue
            for target in self._targets(module, binding, own):
                # `from . import walker` in a package binds the submodule to its own name.
                if target != f"{module}.{own}" and (found := self.resolve(".".join([target, *rest]))):
                    return found if len(bindings) == 1 else replace(found, certain=False)
        return None

    def _targets(self, module: str, binding: Binding, own: str) -> list[str]:
        if binding.kind == "import":
            return [binding.target]
        scope = own.rpartition(".")[0]
        inner = [f"{module}.{scope}.{binding.target}"] if scope else []
        return [*inner, f"{module}.{binding.target}"]

    def _through_star(self, star: str, rest: list[str]) -> Resolution | None:
        exports = self.exports(star, rest[:1])
        if exports is not None and not exports.is_public(rest[0]):
            return None
        return self.resolve(".".join([star, *rest]))

    def exports(self, module: str, names: Sequence[str]) -> Exports | None:
        """What a module of the project exposes; None where it has no file, cannot be read, or can bind none of `names`."""
        return self._exports(module, names) if self._layout.file(module) else None

    def has_file(self, module: str) -> bool:
        """Whether the module is a file of the project."""
        return self._layout.file(module) is not None

    def is_module(self, name: str) -> bool:
        """Whether the name is a module or a package of the project."""
        return self._layout.is_module(name)

    def exposes(self, module: str, names: Iterable[str]) -> list[str]:
        """Those of `names` that a star import of `module` binds to a legacy symbol."""
        return [name for name in names if (found := self._through_star(module, [name])) and not found.members]
