"""References by name and attribute in one Python file; what reads alike and is something else is explained."""

from __future__ import annotations

import ast
from dataclasses import replace

from . import model
from .bindings import dotted, last_name
from .mention import Explained, FileFindings
from .notes import Notes
from .python import PythonFile
from .roles import role_of
from .scopes import Scope
from .vocabulary import is_distinctive

_KINDS = {
    "parameter": "a parameter",
    "class": "another class of this name",
    "function": "another function of this name",
}


def find_names(source: PythonFile) -> FileFindings:
    """References by name, attribute, import and definition; what reads alike and is something else is explained."""
    return _NameFinder(source).run()


class _NameFinder:
    def __init__(self, source: PythonFile) -> None:
        self.source = source
        self.names = source.names
        self.found = FileFindings()
        self.notes = Notes(source, self.found)
        self.vocabulary = source.vocabulary
        self._taken: set[ast.AST] = set()

    def run(self) -> FileFindings:
        self._definitions()
        rooted = self._roots()
        for name, scope in self.names.names:
            if name.id in self.source.leading or name in rooted:
                self._chain(name, scope)
        self._leftover_attributes()
        self._leftover_names()
        self._words()
        return self.found

    # -- references ------------------------------------------------------------------------------------------------

    def _definitions(self) -> None:
        for node, scope in self.names.definitions:
            if node.name not in self.vocabulary.names:
                continue
            start, end = self.source.name_span(node)
            if found := self.source.own_definitions.get(node):
                self.notes.add(node, start, end, model.DEFINITION, found, scope, local=node.name)
            else:
                what = "class" if isinstance(node, ast.ClassDef) else "function"
                qualname = self.source.qualified(scope, node.name)
                self.found.explained.append(Explained(start, end, f"another {what} of this name: {qualname}"))

    def _roots(self) -> set[ast.AST]:
        """The first names of the chains of attributes in which a name to look for stands."""
        found: set[ast.AST] = set()
        for attribute, _ in self.names.attributes:
            if attribute.attr in self.vocabulary.names:
                node: ast.expr = attribute
                while isinstance(node, ast.Attribute):
                    node = node.value
                found.add(node)
        return found

    def _chain(self, name: ast.Name, scope: Scope) -> None:
        chain: list[ast.expr] = [name]
        parts = [name.id]
        while isinstance(parent := self.names.parents.get(chain[-1]), ast.Attribute) and parent.value is chain[-1]:
            chain.append(parent)
            parts.append(parent.attr)
        found = self.source.lookup(parts, scope)
        if found is None:
            return
        index = len(chain) - 1 - len(found.members)
        if index < 0:
            # The name stands for a member of the symbol; where it was taken from the symbol is the reference.
            return
        node = chain[index]
        self._taken.add(node)
        start, end = self.source.span(node)
        role = role_of(self.names, node)
        self.notes.add(node, start, end, role, found, scope, local=name.id)

    # -- what is no reference --------------------------------------------------------------------------------------

    def _leftover_attributes(self) -> None:
        for node, scope in self.names.attributes:
            if node.attr in self.vocabulary.names and node not in self._taken:
                _, end = self.source.span(node)
                self._explain_attribute(node, scope, end - len(node.attr.encode()), end)

    def _explain_attribute(self, node: ast.Attribute, scope: Scope, start: int, end: int) -> None:
        text = dotted(node)
        root, _, rest = text.partition(".")
        owner = scope.enclosing_class()
        if root in ("self", "cls") and owner is not None and "." not in rest:
            found = self.source.lookup([node.attr], owner) if node.attr in owner.bindings else None
            if found:
                whole, _ = self.source.span(node)
                return self.notes.add(node, whole, end, role_of(self.names, node), found, scope, local=root)
        if text and (home := scope.home(root)):
            targets = [each.target for each in home.bindings[root] if each.kind == "import"]
            if len(targets) == len(home.bindings[root]):
                return self.notes.explain_target(f"{targets[0]}.{rest}", node, scope, start, end)
        symbol = self.vocabulary.symbol_named(node.attr)
        if symbol and is_distinctive(node.attr) and not _owner_defines(scope, root, node.attr):
            reason = "attribute of an object that cannot be followed; it may be the symbol"
            return self.notes.maybe(node, symbol, reason, scope)
        self.found.explained.append(
            Explained(start, end, f"an attribute of another object: {text or '….' + node.attr}")
        )
        return None

    def _leftover_names(self) -> None:
        for node, scope in self.names.names:
            if node.id not in self.vocabulary.names or node in self._taken:
                continue
            start, end = self.source.span(node)
            home = scope.home(node.id)
            if home is None:
                self._unbound(node, scope, start, end)
                continue
            bindings = home.bindings[node.id]
            targets = [each.target for each in bindings if each.kind == "import"]
            if targets and len(targets) == len(bindings):
                self.notes.explain_target(targets[0], node, scope, start, end)
                continue
            what = _KINDS.get(bindings[0].kind, f"a {'module' if home.kind == 'module' else 'local'} variable")
            self.found.explained.append(Explained(start, end, what))

    def _unbound(self, node: ast.Name, scope: Scope, start: int, end: int) -> None:
        """A name that nothing in the file binds: from a star import that cannot be read, or from nowhere."""
        if isinstance(self.names.parents.get(node), ast.AnnAssign) and isinstance(node.ctx, ast.Store):
            self.found.explained.append(Explained(start, end, "a name that is only declared here"))
            return
        outside = [star for star in self.source.stars if not self.source.resolver.has_file(star)]
        symbol = self.vocabulary.symbol_named(node.id)
        if symbol and any(star.partition(".")[0] == symbol.partition(".")[0] for star in outside):
            self.notes.maybe(
                node, symbol, "may come from a star import of a module that is not in the source folders", scope
            )
        elif outside:
            self.found.explained.append(Explained(start, end, f"from a star import of another package: {outside[0]}"))
        else:
            self.found.doubts[start] = "the name is not bound in this file"

    def _words(self) -> None:
        for node, word, what in self.names.words:
            if word not in self.vocabulary.names:
                continue
            start, end = self.source.span(node)
            for hit in self.vocabulary.pattern.finditer(self.source.file.text, start, end):
                if hit.group().decode() == word:
                    if not (isinstance(node, ast.keyword) and self._patched(node, *hit.span())):
                        self.found.explained.append(Explained(*hit.span(), what))
                    break

    def _patched(self, node: ast.keyword, start: int, end: int) -> bool:
        """`patch.multiple("legacy.walker", BFSWalker=…)`: the keyword names what is patched."""
        call = self.names.parents.get(node)
        if not isinstance(call, ast.Call) or last_name(call.func) != "multiple":
            return False
        owner = (
            call.args[0] if call.args else next((each.value for each in call.keywords if each.arg == "target"), None)
        )
        scope = self.source.scope_at(node.lineno)
        if isinstance(owner, ast.Constant) and isinstance(owner.value, str):
            found = self.source.resolver.resolve(f"{owner.value}.{node.arg}")
        else:
            text = dotted(owner) if owner else ""
            found = self.source.lookup([*text.split("."), node.arg or ""], scope) if text else None
        if found is None:
            return False
        role = model.STRING_TARGET_MEMBER if found.members else model.STRING_TARGET
        self.notes.add(node, start, end, role, found, scope, local="")
        reason = "a keyword that names what is patched; it is not rewritten"
        self.found.mentions[-1] = replace(self.found.mentions[-1], reason=reason, flag=True)
        return True


def _owner_defines(scope: Scope, root: str, name: str) -> bool:
    """Whether `root` is an instance's own name (`self`) and its class binds `name`."""
    owner = scope.enclosing_class()
    return root in ("self", "cls") and owner is not None and name in owner.bindings
