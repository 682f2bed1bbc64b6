"""One file under the codemods: what it holds, the references in it, and what was decided about them so far.

Codemods ask it; only the engine tells it what was decided.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..edits import Edit, Flag
from ..ledger.contexts import is_shim
from ..ledger.model import ALIAS
from ..ledger.text import TextFile, is_config, is_python
from .bindings import Bindings, ImportBinding
from .imports import NewImport
from .model import Rewrite
from .names import Names
from .places import Found, Places
from .source import Source

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ..ledger.model import Reference
    from .workspace import Workspace

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Reach:
    """How a place in a file reaches a legacy symbol: by an import, by aliases of this file, or by a star import.

    `loaded`: through a name to which a module is bound that was loaded by a string (`m = import_module("…")`).

    All are empty where the file itself defines the symbol, or binds the name by what is no plain alias.
    """

    imports: tuple[ImportBinding, ...] = ()
    aliases: tuple[Found, ...] = ()
    stars: tuple[ImportBinding, ...] = ()
    loaded: bool = False


@dataclass(frozen=True)
class Alias:
    """An alias reference, the name that it binds, and the scope in which."""

    found: Found
    name: str
    scope: ast.AST

    @property
    def binds(self) -> tuple[str, ast.AST]:
        """The name and its scope."""
        return self.name, self.scope


class File:
    """A file that holds references. `source` is for Python only."""

    def __init__(self, workspace: Workspace, path: str, content: bytes, references: Iterable[Reference]) -> None:
        self.workspace = workspace
        self.path = path
        self.content = content
        self.references = tuple(references)
        self.rewrites: dict[Reference, Rewrite] = {}
        self.authors: dict[Reference, str] = {}
        self.edits: list[tuple[str, Edit]] = []
        self.flags: list[Flag] = []
        self._given: dict[str, str] = {}

    @property
    def is_python(self) -> bool:
        """Whether the file is Python source, by its suffix or, for a script, by its first line."""
        return is_python(self.path, self.content)

    def has_suffix(self, suffixes: tuple[str, ...]) -> bool:
        """Whether the file is of a kind that one of these suffixes stands for."""
        named = self.path.endswith(suffixes) or (".env" in suffixes and is_config(self.path))
        return named or (self.is_python and ".py" in suffixes and not self.path.endswith(".pyi"))

    @cached_property
    def source(self) -> Source:
        """The parsed source. Raises `UnreadableSourceError`."""
        return Source(self.content)

    @cached_property
    def bindings(self) -> Bindings:
        """How names are bound in the file."""
        return Bindings(self.source)

    @cached_property
    def names(self) -> Names:
        """The names that the file, as it is, uses and mentions."""
        return Names.of(self.source.text)

    @cached_property
    def found(self) -> tuple[Found, ...]:
        """The references of a Python file with the expressions, imports and strings that they stand for."""
        return tuple(Places(self.source).find(self.references))

    @cached_property
    def is_shim(self) -> bool:
        """Whether the module only passes names on: imports, `X = Y`, `__all__`."""
        return is_shim(self.source.tree)

    @cached_property
    def module(self) -> str:
        """The dotted name under which the file is imported."""
        return self.workspace.module_of(self.path)

    @property
    def package(self) -> str:
        """The package that relative imports of the file start from."""
        if self.path.endswith(("__init__.py", "__init__.pyi")):
            return self.module
        return self.module.rpartition(".")[0]

    def of_role(self, *roles: str) -> Iterator[Found]:
        """The references in one of `roles` that the ledger does not keep, where the tree has something at their place."""
        for found in self.found:
            if found.reference.role in roles and found.reference.fate != "keep":
                yield found

    def symbol(self, reference: Reference) -> Symbol:
        """The configured symbol that a reference is to."""
        return self.workspace.symbols[reference.symbol]

    def reach(self, found: Found) -> Reach:
        """How the expression of `found` reaches its symbol."""
        if found.seen_from is None:
            return Reach()
        if imports := self.bindings.importing(found.head, found.seen_from):
            return Reach(imports)
        if aliases := self._aliases(found.head, found.seen_from):
            return Reach(aliases=aliases)
        if found.is_chain and self.bindings.is_loaded(found.head, found.seen_from):
            return Reach(loaded=True)
        if self.bindings.bound_otherwise(found.head, self.source.tree):
            return Reach()
        return Reach(stars=self.bindings.stars())

    def _aliases(self, name: str, node: ast.AST) -> tuple[Found, ...]:
        """The aliases that bind `name` as `node` sees it: those of the innermost scope around it that has any."""
        for scope in self.bindings.visible(node):
            if inner := tuple(found for found in self.aliases if found.binds == (name, scope)):
                return tuple(found.found for found in inner)
        return ()

    @cached_property
    def aliases(self) -> tuple[Alias, ...]:
        """The references by which the file gives a symbol another name, `name = Symbol` or `(name := Symbol)`."""
        return tuple(
            Alias(found, name, self.bindings.scope_of(found.node))
            for found in self.found
            if found.reference.role == ALIAS and found.node and (name := self.alias_name(found))
        )

    def alias_name(self, found: Found) -> str | None:
        """The name that an alias reference (`name = Symbol`) binds; None where it binds several."""
        match self.source.parents.get(found.node) if found.node else None:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                return name
            case ast.NamedExpr(target=ast.Name(id=name)):
                return name
        return None

    def flag(self, reference: Reference, kind: str, reason: str) -> Flag:
        """A flag at a reference."""
        return Flag(self.path, reference.line, kind, reason, reference.symbol, reference.column)

    def flag_at(self, node: ast.stmt | ast.expr, kind: str, reason: str, symbol: str = "") -> Flag:
        """A flag at a node of the file's tree."""
        return Flag(self.path, node.lineno, kind, reason, symbol)

    def importing(self, target: str, *, whole: bool, place: ast.AST | None = None) -> NewImport | None:
        """How the file can import `target` without touching another name; None where no way is free.

        `whole`: as `module.name`, because that is how the old one was written. A name of the target that the file
        already uses for something else is never taken: then the import goes through the module. A file that defines the
        target itself imports nothing: None there, unless `place` sees the definition.
        """
        origin = self.workspace.origin(target)
        if origin.rpartition(".")[0] == self.module:
            name = origin.rpartition(".")[2]
            return NewImport(origin, here=True) if place is not None and self._sees(place, name) else None
        plain = NewImport(target)
        if not whole and plain.module and self._is_free(plain):
            return plain
        dotted = NewImport(target, whole=True)
        return dotted if plain.module and not self.bindings.anything_else_binds(dotted.bound) else None

    def _sees(self, place: ast.AST, name: str) -> bool:
        """Whether `place` means the module's own definition of `name`, and runs when it is there."""
        defined = [node for node in self.source.tree.body if isinstance(node, DEFINITIONS) and node.name == name]
        scopes = list(self.bindings.visible(place))
        others = [scope for scope in scopes[:-1] if self.bindings.binds(name, scope)]
        if len(defined) != 1 or others or self.bindings.importing(name, self.source.tree):
            return False
        later = isinstance(place, ast.Constant) or any(isinstance(scope, FUNCTIONS) for scope in scopes)
        return later or self.source.span(defined[0])[1] <= self.source.span(place)[0]  # type: ignore[arg-type]

    def _is_free(self, need: NewImport) -> bool:
        given = self._given.get(need.bound)
        if given:
            return given == need.target
        return need.bound not in self.names.mentioned or self.has_import(need)

    def has_import(self, need: NewImport) -> bool:
        """Whether the module already binds exactly this import at its top, and nothing else under its name."""
        tree = self.source.tree
        same = [binding for binding in self.bindings.imports if binding.bound == need.bound]
        return (
            bool(same)
            and all(self.workspace.imported_name(self, b) == need.target and b.statement in tree.body for b in same)
            and not self.bindings.bound_otherwise(need.bound, tree)
        )

    def take(self, need: NewImport) -> None:
        """Remember that the file will import `need`, so that no other target gets its name."""
        if not need.whole:
            self._given[need.bound] = need.target

    def all_edits(self) -> list[Edit]:
        """What was decided so far, as edits; those of import statements are made at the end."""
        return [edit for rewrite in self.rewrites.values() for edit in rewrite.edits] + [edit for _, edit in self.edits]

    def encoded(self, text: str) -> bytes:
        """A text as the bytes of this file, which is no Python. Raises UnicodeEncodeError where its encoding lacks a character."""
        return text.encode(TextFile(self.path, self.content).encoding)

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a place that an edit names."""
        return self.source.line(offset) if self.is_python else self.content.count(b"\n", 0, offset) + 1
