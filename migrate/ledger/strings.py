"""Names inside string literals: quoted annotations, patch targets, `__all__`, lazy maps, and text.

Each whole-word occurrence in a literal becomes a reference or is explained; a literal without one is not looked at.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace

from . import model
from .bindings import dotted, last_name
from .contexts import context_of, is_guard, is_type_checking
from .exports import listing
from .lazy import asks_for, entry_at
from .literals import Piece, is_docstring, pieces
from .mention import Explained, FileFindings, Mention
from .parsing import parse
from .prose import path_around, prose_role, prose_target
from .python import PythonFile
from .resolve import Resolution
from .roles import in_type_position
from .scopes import Scope
from .text import UnreadableError

PATH = re.compile(r"[^\W\d]\w*(?:[.:][^\W\d]\w*)+")
GETTERS = frozenset({"getattr", "hasattr", "setattr", "delattr"})
RUNNERS = frozenset({"exec", "eval", "compile", "timeit", "repeat", "run_module", "runsource", "runcode", "run_cell"})
"""Functions that run their first argument as Python."""
IMPORTING = re.compile(rb"(?m)(?:^|[;\n>]|\\n)[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w, ]+)")
PATCHES = frozenset({"object", "setattr", "delattr"})


def find_strings(source: PythonFile) -> FileFindings:
    """References in the string literals of a file."""
    finder = _StringFinder(source)
    for node, scope in source.names.strings:
        finder.string(node, scope)
    return finder.found


class _StringFinder:
    def __init__(self, source: PythonFile) -> None:
        self.source = source
        self.names = source.names
        self.text = source.file.text
        self.vocabulary = source.vocabulary
        self.found = FileFindings()
        self.listings = {
            id(child)
            for statement in ast.walk(source.tree)
            if isinstance(statement, ast.stmt) and (value := listing(statement)) is not None
            for child in ast.walk(value)
        } if b"__all__" in self.text else set()  # fmt: skip

    def string(self, node: ast.Constant | ast.JoinedStr, scope: Scope) -> None:
        start, end = self.source.span(node)
        if not self.vocabulary.pattern.search(self.text, start, end):
            return
        parent = self.names.parents.get(node)
        around = self.names.parents.get(parent) if parent else None
        all_pieces = list(pieces(self.text, start, end))
        for piece in all_pieces:
            hits = list(self.vocabulary.pattern.finditer(self.text, piece.inner_start, piece.inner_end))
            if not hits:
                continue
            if code := self._code(node, piece):
                self._script(node, piece, hits, scope, code)
                continue
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, bytes)
                and self._pickled(node, piece, hits, scope)
            ):
                continue
            composed = isinstance(node, ast.JoinedStr) or len(all_pieces) > 1 or _is_composed(parent, node)
            if composed or not piece.is_plain(self.text):
                self._pieced(node, piece, hits, scope)
            elif isinstance(node, ast.JoinedStr) or isinstance(node.value, bytes) or isinstance(parent, ast.Expr):
                self._prose(node, piece, hits, scope, is_docstring(node, parent, around))
            else:
                self._whole(node, piece, hits, scope)

    # -- code in strings -------------------------------------------------------------------------------------------

    def _code(self, node: ast.Constant | ast.JoinedStr, piece: Piece) -> str:
        """Why a string is code, or "": it is run as such, or imports something from where the symbol is."""
        if is_run(self.names.parents, node):
            return "code in a string that is run; it is not rewritten"
        parent = self.names.parents.get(node)
        if isinstance(parent, ast.Expr):
            return ""
        for line in IMPORTING.finditer(self.text, piece.inner_start, piece.inner_end):
            for name in re.findall(rb"\w+", line[2]):
                if self.source.resolver.resolve(f"{line[1].decode()}.{name.decode()}"):
                    return "code in a string; whether it is run cannot be seen"
        return ""

    def _script(self, node: ast.AST, piece: Piece, hits: list[re.Match[bytes]], scope: Scope, reason: str) -> None:
        for hit in hits:
            found, start, end = prose_target(self.source, hit)
            if found is None or self._in_field(node, hit):
                self.found.explained.append(Explained(*hit.span(), "another object in code in a string"))
            else:
                self._add(node, start, end, model.SCRIPT, found, scope, piece, reason=reason)

    def _pickled(self, node: ast.Constant, piece: Piece, hits: list[re.Match[bytes]], scope: Scope) -> bool:
        """Note the names in bytes that hold the module's name too, apart from the symbol's: a pickle has them so."""
        inner = self.text[piece.inner_start : piece.inner_end]
        named = [(hit, self._symbol_of(hit.group().decode())) for hit in hits]
        found = [(hit, symbol) for hit, symbol in named if symbol and symbol.rpartition(".")[0].encode() in inner]
        if not found or any(symbol.encode() in inner for _, symbol in found):
            return False
        for hit, symbol in found:
            reason = "bytes that name the module and the symbol in it, as a pickle does"
            self._maybe(node, *hit.span(), model.STRING_TARGET_DYNAMIC, symbol, scope, piece, reason)
        return True

    # -- literals whose value stands in the source -----------------------------------------------------------------

    def _whole(self, node: ast.Constant, piece: Piece, hits: list[re.Match[bytes]], scope: Scope) -> None:
        value = self.text[piece.inner_start : piece.inner_end].decode()
        if in_type_position(self.names, node) and self._annotation(node, piece, hits, scope):
            return
        if value in self.vocabulary.names:
            self._bare(node, piece, value, scope)
        elif PATH.fullmatch(value):
            self._path(node, piece, value, scope)
        else:
            self._prose(node, piece, hits, scope, False)

    def _annotation(self, node: ast.Constant, piece: Piece, hits: list[re.Match[bytes]], scope: Scope) -> bool:
        """Read a quoted annotation as the expression that it is; False where it is none."""
        value = self.text[piece.inner_start : piece.inner_end]
        lead = len(value) - len(value.lstrip())
        try:
            tree = parse(b"(" + value.strip() + b"\n)")
        except UnreadableError:
            return False
        lines = [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", value.strip()))]
        covered: list[tuple[int, int]] = []
        for child in ast.walk(tree):
            if not isinstance(child, (ast.Name, ast.Attribute)) or not (text := dotted(child)):
                continue
            parts = text.split(".")
            found = self.source.lookup(parts, scope)
            if found is None or found.members:
                continue
            # The opening parenthesis takes one column of the first line.
            offset = lines[child.lineno - 1] + child.col_offset - (child.lineno == 1)
            first = piece.inner_start + lead + offset
            covered.append((first, first + len(text.encode())))
            self._add(node, *covered[-1], model.STRING_ANNOTATION, found, scope, piece, parts[0])
        for hit in hits:
            if not any(first <= hit.start() < last for first, last in covered):
                self._unresolved(node, hit, scope, piece)
        return True

    def _unresolved(self, node: ast.Constant, hit: re.Match[bytes], scope: Scope, piece: Piece) -> None:
        name = hit.group().decode()
        home = scope.home(name)
        if b"Literal[" in self.text[piece.inner_start : hit.start()]:
            self.found.explained.append(Explained(*hit.span(), "a literal value in a quoted annotation"))
            return
        first, last = path_around(self.text, *hit.span())
        # Quotes within quotes: `"list['X']"`.
        if found := self.source.lookup(self.text[first:last].decode().split("."), scope):
            self._add(node, first, last, model.STRING_ANNOTATION, found, scope, piece, name)
            return
        if home is None:
            self.found.doubts[hit.start()] = "the name in this quoted annotation is not bound in this file"
        else:
            self.found.explained.append(Explained(*hit.span(), "a name bound to something else here"))

    def _path(self, node: ast.Constant, piece: Piece, value: str, scope: Scope) -> None:
        found = self.source.resolver.resolve(value.replace(":", "."))
        if found is None:
            return self._unknown_path(node, piece, value, scope)
        role = model.STRING_TARGET_MEMBER if found.members else model.STRING_TARGET
        return self._add(node, piece.inner_start, piece.inner_end, role, found, scope, piece)

    def _unknown_path(self, node: ast.Constant, piece: Piece, value: str, scope: Scope) -> None:
        parts = re.split("[.:]", value)
        name = next(part for part in parts if part in self.vocabulary.names)
        symbol = self.vocabulary.symbol_named(name)
        start, end = piece.inner_start, piece.inner_end
        if "." in value and (here := self.source.lookup(parts, scope)):
            # `TypedDict("T", {"w": "mod.X"})`: quoted, but where that is a type cannot be seen.
            reason = "reads like a name of this file; what reads the string cannot be seen"
            return self._maybe(node, start, end, model.STRING_TARGET, here.symbol, scope, piece, reason)
        if parts[0] in self.vocabulary.words and symbol:
            # `"BFSWalker.run"`: the name with a member, as a registry or a message has it.
            return self._maybe(
                node, start, end, model.NAME_STRING, symbol, scope, piece, "a string that begins with the name"
            )
        if symbol and parts[0] == symbol.partition(".")[0]:
            reason = "a dotted path that leads nowhere in the source folders; it may be the symbol"
            return self._maybe(node, start, end, model.STRING_TARGET, symbol, scope, piece, reason)
        if symbol and f".{symbol}.".find(f".{'.'.join(parts[: parts.index(name) + 1])}.") >= 0:
            reason = "the end of the symbol's path, or of a member's; it may be the symbol"
            return self._maybe(node, start, end, model.STRING_TARGET, symbol, scope, piece, reason)
        for hit in self.vocabulary.pattern.finditer(self.text, start, end):
            self.found.explained.append(Explained(*hit.span(), f"the path of another object: {value}"))
        return None

    def _bare(self, node: ast.Constant, piece: Piece, value: str, scope: Scope) -> None:
        start, end = piece.inner_start, piece.inner_end
        module = self.source.module
        if id(node) in self.listings:
            found = self.source.lookup([value], self.names.module)
            if found and not found.members:
                return self._add(node, start, end, model.NAME_STRING, found, scope, piece, value, shim=True)
            self.found.explained.append(Explained(start, end, "another object's name in __all__"))
            return None
        parent = self.names.parents.get(node)
        if isinstance(parent, ast.keyword):
            parent = self.names.parents.get(parent)
        if isinstance(parent, ast.Call) and (owner := self._owner(parent, node)) is not None:
            function = last_name(parent.func)
            found = self.source.lookup([*owner.split("."), value], scope)
            if found and not found.members:
                role = model.STRING_TARGET if isinstance(parent.func, ast.Attribute) else model.NAME_STRING
                return self._add(node, start, end, role, found, scope, piece, owner.partition(".")[0])
            if self.source.lookup(owner.split("."), scope) is None and function in GETTERS | PATCHES:
                return self._nameless(node, piece, value, scope, f"the name of an attribute of {owner}")
        if (
            (lazy := self.source.resolver.resolve(f"{module}.{value}"))
            and not lazy.members
            and self._is_lazy(node, value)
        ):
            role = self._lazy_role(node, lazy)
            self._add(node, start, end, role, lazy, scope, piece, value, shim=True)
            if role == model.LAZY_EXPORT and isinstance(parent, ast.Dict):
                self.found.mentions[-1] = replace(self.found.mentions[-1], fixed_name=True)
            return None
        return self._nameless(node, piece, value, scope, "a string that equals the name")

    def _lazy_role(self, node: ast.Constant, found: Resolution) -> str:
        """What asks the symbol's own module for it moves with the symbol; what asks another is that one's business."""
        entry = entry_at(self.names.parents, node)
        package = self.source.package or self.source.module
        ours = f"{found.symbol}.".startswith(f"{self.source.module}.")
        asked = entry is not None and asks_for(entry, package) == found.symbol and not ours
        return model.LAZY_EXPORT if asked else model.NAME_STRING

    def _owner(self, call: ast.Call, node: ast.Constant) -> str | None:
        """The object whose attribute a call names by `node`: `getattr(m, "X")`, `patch.object(m, "X")`."""
        function = last_name(call.func)
        if function not in (GETTERS if isinstance(call.func, ast.Name) else PATCHES):
            return None
        keywords = {each.arg: each.value for each in call.keywords}
        owner = call.args[0] if call.args else keywords.get("target")
        name = call.args[1] if len(call.args) > 1 else keywords.get("attribute", keywords.get("name"))
        if owner is None or name is not node:
            return None
        return str(owner.value) if isinstance(owner, ast.Constant) else dotted(owner) or None

    def _is_lazy(self, node: ast.Constant, value: str) -> bool:
        exports = self.source.resolver.exports(self.source.module, [value])
        in_table = isinstance(self.names.parents.get(node), (ast.Dict, ast.Tuple, ast.List, ast.Set, ast.Compare))
        return exports is not None and value in exports.lazy and in_table

    def _nameless(self, node: ast.Constant, piece: Piece, value: str, scope: Scope, what: str) -> None:
        """A bare string: a registry key, `__name__ == "X"`; an ordinary word is only explained."""
        start, end = piece.inner_start, piece.inner_end
        symbol = self._symbol_of(value)
        if symbol and value in self.vocabulary.words and value != value.lower():
            return self._maybe(
                node, start, end, model.NAME_STRING, symbol, scope, piece, f"{what}; it may mean the symbol"
            )
        self.found.explained.append(Explained(start, end, what))
        return None

    def _symbol_of(self, name: str) -> str | None:
        found = self.source.lookup([name], self.names.module)
        return found.symbol if found else self.vocabulary.symbol_of(name)

    # -- text ------------------------------------------------------------------------------------------------------

    def _pieced(
        self, node: ast.Constant | ast.JoinedStr, piece: Piece, hits: list[re.Match[bytes]], scope: Scope
    ) -> None:
        """An f-string, a joined or an escaped literal: the value is put together, so a path in it cannot be followed."""
        parent = self.names.parents.get(node)
        around = self.names.parents.get(parent) if parent else None
        inner = self.text[piece.inner_start : piece.inner_end]
        prose = b" " in inner.strip() or isinstance(parent, ast.Expr)
        for hit in hits:
            if self._in_field(node, hit):
                continue
            symbol = self._symbol_of(hit.group().decode())
            path = self.text[max(piece.inner_start, hit.start() - 1) : hit.start()] in (b".", b":")
            if symbol and path and not prose:
                reason = "a dotted path that is put together at run time"
                self._maybe(node, *hit.span(), model.STRING_TARGET_DYNAMIC, symbol, scope, piece, reason)
            else:
                self._prose(node, piece, [hit], scope, is_docstring(node, parent, around))

    def _in_field(self, node: ast.AST, hit: re.Match[bytes]) -> bool:
        """Whether a hit stands in a replacement field, where it is code."""
        if not isinstance(node, ast.JoinedStr):
            return False
        for child in ast.walk(node):
            if isinstance(child, (ast.Name, ast.Attribute)):
                start, end = self.source.span(child)
                if start <= hit.start() < end:
                    return True
        return False

    def _prose(
        self, node: ast.Constant | ast.JoinedStr, piece: Piece, hits: list[re.Match[bytes]], scope: Scope, doc: bool
    ) -> None:
        for hit in hits:
            name = hit.group().decode()
            if name not in self.vocabulary.words and not self.vocabulary.is_spelled_out(self.text, hit):
                self.found.explained.append(Explained(*hit.span(), "an ordinary word in a text"))
                continue
            found, start, end = prose_target(self.source, hit)
            if found is None:
                path = self.text[start:end].decode()
                self.found.explained.append(Explained(*hit.span(), f"another object in a text: {path}"))
                continue
            role = prose_role(self.source.file, hit.start()) if doc else model.PROSE
            mention = Mention(start, end, role, found, "prose", scope.qualname, "", (piece.start, piece.end))
            if not doc and is_guard(self.names, node):
                mention = replace(mention, context="guard")
            self.found.mentions.append(mention)

    # -- adding ----------------------------------------------------------------------------------------------------

    def _add(
        self, node: ast.AST, start: int, end: int, role: str, found: Resolution, scope: Scope, piece: Piece,
        local: str = "", *, shim: bool = False, reason: str = "",
    ) -> None:  # fmt: skip
        context = context_of(
            self.source.file.path, role, guard=is_guard(self.names, node), shim=shim,
            types=is_type_checking(self.names, node),
        )  # fmt: skip
        self.found.mentions.append(
            Mention(
                start,
                end,
                role,
                found,
                context,
                scope.qualname,
                local,
                (piece.start, piece.end),
                reason,
                bool(reason) and role != model.NAME_STRING,
            )
        )

    def _maybe(
        self, node: ast.AST, start: int, end: int, role: str, symbol: str, scope: Scope, piece: Piece, reason: str
    ) -> None:
        found = Resolution(symbol, (), (self.source.file.slice(start, end), symbol), certain=False)
        self._add(node, start, end, role, found, scope, piece, reason=reason)


def is_run(parents: Mapping[ast.AST, ast.AST], node: ast.AST) -> bool:
    """Whether a string is run as Python: handed to `exec` and the like, or what follows `-c` in a command."""
    child = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Call(args=parts) if (
                isinstance(child, ast.expr) and child in parts
            ):
                before = parts[parts.index(child) - 1] if child is not parts[0] else None
                if isinstance(before, ast.Constant) and before.value == "-c":
                    return True
                if isinstance(parent, ast.Call) and last_name(parent.func) in RUNNERS and child is parts[0]:
                    return True
                if not isinstance(parent, ast.Call) or last_name(parent.func) not in ("dedent", "strip", "compile"):
                    return False
            case ast.Attribute() | ast.BinOp() | ast.JoinedStr() | ast.Call() | ast.FormattedValue():
                pass
            case _:
                return False
        child = parent
    return False


def _is_composed(parent: ast.AST | None, node: ast.AST) -> bool:
    """Whether a literal is a part of a longer text: `"%s.X" % m`, `"m." + "X"`, `"{}.X".format(m)`."""
    match parent:
        case ast.BinOp(op=ast.Mod(), left=left):
            return left is node
        case ast.BinOp(op=ast.Add()):
            return True
        case ast.Attribute(attr="format" | "join"):
            return True
    return False
