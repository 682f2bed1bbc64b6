"""A module as a legacy symbol: what its file becomes when it goes, and which of its names somebody still needs. Pure.

What is left is a shim under the old path: it imports from the new module, name by name, what was public, so that every old
path gives the one object. A name that the new module does not have is either unused, and goes, or in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from .module import Definition, Module

WIDTH = 120


@dataclass(frozen=True)
class Shim:
    """What becomes of a module's names.

    `kept` are imported from `target` by the shim, `goes` are gone, `lost` are needed by files (or exported) and not in the
    target, and `private` are underscored names that others take. Values are the files that need a name, sorted.
    """

    target: str
    kept: tuple[str, ...]
    goes: tuple[str, ...]
    lost: Mapping[str, tuple[str, ...]]
    private: Mapping[str, tuple[str, ...]]

    def text(self, newline: str) -> bytes:
        """The shim's source."""
        parts = [f'"""The old name of `{self.target}`, so that what imports it goes on working."""\n']
        if self.kept:
            parts.append(f"\n{_import(self.target, self.kept)}\n{_exports(self.kept)}")
        return "".join(parts).replace("\n", newline).encode()


def plan_shim(
    module: Module, target: str, has: Callable[[str], bool | None], takers: Mapping[str, Collection[str]]
) -> Shim:
    """Sort a module's names. `has` says whether the target binds a name (None: not known, taken to), `takers` who takes one."""
    own = {b.name for b in module.bindings if b.alias is None}
    known = {b.name for b in module.bindings} | module.exported
    needed = {name: tuple(sorted(files)) for name, files in takers.items() if name in known}
    star = tuple(sorted(takers.get("*", ())))
    public = module.exported or {name for name in own if not name.startswith("_")}
    for name in public if star or module.exported else ():
        needed.setdefault(name, star)
    private = {name: files for name, files in needed.items() if name.startswith("_")}
    wanted = (public | set(needed)) - set(private)
    kept = tuple(sorted(name for name in wanted if has(name) is not False))
    lost = {name: needed[name] for name in sorted(wanted - set(kept)) if name in needed}
    defined = {b.name for b in module.bindings if isinstance(b.statement, Definition)}
    return Shim(target, kept, tuple(sorted(defined - set(kept))), lost, private)


def _import(module: str, names: tuple[str, ...]) -> str:
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n{''.join(f'    {name},' + chr(10) for name in names)})\n"


def _exports(names: tuple[str, ...]) -> str:
    quoted = [f'"{name}"' for name in names]
    line = f"__all__ = [{', '.join(quoted)}]\n"
    return line if len(line) <= WIDTH else f"__all__ = [\n{''.join(f'    {name},' + chr(10) for name in quoted)}]\n"
