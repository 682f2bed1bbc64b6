"""Strings that name a binding follow the binding: `mock.patch` targets, `monkeypatch.setattr`, registries.

    patch("app.jobs.BFSWalker")      patch("app.jobs.build_graph")       # app/jobs.py now calls build_graph
    patch.object(jobs, "BFSWalker")  patch.object(jobs, "build_graph")

A patch works on the name that the code under test looks up, so what it becomes is read off the rewritten module and not off
the symbol. Where that is not one name (some uses stay, or none was a call), where the string names a member of the class,
or where it is put together at run time, it stays and is flagged. A string that names the symbol for something other than a
patch becomes the `called` target where it is handed to a function (`import_string("…")`) and no argument of the call would
have to change; of a symbol that only moved, every string follows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits import Edit
from ..ledger.lazy import entry_at
from ..ledger.literals import pieces
from ..ledger.model import LAZY_EXPORT, NAME_STRING, STRING_TARGET, STRING_TARGET_DYNAMIC, STRING_TARGET_MEMBER
from .exports import in_dunder_all
from .file import File
from .model import BaseCodemod, Rewrite, Said, Stage
from .moved import Moved, moved
from .places import Found

ROLES = (STRING_TARGET, STRING_TARGET_MEMBER, STRING_TARGET_DYNAMIC, NAME_STRING, LAZY_EXPORT)
PATCHERS = frozenset({"patch", "setattr", "delattr", "setitem", "object", "replace", "create_autospec", "spy", "stub"})


class RewriteStringTargets(BaseCodemod):
    """See the module's docstring."""

    id = "rewrite-string-targets"
    summary = "patch targets and other dotted paths in strings follow the rewritten binding"
    stage = Stage.STRINGS

    def rewrite(self, file: File) -> Iterator[Said]:
        """The strings of one file."""
        for found in file.of_role(*ROLES):
            role = found.reference.role
            if found.reference.symbol in file.workspace.module_symbols:
                continue
            if role == STRING_TARGET:
                yield from _dotted(file, found)
            elif role == NAME_STRING:
                yield from _name(file, found)
            elif role == LAZY_EXPORT:
                yield from _lazy_entry(file, found)
            else:
                yield file.flag(found.reference, role, found.reference.reason)


def _dotted(file: File, found: Found) -> Iterator[Said]:
    reference = found.reference
    if "." not in reference.text and ":" not in reference.text:
        yield from _name(file, found)
        return
    path = reference.text.replace(":", ".")
    if not _is_patch(file, found):
        yield from _registered(file, found)
        return
    split = file.workspace.split(path)
    result = moved(file.workspace, *split) if split else Moved()
    if result.stays:
        return
    if result.new is None:
        yield file.flag(reference, result.kind, result.reason)
        return
    yield from _replaced(file, found, path, result.new)


def _registered(file: File, found: Found) -> Iterator[Said]:
    """A string that somebody will import and, as far as anyone can see, call."""
    reference = found.reference
    symbol = file.symbol(reference)
    rules = symbol.arguments
    if not reference.certain:
        yield file.flag(reference, "string-target", reference.reason)
        return
    if _is_lazy_export(file, found) and symbol.alias_target:
        if left := _still_used(file, found.node) if found.node else "":
            yield file.flag(reference, "public-export", f"the entry stays: it is still used by {left}")
            return
        yield file.flag(reference, "public-export", f"a name that is exported lazily; it now is {symbol.alias_target}")
        yield from _replaced(file, found, reference.text.replace(":", "."), symbol.alias_target)
        return
    if symbol.call_target is None or rules.rename or rules.drop or rules.add:
        yield file.flag(reference, "string-target", "what the string is used for cannot be seen, and arguments change")
        return
    if symbol.to is None and not _is_argument(file, found):
        yield file.flag(reference, "string-target", "whether the string is called, or compared, cannot be seen")
        return
    yield from _replaced(file, found, reference.text.replace(":", "."), symbol.call_target)


