"""What a dotted name leads to, across files: imports, re-exports, stars, aliases, shims and lazy names followed.

Modules are read when a name asks for them, so that only the files on some chain are parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .bindings import Binding
from .exports import Exports
from .layout import Layout
from .paths import Step, Way, first_path, reachable, shortest_path

MAX_CHAIN = 100
"""From this length on, the shortest chain of names is told instead of the first one, which may wind through a whole web."""


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
        """The legacy symbol that an absolute dotted name leads to, or None.

        Of several bindings the first that leads to a symbol counts; circles are followed through, each name once.
        """
        if name not in self._known:
            self._known[name] = self.configured(name) or self._search(name)
        return self._known[name]

    def _search(self, name: str) -> Resolution | None:
        path, dead = first_path(name, self._ways, self._leads)
        self._known.update(dict.fromkeys(dead))
        end = self._end(path[-1].name) if path else None
        if end and len(path) + len(end.chain) > MAX_CHAIN:
            short = shortest_path(name, self._ways, lambda each: self.configured(each) is not None, MAX_CHAIN)
            path, end = (short, self.configured(short[-1].name)) if short else (path, end)
        return self._along(path, end) if end else None

    def behind(self, name: str) -> list[str]:
        """An absolute dotted name and every name that it may stand for, up to legacy symbols."""
        return reachable(name, self._ways, lambda each: self.configured(each) is not None)

    def _along(self, path: list[Step], end: Resolution) -> Resolution:
        """What the first name of a path leads to; noted for the others too."""
        found = end
        for step in reversed(path[:-1]):
            found = found.through(step.name, step.certain)
            self._known[step.name] = found
        return found

    def _leads(self, name: str) -> bool | None:
        if name in self._known:
            return self._known[name] is not None
        return True if self.configured(name) else None

    def _end(self, name: str) -> Resolution | None:
        return self._known.get(name) or self.configured(name)

    def configured(self, name: str) -> Resolution | None:
        """The legacy symbol that a dotted name spells out, itself or with members, without following anything."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            if symbol := self._symbols.get(".".join(parts[:length])):
                origin = ".".join(parts[:length])
                chain = (name,) if length == len(parts) else (name, origin)
                return Resolution(symbol, tuple(parts[length:]), chain)
        return None

    def _ways(self, name: str) -> Iterator[Way]:
        """What a name may stand for, in the order in which it is tried."""
        parts = name.split(".")
        for length in range(1, len(parts)):
            module, rest = ".".join(parts[:length]), parts[length:]
            if not self._layout.is_module(module):
                return
            if (own := self._layout.own_name(module)) != module:
                # The same file under another import root's name.
                yield Way(f"{own}.{rest[0]}", tuple(rest[1:]))
                return
            yield from self._inside(module, rest)

    def _inside(self, module: str, rest: list[str]) -> Iterator[Way]:
        exports = self.exports(module, rest[:1])
        if exports is None:
            return
        for length in (1, 2):
            own = ".".join(rest[:length])
            if len(rest) >= length and (bindings := exports.names.get(own)):
                yield from self._bound(module, bindings, rest[length:], own)
        if rest[0] in exports.lazy:
            yield Way(exports.lazy[rest[0]], tuple(rest[1:]))
            return
        leads = all(binding.leads for binding in exports.names.get(rest[0], []))
        # A star may bind a submodule's name too, but asking that of every star on the way would never end.
        if leads and not self._layout.is_module(f"{module}.{rest[0]}"):
            for star in exports.stars:
                if way := self._through_star(star, rest):
                    yield way

    def _bound(self, module: str, bindings: list[Binding], rest: list[str], own: str) -> Iterator[Way]:
        # The same binding once more leads to the same.
        for binding in dict.fromkeys(bindings):
            for target in self._targets(module, binding, own) if binding.leads else ():
                # `from . import walker` in a package binds the submodule to its own name.
                if target != f"{module}.{own}":
                    yield Way(target, tuple(rest), certain=len(bindings) == 1)

    def _targets(self, module: str, binding: Binding, own: str) -> list[str]:
        if binding.kind == "import":
            return [binding.target]
        scope = own.rpartition(".")[0]
        inner = [f"{module}.{scope}.{binding.target}"] if scope else []
        return [*inner, f"{module}.{binding.target}"]

    def _through_star(self, star: str, rest: list[str]) -> Way | None:
        exports = self.exports(star, rest[:1])
        if exports is not None and not exports.is_public(rest[0]):
            return None
        return Way(f"{star}.{rest[0]}", tuple(rest[1:]))

    def exports(self, module: str, names: Sequence[str]) -> Exports | None:
        """What a module of the project exposes; None where it has no file, cannot be read, or can bind none of `names`."""
        return self._exports(module, names) if self._layout.file(module) else None

    def has_file(self, module: str) -> bool:
        """Whether the module is a file of the project."""
        return self._layout.file(module) is not None

    def is_module(self, name: str) -> bool:
        """Whether the name is a module or a package of the project."""
        return self._layout.is_module(name)

    def own_name(self, module: str) -> str:
        """The name under which a module is reported, whatever import root's name it is called by."""
        return self._layout.own_name(module)

    def exposes(self, module: str, names: Iterable[str]) -> list[str]:
        """Those of `names` that a star import of `module` binds to a legacy symbol."""
        ways = [(name, self._through_star(module, [name])) for name in names]
        return [name for name, way in ways if way and (found := self.resolve(way.name)) and not found.members]
