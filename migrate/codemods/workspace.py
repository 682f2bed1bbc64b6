"""The code base under the codemods: its files, its modules by name, the configured symbols, and the ledger.

Reads files, never imports them. What is rewritten is decided by codemods; the order of things by `engine.py`.
"""

from __future__ import annotations

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from ..ledger.files import read
from ..ledger.layout import absolute
from ..ledger.model import DYNAMIC_ACCESS, IMPORT, MODULE_IMPORT, NAME_STRING, PATCHED, RE_EXPORT, STAR_IMPORT
from .file import File
from .source import Source, UnreadableSourceError

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from ..ledger.model import Ledger, Reference
    from .bindings import ImportBinding
    from .model import Codemod


_STAR = re.compile(rb"^[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*\(?[ \t]*\*", re.MULTILINE)


class Workspace:
    """A project and its ledger, as codemods see them. `overlay` replaces what files hold, for a look at a plan's result."""

    def __init__(self, project: Project, ledger: Ledger, overlay: dict[str, bytes] | None = None) -> None:
        self.project = project
        self.ledger = ledger
        self._root = os.fspath(project.root)
        self._overlay = overlay or {}
        self._trees: dict[str, ast.Module] = {}
        self.symbols: dict[str, Symbol] = {symbol.legacy: symbol for symbol in project.settings.symbol}

    def read(self, path: str) -> bytes:
        """What a file of the project holds."""
        return self._overlay[path] if path in self._overlay else read(f"{self._root}/{path}")[0]

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
        asking = [(codemod.suffixes, codemod.needles) for codemod in codemods if codemod.needles]
        every = tuple(sorted({suffix for suffixes, _ in asking for suffix in suffixes}))
        for path in self.project.files(*every) if asking else ():
            if path in self.files:
                continue
            content = self.read(path)
            if any(path.endswith(suffixes) and any(map(content.__contains__, needles)) for suffixes, needles in asking):
                self.files[path] = File(self, path, content, ())

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
        return absolute(statement.module, statement.level, file.package)

    def imported_name(self, file: File, binding: ImportBinding) -> str:
        """The dotted name that an import binding stands for, as written (re-exports are not followed)."""
        if isinstance(binding.statement, ast.Import):
            return binding.alias.name if binding.alias.asname else binding.bound
        return f"{self.absolute(file, binding.statement)}.{binding.alias.name}"

    def named_through(self, file: File, name: str) -> tuple[Reference, ...]:
        """The references outside of `file` (and its stub) that reach a symbol through the name that `file` binds."""
        own = file.path.rpartition(".")[0]
        return tuple(
            ref for ref in self._through.get(f"{file.module}.{name}", ()) if ref.file.rpartition(".")[0] != own
        )

    def left_through(self, file: File, name: str, *, dropped: bool = False) -> tuple[Reference, ...]:
        """Those of `named_through` that are not rewritten. Strings that patch are left out: they follow what is bound.

        `dropped`: the name itself would go, so that what asks for it by a string (a lazy map, `getattr`) counts too.
        """
        apart = {IMPORT, RE_EXPORT, STAR_IMPORT, MODULE_IMPORT, *PATCHED, *(() if dropped else (NAME_STRING,))}
        return tuple(
            reference
            for reference in self.named_through(file, name)
            if reference not in self.files[reference.file].rewrites
            and reference.role not in apart
            and reference.context != "guard"
        )

    def holds_a_target(self, file: File) -> bool:
        """Whether the file is where something is defined that a symbol becomes: its imports of the symbol go with it."""
        targets = (
            name
            for one in self.symbols.values()
            for name in (one.call_target, one.type_target, one.alias_target)
            if name
        )
        return any(self.origin(name).rpartition(".")[0] == file.module for name in targets)

    def may_be_taken(self, file: File, name: str) -> bool:
        """Whether somebody may take a name from a module without a reference that says so.

        By a star import of the module, by a text that is no Python (an entry point, YAML), or by code that looks a module's
        names up as it runs.
        """
        if file.module in self._star_imported and not name.startswith("_"):
            return True
        if any(each.role == DYNAMIC_ACCESS and file.module in each.chain for each in self.ledger.references):
            return True
        asked = re.compile(
            rb"(?<![\w.])%s[.:]%s(?!\w)" % (re.escape(os.fsencode(file.module)), re.escape(name.encode()))
        )
        return any(asked.search(content) for content in self._texts)

    @cached_property
    def _star_imported(self) -> frozenset[str]:
        """The modules that a file of the project imports everything of."""
        found = set()
        for path in self.project.files(".py", ".pyi", ".pyw"):
            content = self.read(path)
            if b"*" in content and (hits := _STAR.findall(content)):
                module = self.module_of(path)
                package = module if path.endswith(("__init__.py", "__init__.pyi")) else module.rpartition(".")[0]
                for dots, name in hits:
                    found.add(absolute(name.decode() or None, len(dots), package))
        return frozenset(found)

    @cached_property
    def _texts(self) -> list[bytes]:
        """What stands in the project's files that are no Python."""
        paths = (path for path in self.project.files() if not path.endswith((".py", ".pyi", ".pyw")))
        return [self.read(path) for path in paths]

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

    def origin(self, dotted: str) -> str:
        """The name under which a target is defined, where modules of the project only pass it on by single imports."""
        seen = [dotted]
        while (following := self._passed_on(seen[-1])) and following not in seen:
            seen.append(following)
        return seen[-1]

    def _passed_on(self, dotted: str) -> str:
        module, _, name = dotted.rpartition(".")
        path = self.path_of(module) if module else None
        try:
            body = self.tree(path).body if path else []
        except UnreadableSourceError:
            return ""
        package = module if path and path.endswith("__init__.py") else module.rpartition(".")[0]
        for node in body:
            if not isinstance(node, ast.ImportFrom):
                continue
            origin = absolute(node.module, node.level, package)
            for each in node.names:
                if (each.asname or each.name) == name:
                    return f"{origin}.{each.name}"
                if each.name == "*" and self.definition(f"{origin}.{name}"):
                    return f"{origin}.{name}"
        return ""

    def tree(self, path: str) -> ast.Module:
        """The syntax tree of a file of the project. Raises `UnreadableSourceError`."""
        known = self.files.get(path)
        if known:
            return known.source.tree
        if path not in self._trees:
            self._trees[path] = Source(self.read(path)).tree
        return self._trees[path]
