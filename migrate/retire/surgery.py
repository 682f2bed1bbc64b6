"""The edits of the legacy module: take statements out with their comments, thin imports, set the alias. Bytes outside stay."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..codemods.imports import ImportStatement, Statement
from ..codemods.lists import ItemList, Place
from ..edits import Edit, splice

if TYPE_CHECKING:
    from ..codemods.source import Source
    from .alias import Alias
    from .module import Dead, Module

_BLANK = re.compile(rb"(?:[ \t\f]*(?:\r\n|\n|\r))*")


def operate(module: Module, dead: Dead, alias: Alias) -> bytes:
    """The module's bytes without what is `dead` and with the alias in place."""
    return _with_alias(cut(module, dead, frozenset(alias.names)), module, alias)


def cut(module: Module, dead: Dead, exported: frozenset[str] = frozenset()) -> bytes:
    """The module's bytes without what is `dead`; the names in `exported` stay in `__all__`."""
    source = module.source
    edits = [_without(source, node) for node in dead.statements if not isinstance(node, ImportStatement)]
    edits += _thin_imports(source, dead)
    edits += _unexport(module, dead.names - exported)
    return splice(source.content, [source.to_file(edit) for edit in _merged(source, edits)])


def _without(source: Source, node: ast.stmt) -> Edit:
    """Take a statement out with the comments directly above it and the blank lines below it."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    start = source.offset(first, 0)
    while start > 0:
        above = source.line_start(start - 1)
        if not source.text[above:start].startswith(b"#"):
            break
        start = above
    end = source.line_end(source.span(node)[1])
    newline = re.compile(rb"\r\n|\n|\r").match(source.text, end)
    end = newline.end() if newline else end
    blank = _BLANK.match(source.text, end)
    end = blank.end() if blank else end
    return Edit(start, end, b"")


def _thin_imports(source: Source, dead: Dead) -> list[Edit]:
    edits: list[Edit] = []
    for node, aliases in dead.imports.items():
        parent = source.parents[node]
        whole_block = isinstance(parent, ast.If) and all(
            isinstance(other, ImportStatement) and len(dead.imports.get(other, ())) == len(other.names)
            for other in parent.body
        )
        if whole_block and isinstance(parent, ast.If):
            edits += [_without(source, parent)] if parent.body[0] is node else []
        else:
            edits += Statement(source, node).edits(aliases, ())
    return edits


def _unexport(module: Module, names: frozenset[str]) -> list[Edit]:
    gone = [index for index, item in enumerate(module.export_items) if item.value in names]
    node = module.export_list
    if not gone or node is None:
        return []
    start, end = module.source.span(node)
    if len(gone) == len(node.elts):
        return [Edit(start, end, b"[]" if isinstance(node, ast.List) else b"()")]
    items = [Place(*module.source.span(item)) for item in node.elts]
    return ItemList(module.source, items, end - 1).cut(gone)


def _merged(source: Source, edits: list[Edit]) -> list[Edit]:
    """Deletions next to each other as one; at the end of the file, the blank lines before them go as well."""
    merged: list[Edit] = []
    for edit in sorted(set(edits)):
        last = merged[-1] if merged else None
        if last and edit.start <= last.end and not edit.new and not last.new:
            merged[-1] = Edit(last.start, max(last.end, edit.end), b"")
        else:
            merged.append(edit)
    if merged and merged[-1] == Edit(merged[-1].start, len(source.text), b""):
        kept = source.text[: merged[-1].start].rstrip()
        newline = re.compile(rb"[ \t\f]*(?:\r\n|\n|\r)?").match(source.text, len(kept))
        merged[-1] = Edit(newline.end() if newline and kept else 0, len(source.text), b"")
    return merged


def _with_alias(content: bytes, module: Module, alias: Alias) -> bytes:
    from ..codemods.source import Source

    source = Source(content)
    newline = module.source.newline(0)
    edits = _lazy(source, alias) if alias.lazy else _eager(source, module, alias)
    shaped = [Edit(edit.start, edit.end, edit.new.replace(b"\n", newline)) for edit in edits]
    return splice(content, [source.to_file(edit) for edit in shaped])


def _eager(source: Source, module: Module, alias: Alias) -> list[Edit]:
    used = set(alias.names) <= module.exported
    line = alias.as_import() + ("" if used else "  # noqa: F401")
    place, before, after = _import_place(source)
    return [Edit(place, place, f"{before}{line}{after}".encode())]


def _import_place(source: Source) -> tuple[int, str, str]:
    """Where a new import goes, with the newlines around it: after the last import, else after the docstring, else first."""
    body = source.tree.body
    imports = [node for node in body if isinstance(node, ImportStatement)]
    if imports:
        return source.line_end(source.span(imports[-1])[1]), "\n", ""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return source.line_end(source.span(body[0])[1]), "\n\n", "\n" if len(body) > 1 else ""
    if not body:
        return len(source.text), "", "\n"
    # After what must come first: a shebang, a coding cookie, a licence; in the place of empty lines.
    first = source.offset(min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))]), 0)
    head = source.text[:first]
    place = len(head.rstrip()) and first
    return place, "", "\n" * max(1, 3 - (0 if place else len(head.splitlines())))


def _lazy(source: Source, alias: Alias) -> list[Edit]:
    edits = _type_checking_import(source)
    checked = f"if TYPE_CHECKING:\n    {alias.as_import()}\n"
    end = len(source.text)
    gap = "" if not source.text.strip() else "\n\n" if source.text.endswith((b"\n", b"\r")) else "\n\n\n"
    edits.append(Edit(end, end, f"{gap}{checked}\n\n{alias.as_lookup()}".encode()))
    return edits


def _type_checking_import(source: Source) -> list[Edit]:
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == "TYPE_CHECKING" for a in node.names):
            return []
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "typing" and node.names[0].name != "*":
            start, _ = source.span(node.names[0])
            return [Edit(start, start, b"TYPE_CHECKING, ")]
    place, before, after = _import_place(source)
    return [Edit(place, place, f"{before}from typing import TYPE_CHECKING{after}".encode())]
