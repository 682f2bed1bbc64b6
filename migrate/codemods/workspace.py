"""The code base under the codemods: its files, its modules by name, the configured symbols, and the ledger.

Reads files, never imports them. What is rewritten is decided by codemods; the order of things by `engine.py`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from ..ledger.model import (
    IMPORT,
    MODULE_IMPORT,
    NAME_STRING,
    RE_EXPORT,
    STAR_IMPORT,
    STRING_TARGET,
    STRING_TARGET_DYNAMIC,
    STRING_TARGET_MEMBER,
)
from .file import File
from .source import Source, UnreadableSourceError

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from ..ledger.model import Ledger, Reference
    from .bindings import ImportBinding
    from .model import Codemod


class Workspace:
    """A project and its ledger, as codemods see them. `overlay` replaces what files hold, for a look at a plan's result."""

    def __init__(self, project: Project, ledger: Ledger, overlay: dict[str, bytes] | None = None) -> None:
        self.project = project
        self.ledger = ledger
        self._overlay = overlay or {}
        self.symbols: dict[str, Symbol] = {symbol.legacy: symbol for symbol in project.settings.symbol}

    def read(self, path: str) -> bytes:
        """What a file of the project holds."""
        return self._overlay[path] if path in self._overlay else (self.project.root / path).read_bytes()

    @cached_property
    def files(self) -> dict[str, File]:
        """The files with references, by path, sorted."""
        held: dict[str, list[Reference]] = defaultdict(list)
        for reference in self.ledger.references:
            held[reference.file].append(reference)
        return {path: File(self, path, self.read(path), held[path]) for path in sorted(held)}

    @cached_property
    def module_symbols(self) -> frozenset[str]:
        """The configured symbols that are modules: those of a file of the code base, or that something imports as one."""
        imported = {
            ref.symbol for ref in self.ledger.references if ref.role == MODULE_IMPORT and ref.chain == (ref.symbol,)
        }
        return frozenset(name for name in self.symbols if name in imported or self.path_of(name))

    def add_needles(self, codemods: Iterable[Codemod]) -> None:
        """Add the files without references that a codemod asks for by what they contain."""
        for codemod in codemods:
            if not codemod.needles:
                continue
            for path in self.project.files(*codemod.suffixes):
                if path not in self.files and any(needle in self.read(path) for needle in codemod.needles):
                    self.files[path] = File(self, path, self.read(path), ())

    @cached_property
    def _roots(self) -> list[Path]:
        # The longest first: `src/pkg/a.py` is `pkg.a` where `src` is a source folder, although the root holds it too.
        return sorted(self.project.source_roots, key=lambda root: -len(root.parts))

    def module_of(self, path: str) -> str:
        """The dotted name under which a file is imported."""
        full = self.project.root / path
        root = next(root for root in self._roots if full.is_relative_to(root))
        parts = list(full.relative_to(root).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def path_of(self, module: str) -> str | None:
        """The file of a module of the project, or None."""
        relative = module.replace(".", "/")
        for root in self._roots:
            for candidate in (root / relative / "__init__.py", root / f"{relative}.py"):
                path = candidate.relative_to(self.project.root).as_posix()
                if path in self._overlay or candidate.is_file():
                    return path
        return None

    def split(self, dotted: str) -> tuple[str, str] | None:
        """A dotted name as a module of the project and the rest; None where no beginning of it is a module."""
        parts = dotted.split(".")
        for count in range(len(parts), 0, -1):
            if self.path_of(".".join(parts[:count])):
                return ".".join(parts[:count]), ".".join(parts[count:])
        return None

    def absolute(self, file: File, statement: ast.ImportFrom) -> str:
        """The absolute name of the module that a `from` import reads."""
        if not statement.level:
            return statement.module or ""
        parts = file.package.split(".")
        base = ".".join(parts[: len(parts) - statement.level + 1])
        return ".".join(part for part in (base, statement.module) if part)

    def imported_name(self, file: File, binding: ImportBinding) -> str:
        """The dotted name that an import binding stands for, as written (re-exports are not followed)."""
        if isinstance(binding.statement, ast.Import):
            return binding.alias.name if binding.alias.asname else binding.bound
        return f"{self.absolute(file, binding.statement)}.{binding.alias.name}"

    def named_through(self, file: File, name: str) -> tuple[Reference, ...]:
        """The references outside of `file` that reach a symbol through the name that `file` binds."""
        return tuple(ref for ref in self._through.get(f"{file.module}.{name}", ()) if ref.file != file.path)

    def left_through(self, file: File, name: str) -> tuple[Reference, ...]:
        """Those of `named_through` that are not rewritten; strings left out, since they follow what is bound."""
        imports = (IMPORT, RE_EXPORT, STAR_IMPORT, MODULE_IMPORT)
        return tuple(
            reference
            for reference in self.named_through(file, name)
            if reference not in self.files[reference.file].rewrites
            and reference.role
            not in (*imports, STRING_TARGET, STRING_TARGET_MEMBER, STRING_TARGET_DYNAMIC, NAME_STRING)
        )

    @cached_property
    def _through(self) -> dict[str, list[Reference]]:
        """The references by each dotted name of their chains, the definition at the end left out."""
        found: dict[str, list[Reference]] = defaultdict(list)
        for reference in self.ledger.references:
            for name in reference.chain:
                if name != reference.symbol:
                    found[name].append(reference)
        return found

    def definition(self, dotted: str) -> ast.stmt | None:
        """The class or function of a dotted name where it is defined at the top of a module of the project."""
        module, _, name = dotted.rpartition(".")
        path = self.path_of(module) if module else None
        if path is None:
            return None
        try:
            tree = self.tree(path)
        except UnreadableSourceError:
            return None
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return next((node for node in tree.body if isinstance(node, kinds) and node.name == name), None)

    def tree(self, path: str) -> ast.Module:
        """The syntax tree of a file of the project. Raises `UnreadableSourceError`."""
        known = self.files.get(path)
        return known.source.tree if known else Source(self.read(path)).tree