def _lazy_entry(file: File, found: Found) -> Iterator[Said]:
    """`{"X": "legacy.walker"}`, `{"X": ("legacy.walker", "X")}`: the entry asks the new target's module; X stays public."""
    reference = found.reference
    entry = entry_at(file.source.parents, found.node) if found.node else None
    target = file.symbol(reference).alias_target
    texts = [_inside(file, each) for each in (entry.module, entry.name)] if entry else []
    places = [each for each in texts if each]
    if target is None or entry is None or len(places) != 2:
        yield file.flag(reference, "lazy-export", "the entry is not written in a way that can be rewritten")
        return
    new_module, _, new_name = target.rpartition(".")
    edits = [Edit(*places[0], new_module.encode())]
    if isinstance(file.source.parents.get(entry.name), ast.Tuple):
        edits.append(Edit(*places[1], new_name.encode()))
    elif entry.name.value != new_name:
        yield file.flag(reference, "lazy-export", f"{new_module} knows it as {new_name}, which the map cannot say")
        return
    if left := _still_used(file, entry.name):
        yield file.flag(reference, "public-export", f"the entry stays: it is still used by {left}")
        return
    yield file.flag(reference, "public-export", f"a name that is exported lazily; it now is {target}")
    yield Rewrite(reference, tuple(edits))


def _still_used(file: File, node: ast.AST) -> str:
    """Where a lazily exported name is still used after all rewrites; `node` stands in the entry of the map."""
    child = node
    for parent in file.source.ancestors(node):
        if isinstance(parent, ast.Dict):
            keys = [key for key, value in zip(parent.keys, parent.values, strict=True) if child in (key, value)]
            named = [key.value for key in keys if isinstance(key, ast.Constant)]
            left = [each for name in named for each in file.workspace.left_through(file, str(name))]
            return left[0].place if left else ""
        child = parent
    return ""


def _inside(file: File, node: ast.Constant) -> tuple[int, int] | None:
    """Where the text of a plain literal stands; None for one that is written in pieces or with escapes."""
    start, end = file.source.span(node)
    found = list(pieces(file.source.text, start, end))
    plain = len(found) == 1 and found[0].is_plain(file.source.text)
    return (found[0].inner_start, found[0].inner_end) if plain else None


def _is_argument(file: File, found: Found) -> bool:
    """Whether the string is handed to a function, as to one that imports what it names."""
    parent = file.source.parents.get(found.node) if found.node else None
    return isinstance(parent, (ast.Call, ast.keyword))


def _is_lazy_export(file: File, found: Found) -> bool:
    """Whether the string is the value of a table in a module with a `__getattr__` of its own."""
    lazy = any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in file.source.tree.body)
    return lazy and found.node is not None and isinstance(file.source.parents.get(found.node), ast.Dict)


def _replaced(file: File, found: Found, old: str, new: str) -> Iterator[Said]:
    text = file.source.text[found.start : found.end].decode("utf-8")
    if text.replace(":", ".") != old:
        yield file.flag(found.reference, "string-target-dynamic", "the string is not written in one piece")
        return
    shown = ":".join(new.rsplit(".", 1)) if ":" in text else new
    yield Rewrite(found.reference, (Edit(found.start, found.end, shown.encode()),))


def _name(file: File, found: Found) -> Iterator[Said]:
    """The bare name in `patch.object(module, "Name")` and the like; the chain says which binding it means."""
    reference = found.reference
    if found.node is None or in_dunder_all(file, found.node) or not reference.chain:
        return
    # The chain begins with what stands here, seen from this module; the name behind it is the one that is patched.
    split = file.workspace.split(reference.chain[min(1, len(reference.chain) - 1)])
    if split is None or not _is_patch(file, found):
        return
    result = moved(file.workspace, *split)
    if result.stays:
        return
    module, _, name = (result.new or "").rpartition(".")
    if result.new is None or module != split[0]:
        reason = result.reason or f"it is reached as {result.new} now, which is not in the module that is patched"
        yield file.flag(reference, result.kind or "string-target-partial", reason)
        return
    yield Rewrite(reference, (Edit(found.start, found.end, name.encode()),))


def _is_patch(file: File, found: Found) -> bool:
    if found.node is None:
        return False
    for parent in file.source.ancestors(found.node):
        match parent:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in PATCHERS:
                return True
            case ast.stmt():
                return False
    return False
