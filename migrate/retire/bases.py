"""The classes that a base stands for: in the code base, in the standard library, in installed packages. Reads, never imports."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..ledger.bindings import Binding, dotted
from ..ledger.exports import Exports, exports_of
from ..ledger.layout import Layout
from ..ratchet.metrics.symbols import module_file

if TYPE_CHECKING:
    from ..ratchet.trees import Tree

HARMLESS = frozenset(
    {
        *("abc.ABC", "string.Template", "unittest.TestCase", "unittest.case.TestCase", "enum.Enum", "enum.Flag"),
        *("pydantic.BaseModel", "pydantic.main.BaseModel", "pydantic.RootModel", "pydantic.root_model.RootModel"),
        *("pydantic_settings.BaseSettings", "pydantic_settings.main.BaseSettings"),
    }
)
"""Bases of well-known libraries that do something when they are inherited from, and keep nothing by which it is found."""
HARMLESS_MODULES = ("typing", "typing_extensions", "attr", "attrs", "ctypes", "enum")


@dataclass(frozen=True)
class Found:
    """A class that a name stands for: its definition and the module that has it."""

    module: str
    definition: ast.ClassDef

    @property
    def name(self) -> str:
        """The class's dotted name."""
        return f"{self.module}.{self.definition.name}"


@dataclass(frozen=True)
class Unknown:
    """A name behind which no class could be read, and why."""

    name: str
    why: str


@dataclass
class Bases:
    """Follows names to classes, from a code base into what is installed beside it."""

    tree: Tree
    _modules: dict[str, tuple[ast.Module, Exports] | None] = field(default_factory=dict)

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.tree.paths, [root.rstrip("/") for root in self.tree.import_roots])

    def module(self, path: str) -> str:
        """The dotted name of a file of the code base."""
        return self._layout.module(path)

    def of(self, module: str, definition: ast.ClassDef) -> Iterator[Found | Unknown]:
        """Every class that a class inherits from, also through others; a name that leads to none as an `Unknown`."""
        seen: set[str] = set()
        waiting = [(module, definition)]
        for module, definition in waiting:
            for found in self._direct(module, definition):
                if found.name not in seen:
                    seen.add(found.name)
                    yield found
                    if isinstance(found, Found):
                        waiting.append((found.module, found.definition))

    def _direct(self, module: str, definition: ast.ClassDef) -> Iterator[Found | Unknown]:
        for base in definition.bases:
            while isinstance(base, ast.Subscript):
                base = base.value
            name = dotted(base)
            if not name:
                yield Unknown(ast.unparse(base), "what it gives cannot be read")
            elif not _is_builtin(name) or self._binds(module, name):
                yield from self._named(f"{module}.{name}", frozenset())

    def _binds(self, module: str, name: str) -> bool:
        read = self._read(module)
        return read is not None and name in read[1].names

    def _named(self, name: str, seen: frozenset[str]) -> Iterator[Found | Unknown]:
        """What an absolute dotted name stands for. Harmless names stand for nothing."""
        if name in seen or _is_harmless(name):
            return
        module, rest = self._split(name)
        read = self._read(module) if module and rest else None
        if read is None:
            if name.partition(".")[0] not in sys.stdlib_module_names:
                yield Unknown(name, "its source is not here")
            return
        body, exports = read
        own, seen = rest[0], seen | {name}
        bindings = exports.names.get(own, [])
        for binding in bindings:
            yield from self._bound(module, rest, body, binding, seen)
        following = [exports.lazy[own]] if own in exports.lazy else [f"{star}.{own}" for star in exports.stars]
        for target in following if not bindings else ():
            yield from self._named(".".join([target, *rest[1:]]), seen)
        if not bindings and not following and module.partition(".")[0] not in sys.stdlib_module_names:
            yield Unknown(".".join([module, *rest]), "nothing there binds it")

    def _bound(
        self, module: str, rest: list[str], body: ast.Module, binding: Binding, seen: frozenset[str]
    ) -> Iterator[Found | Unknown]:
        if binding.kind == "class":
            yield from (Found(module, node) for node in _classes(body, rest))
        elif binding.target:
            target = binding.target if binding.kind == "import" else f"{module}.{binding.target}"
            yield from self._named(".".join([target, *rest[1:]]), seen)
        elif module.partition(".")[0] not in sys.stdlib_module_names:
            yield Unknown(".".join([module, *rest]), "what it is bound to cannot be read")

    def _split(self, name: str) -> tuple[str, list[str]]:
        """A dotted name as the module that can be read, and what is asked of it."""
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:length])
            if self._read(module) is not None:
                return module, parts[length:]
        return "", parts

    def _read(self, module: str) -> tuple[ast.Module, Exports] | None:
        if module not in self._modules:
            content, is_package = self._content(module)
            body = _parsed(content) if content is not None else None
            package = module if is_package else module.rpartition(".")[0]
            self._modules[module] = (body, exports_of(body, module, package)) if body else None
        return self._modules[module]

    def _content(self, module: str) -> tuple[bytes | None, bool]:
        path = module_file(self.tree, module) or self._layout.file(module)
        if path is not None:
            return self.tree.read(path), path.endswith("/__init__.py")
        file = _installed(module)
        return (file.read_bytes(), file.name == "__init__.py") if file else (None, False)


def _classes(body: ast.Module, names: list[str]) -> list[ast.ClassDef]:
    """The classes of a qualified name, also under `if` and `try`, but not in functions."""
    scopes: list[ast.AST] = [body]
    found: list[ast.ClassDef] = []
    for name in names:
        inside = (node for scope in scopes for node in ast.walk(scope) if node is not scope)
        found = [node for node in inside if isinstance(node, ast.ClassDef) and node.name == name]
        scopes = list(found)
    return found


def _installed(module: str) -> Path | None:
    """The source of a module of the standard library or of an installed package; no parent package is run."""
    top, *inner = module.split(".")
    for place in [sysconfig.get_paths()["stdlib"]] if top in sys.stdlib_module_names else _places(top):
        folder = Path(place, *([top] if top in sys.stdlib_module_names else []), *inner)
        for file in (folder / "__init__.py", folder.with_name(f"{folder.name}.py")):
            if file.is_file():
                return file
    return None


def _places(top: str) -> list[str]:
    """Where the modules of a package that is no part of Python are; for a single module, its path without the suffix."""
    try:
        spec = importlib.machinery.PathFinder.find_spec(top)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return list(spec.submodule_search_locations)
    return [str(Path(spec.origin).with_suffix(""))] if spec.origin else []


def _parsed(content: bytes) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _is_builtin(name: str) -> bool:
    return isinstance(getattr(builtins, name, None), type)


def _is_harmless(name: str) -> bool:
    return name in HARMLESS or any(name.startswith(f"{module}.") for module in HARMLESS_MODULES)
