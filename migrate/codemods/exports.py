"""Which imports of a legacy symbol are used, by what in the file, and who else relies on the name that they bind.

Not a codemod: what the codemods that edit imports ask.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..ledger.bindings import last_name
from ..ledger.model import DOCSTRING_EXAMPLE, IMPORT, NAME_STRING, PATCHED, RE_EXPORT, STRING_ANNOTATION
from ..ledger.prose import TYPE_COMMENT

if TYPE_CHECKING:
    from .bindings import ImportBinding
    from .file import File
    from .places import Found

IMPORTS = (IMPORT, RE_EXPORT)
INTENDED = re.compile(rb"#\s*noqa(?!:)|#\s*noqa:[^#]*\bF401\b", re.IGNORECASE)
"""The comment by which an import says that it is unused on purpose."""


def binding_of(file: File, found: Found) -> ImportBinding | None:
    """The import binding that an import reference stands for."""
    return next((binding for binding in file.bindings.imports if binding.alias is found.alias), None)


def uses_of(file: File, binding: ImportBinding) -> list[Found]:
    """The references in the file that go through an import; a string that only names it for others is no use."""
    return [
        found
        for found in file.found
        if (isinstance(found.node, (ast.Name, ast.Attribute)) or found.reference.role == STRING_ANNOTATION)
        and binding in file.reach(found).imports
    ]


def is_used_up(file: File, binding: ImportBinding) -> bool:
    """Whether every use of an import of the symbol was rewritten, so that nothing in the file needs it any more."""
    return all(use.reference in file.rewrites for use in uses_of(file, binding)) and not in_example(file, binding)


def in_example(file: File, binding: ImportBinding) -> bool:
    """Whether an example in a docstring, which doctest runs with the module's names, stays as it is and uses the name."""
    return any(
        found.reference.role == DOCSTRING_EXAMPLE
        and found.reference not in file.rewrites
        and found.reference.text.partition(".")[0] == binding.bound
        for found in file.found
    )


def is_export(file: File, binding: ImportBinding) -> bool:
    """Whether the import's name is there for other modules: it says so itself, or they may take it without saying so.

    In a module that does nothing but pass names on, a name that is also used there may still be meant for others.
    """
    unused = not uses_of(file, binding) or file.is_shim or _is_imported_from(file, binding)
    listed = any(
        found.reference.role == NAME_STRING
        and found.node is not None
        and found.text(file.source) == binding.bound
        and in_dunder_all(file, found.node)
        for found in file.found
    )
    as_itself = binding.alias.asname is not None and binding.alias.asname == binding.alias.name
    in_package = file.path.endswith(("__init__.py", ".pyi"))
    at_run_time = binding.scope is file.source.tree and not _is_for_types(file, binding)
    taken = at_run_time and not file.workspace.holds_a_target(file) and file.workspace.may_be_taken(file, binding.bound)
    return listed or as_itself or taken or (unused and (in_package or _is_intended(file, binding)))


def _is_for_types(file: File, binding: ImportBinding) -> bool:
    """Whether the import stands under `if TYPE_CHECKING:`, where nobody finds its name as the program runs."""
    tests = (each.test for each in file.source.ancestors(binding.statement) if isinstance(each, ast.If))
    return any(last_name(test) == "TYPE_CHECKING" for test in tests)


def _is_imported_from(file: File, binding: ImportBinding) -> bool:
    """Whether another file takes the name from here; a string that patches it follows it, and counts for nothing."""
    at_top = binding.scope is file.source.tree
    return at_top and any(ref.role not in PATCHED for ref in file.workspace.named_through(file, binding.bound))


def in_dunder_all(file: File, node: ast.expr) -> bool:
    """Whether a string stands in `__all__`."""
    for parent in file.source.ancestors(node):
        match parent:
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AugAssign(target=ast.Name(id="__all__")):
                return True
            case ast.AnnAssign(target=ast.Name(id="__all__")):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"))):
                return True
    return False


def _is_intended(file: File, binding: ImportBinding) -> bool:
    """Whether a comment on the import says that it is unused on purpose."""
    start, end = file.source.span(binding.statement)
    return bool(INTENDED.search(file.source.text, start, file.source.line_end(end)))


def module_is_used_up(file: File, binding: ImportBinding) -> bool:
    """Whether nothing in the file needs the import of a module any more; in doubt it is needed.

    The ledger knows the uses that reach a legacy symbol; every other mention of the name in the same scope counts as one.
    """
    if not uses_of(file, binding) or not is_used_up(file, binding) or _in_type_comment(file, binding.bound):
        return False
    gone = {
        id(part)
        for found in file.found
        if found.reference in file.rewrites and found.node
        for part in ast.walk(found.node)
    }
    for node in ast.walk(binding.scope):
        if isinstance(node, ast.Name) and node.id == binding.bound and id(node) not in gone:
            if not _goes_elsewhere(file, binding, node) and not file.bindings.is_shadowed(node, binding):
                return False
            continue
        if isinstance(node, ast.Constant) and id(node) not in gone and _may_mention(file, node, binding.bound):
            return False
    return True


def _in_type_comment(file: File, name: str) -> bool:
    """Whether a type comment names something of a module that is no reference, or may: there are no nodes to look at."""
    taken = {found.start for found in file.found if found.reference in file.rewrites}
    pattern = re.compile(rb"(?<![\w.])%s(?!\w)" % re.escape(name.encode()))
    for comment in TYPE_COMMENT.finditer(file.source.text):
        end = file.source.line_end(comment.start())
        if any(hit.start() not in taken for hit in pattern.finditer(file.source.text, comment.end(), end)):
            return True
    return False


def _goes_elsewhere(file: File, binding: ImportBinding, name: ast.Name) -> bool:
    """Whether `a` in `a.c.f` is bound by another `import a.c`, where the import in question is `import a.b`."""
    if binding.alias.asname or isinstance(binding.statement, ast.ImportFrom):
        return False
    chain, node = name.id, file.source.parents.get(name)
    while isinstance(node, ast.Attribute):
        chain += f".{node.attr}"
        node = file.source.parents.get(node)
    others = [b for b in file.bindings.imports if b is not binding and b.bound == binding.bound and not b.alias.asname]
    covered = any(f"{chain}.".startswith(f"{other.alias.name}.") for other in others)
    return covered and not f"{chain}.".startswith(f"{binding.alias.name}.")


def _may_mention(file: File, node: ast.Constant, name: str) -> bool:
    """Whether a string is a quoted type that goes through `name`."""
    if not isinstance(node.value, str) or not re.search(rf"\b{re.escape(name)}\.", node.value):
        return False
    child: ast.AST = node
    for parent in file.source.ancestors(node):
        match parent:
            case ast.arg() | ast.Call(func=ast.Name(id="cast" | "TypeVar" | "NewType") | ast.Attribute(attr="cast")):
                return True
            case ast.AnnAssign(annotation=annotation):
                return annotation is child
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                return returns is child
            case ast.stmt():
                return False
        child = parent
    return False
