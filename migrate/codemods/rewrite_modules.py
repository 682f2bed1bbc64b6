"""A module that moved (`legacy` names a module, `to` its new place) is imported, reached and patched at the new place.

    from legacy.walker import helper        from flows.engine import helper
    import legacy.walker as lw              import flows.engine as lw
    from legacy import walker               from flows import engine as walker
    legacy.walker.helper()                  flows.engine.helper()
    patch("legacy.walker.helper")           patch("flows.engine.helper")

A name that an import binds stays, so that nothing else in the file has to change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits import Edit
from ..ledger.model import MODULE_IMPORT, STRING_ANNOTATION, STRING_TARGET, STRING_TARGET_MEMBER
from .exports import binding_of
from .file import File
from .imports import NewImport, relative_to
from .model import BaseCodemod, Rewrite, Said, Stage
from .places import Found
from .referring import obstacle

_MEMBER = re.compile(rb"\s*\.\s*([\w\x80-\xff]+)")


class RewriteModules(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-modules"
    summary = "a module that moved (`to`) is imported, reached and patched at its new place"
    stage = Stage.REFERENCES

    def rewrite(self, file: File) -> Iterator[Said]:
        """The rewrites of one file."""
        for found in file.found:
            reference = found.reference
            target = file.symbol(reference).to
            if reference.symbol not in file.workspace.module_symbols or reference.context == "guard" or target is None:
                continue
            if reference.role == MODULE_IMPORT:
                yield from _imported(file, found, target)
            elif reference.role in (STRING_TARGET, STRING_TARGET_MEMBER):
                yield from _named(file, found, target)
            elif isinstance(found.node, (ast.Name, ast.Attribute)) or reference.role == STRING_ANNOTATION:
                yield from _reached(file, found, target)


def _imported(file: File, found: Found, target: str) -> Iterator[Said]:
    if found.statement is None:
        yield from _module_part(file, found, target)
        return
    binding = binding_of(file, found)
    if binding is None or file.bindings.in_fallback(binding):
        yield file.flag(
            found.reference, "try-except-fallback", "its import may fail, and what happens then would change"
        )
    elif isinstance(binding.statement, ast.Import) and binding.alias.asname:
        start, _ = file.source.span(binding.alias)
        edit = Edit(start, start + len(binding.alias.name.encode()), target.encode())
        yield Rewrite(found.reference, (edit,))
    elif isinstance(binding.statement, ast.ImportFrom):
        name = target.rpartition(".")[2]
        yield Rewrite(found.reference, (), NewImport(target, asname="" if name == binding.bound else binding.bound))


def _module_part(file: File, found: Found, target: str) -> Iterator[Said]:
    """`from legacy.walker import …`: the ledger's place is the module's name in the statement."""
    text = found.text(file.source)
    new = relative_to(target, file.package) if text.startswith(".") else target
    statement = next((b for b in file.bindings.imports if file.source.span(b.statement)[0] <= found.start
                      < file.source.span(b.statement)[1]), None)  # fmt: skip
    if statement is not None and file.bindings.in_fallback(statement):
        yield file.flag(
            found.reference, "try-except-fallback", "its import may fail, and what happens then would change"
        )
        return
    yield Rewrite(found.reference, (Edit(found.start, found.end, new.encode()),))


def _reached(file: File, found: Found, target: str) -> Iterator[Said]:
    if flag := obstacle(file, found):
        yield flag
        return
    imports = file.reach(found).imports
    if all(binding.alias.asname or isinstance(binding.statement, ast.ImportFrom) for binding in imports):
        # What the import binds keeps its name, so the use stays as it is.
        yield Rewrite(found.reference)
        return
    member = _MEMBER.match(file.source.text, found.end)
    need = file.importing(f"{target}.{member[1].decode()}", whole=True) if member else None
    if need is None:
        yield file.flag(found.reference, "name-collision", f"{target} cannot be reached by its own name here")
        return
    yield Rewrite(found.reference, (Edit(found.start, found.end, target.encode()),), need)


def _named(file: File, found: Found, target: str) -> Iterator[Said]:
    reference = found.reference
    old = found.text(file.source)
    if not f"{old}.".replace(":", ".").startswith(f"{reference.symbol}."):
        yield file.flag(reference, reference.role, "the module is named by another path")
        return
    end = found.start + len(reference.symbol.encode())
    yield Rewrite(reference, (Edit(found.start, end, target.encode()),))
