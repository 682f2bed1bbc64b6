"""Strings that name a legacy symbol's module: what loads, runs or replaces it by name, its dotted name, its path.

The module outlives the symbol (`graphlift retire` leaves an alias in it), so its plain name is kept; a loader from which
names are taken that cannot be seen may depend on the symbol, and is flagged. Comments and docstrings are left to readers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from . import model
from .bindings import last_name
from .contexts import context_of, is_guard
from .documents import is_own_configuration, other_code
from .dynamic import BY_NAME, WHOLE
from .folding import folded, module_asked_for
from .literals import pieces
from .mention import FileFindings, Mention
from .resolve import Resolution
from .text import is_config

if TYPE_CHECKING:
    from .python import PythonFile
    from .scopes import Scope
    from .search import Search
    from .text import TextFile

LOADERS = frozenset(
    {
        "import_module", "__import__", "resolve_name", "run_module", "run_path", "find_spec", "import_string", "locate",
        "import_object", "import_from_string", "spec_from_file_location", "find_loader", "get_loader", "importorskip",
    }
)  # fmt: skip
"""Functions that load a module, or an object from one, by a string."""
BOUND = frozenset({"import_module", "__import__", "importorskip", "find_spec"})
"""Those of them that give the module itself (or only say whether there is one): names that are asked of it are seen."""
LAZY = ("__getattr__", "lazy", "attach")
TAKING = BY_NAME | WHOLE | {"object"}
"""Functions that take names from a module; those that cannot be seen are found by what takes them."""
_IMPORTS = re.compile(rb"[ \t]*(?:from|import)[ \t]")
_ASKS = re.compile(rb"\b(?:%s)\b|sys\.modules" % "|".join(sorted(LOADERS)).encode())
KEPT = "names the symbol's module, which stays"
FOLLOWED = "loads the symbol's module; the names that are taken from it are followed"
_RUN_MAGIC = re.compile(rb"%run\b|\brunfile\b")


@dataclass(frozen=True)
class Modules:
    """The modules that define a symbol and those that pass one on, each with (the first of) its symbols; their files."""

    defining: Mapping[str, str]
    passing: Mapping[str, str]
    files: Mapping[str, str]

    @classmethod
    def of(cls, search: Search, homes: Mapping[str, str]) -> Modules:
        """From all `homes` of symbols; a module that is a symbol itself is found by name, like any symbol."""
        layout, symbols = search.files.layout, search.vocabulary.symbols
        origins = {end.rpartition(".")[0] for symbol in symbols for end in search.resolver.behind(symbol)}
        defining = {
            module: symbol
            for module, symbol in homes.items()
            if module in origins and module not in symbols and not (layout.file(module) or "").endswith("__init__.py")
        }
        passing = {module: symbol for module, symbol in homes.items() if module not in symbols}
        return cls(defining, passing, {module: layout.file(module) or "" for module in defining})

    @property
    def words(self) -> frozenset[str]:
        """A word that stands in every file which may name one of the modules."""
        return frozenset(module.rpartition(".")[2] for module in (*self.defining, *self.passing))

    def may_be_in(self, content: bytes) -> bool:
        """Whether a file with these bytes may name one of the modules in a string; what it imports from them is no matter."""
        if _ASKS.search(content) or self._in_pieces.search(content):
            return True
        for hit in self.pattern.finditer(content):
            line = content[content.rfind(b"\n", 0, hit.start()) + 1 : hit.start()]
            if not _IMPORTS.match(line):
                return True
        return False

    @cached_property
    def _in_pieces(self) -> re.Pattern[bytes]:
        """Finds the end of a module's name, or of what follows it, where a string seems to be put together."""
        dotted = [module for module in self.defining if "." in module]
        ends = "|".join(sorted({re.escape(module.rpartition(".")[2]) for module in dotted})) or "(?!)"
        whole = "|".join(map(re.escape, dotted)) or "(?!)"
        end = rf"(?:['\"}})s]\.|[+,][ \t]*['\"])(?:{ends})['\"]"
        return re.compile(rf"{end}|(?:{whole})\.\w*['\"][\s+\\]*[rf]?['\"]".encode())

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Finds the dotted names and the paths of the defining modules in a text, none that is a part of a longer name."""
        names = [re.escape(module) for module in self.defining if "." in module]
        names += [rf"(?<=-m[ =]){re.escape(module)}" for module in self.defining if "." not in module]
        files = {re.escape(file.rpartition("/")[2]) for file in self.files.values()}
        dotted, last = "|".join(names) or "(?!)", "|".join(sorted(files)) or "(?!)"
        path = rf"(?<![\w.-])[/\\]?(?:[\w.-]+[/\\]+)*(?:{last})(?!\w|\.\w)"
        return re.compile(rf"(?:(?<![\w./\\:-])|(?<=\[mypy-))(?:{dotted})(?![\w:/-]|\.\w)|{path}".encode())

    def named_by(self, text: str) -> str | None:
        """The symbol whose module a hit of `pattern` names: by its name, or by a path that can be its file's."""
        if text in self.defining:
            return self.defining[text]
        path = re.sub(r"[\\/]+", "/", text).removeprefix("./")
        for module, file in self.files.items():
            short = f"{module.replace('.', '/')}.py"
            if "/" in path and (f"/{file}".endswith(f"/{path}") or f"/{path}".endswith((f"/{file}", f"/{short}"))):
                return self.defining[module]
            if path == file:
                return self.defining[module]
        return None


# -- texts -----------------------------------------------------------------------------------------------------------


def find_in_text(file: TextFile, modules: Modules) -> FileFindings:
    """The places of a file that is no Python at which a defining module is named."""
    found = FileFindings()
    code = is_config(file.path) or other_code(file) or file.path.endswith(".ipynb")
    for hit in modules.pattern.finditer(file.text):
        symbol = modules.named_by(hit.group().decode("utf-8", "replace"))
        if symbol is None or _is_import(file.text, hit) or is_own_configuration(file, hit.start()):
            continue
        context = context_of(file.path, model.MODULE_STRING) if code else "prose"
        runs = file.path.endswith(".ipynb") and _RUN_MAGIC.search(file.text, max(0, hit.start() - 30), hit.start())
        found.mentions.append(_mention(hit.span(), symbol, hit.group().decode(), context, "%run" if runs else ""))
    return found


def _is_import(text: bytes, hit: re.Match[bytes]) -> bool:
    """Whether a name stands in an import statement in a text: not the module is the reference there, but what is taken."""
    return re.search(rb"(?:import|from)[ \t]+[\w., ]*\Z", text[max(0, hit.start() - 200) : hit.start()]) is not None


# -- Python ----------------------------------------------------------------------------------------------------------


def find_in_strings(source: PythonFile, modules: Modules) -> FileFindings:
    """The strings of a Python file that name a module which defines a symbol, and what loads one that has it."""
    found = FileFindings()
    taken: set[ast.AST] = set()
    for call, scope in source.names.calls:
        if last_name(call.func) in LOADERS and (call.args or call.keywords):
            argument = call.args[0] if call.args else call.keywords[0].value
            if mention := _loaded(source, modules, call, argument, scope):
                found.mentions.append(mention)
                taken.add(argument)
    found.mentions.extend(_in_pieces(source, modules, taken))
    for node, scope in source.names.strings:
        parent = source.names.parents.get(node)
        if node not in taken and isinstance(node, ast.Constant) and not isinstance(parent, ast.Expr):
            found.mentions.extend(_in_string(source, modules, node, scope))
    return found


def _loaded(source: PythonFile, modules: Modules, call: ast.Call, argument: ast.expr, scope: Scope) -> Mention | None:
    asked, loader = module_asked_for(source, call, scope), last_name(call.func)
    if asked is None:
        return None
    symbol = modules.passing.get(source.resolver.own_name(asked)) or modules.named_by(asked)
    if symbol is None:
        return None
    plain = isinstance(argument, ast.Constant) and not str(argument.value).startswith(".")
    how = "" if loader in BOUND and _is_followed(source, call, plain) else f"{loader}()"
    return _placed(source, argument, scope, symbol, asked, how, FOLLOWED)


def _is_followed(source: PythonFile, call: ast.Call, plain: bool) -> bool:
    """Whether what a loader gives is asked for a name at once, or bound to one (followed by `plain` names), or not used."""
    match source.names.parents.get(call):
        case ast.Attribute() | ast.Expr() | ast.NamedExpr():
            return True
        case ast.Assign(targets=targets):
            return plain and all(isinstance(each, ast.Name) for each in targets)
        case ast.Call(func=func, args=[first, *_]) if first is call:
            return last_name(func) in TAKING
    return False


def _in_string(source: PythonFile, modules: Modules, node: ast.Constant, scope: Scope) -> Iterator[Mention]:
    """A string that is, or holds, the name or the path of a defining module."""
    value, text = node.value, source.file.text
    if not isinstance(value, str):
        return
    if _is_entry(source, node):
        return
    own = source.resolver.own_name(value) if value.replace(".", "_").isidentifier() else ""
    replaced = _in_sys_modules(source, node)
    if own in modules.defining and ("." in own or replaced):
        how = "sys.modules" if replaced and not _is_taken_from(source, node) else ""
        yield _placed(source, node, scope, modules.defining[own], value, how, KEPT)
        return
    start, end = source.span(node)
    for piece in pieces(text, start, end):
        for hit in modules.pattern.finditer(text, piece.inner_start, piece.inner_end):
            symbol = modules.named_by(hit.group().decode("utf-8", "replace"))
            if symbol and not _is_import(text, hit):
                context = "guard" if is_guard(source.names, node) else context_of(source.file.path, model.MODULE_STRING)
                yield _mention(hit.span(), symbol, hit.group().decode(), context, "", scope.qualname)


def _is_entry(source: PythonFile, node: ast.Constant) -> bool:
    """Whether a string is the module of an entry in a lazy-export map, where the name is the reference."""
    parents = source.names.parents
    around = parents.get(node)
    around = parents.get(around) if isinstance(around, ast.Tuple) else around
    exports = source.resolver.exports(source.module, LAZY) if isinstance(around, ast.Dict) else None
    return exports is not None and bool(exports.lazy)


def _is_taken_from(source: PythonFile, node: ast.Constant) -> bool:
    """Whether `sys.modules["m"]` is bound to a name, asked for one, or handed to what takes names."""
    subscript = source.names.parents[node]
    match source.names.parents.get(subscript) if isinstance(subscript, ast.Subscript) else None:
        case ast.Assign() | ast.Attribute():
            return isinstance(subscript, ast.Subscript) and isinstance(subscript.ctx, ast.Load)
        case ast.Call(func=func, args=[first, *_]) if first is subscript:
            return last_name(func) in TAKING
    return False


def _in_sys_modules(source: PythonFile, node: ast.AST) -> bool:
    """Whether a string is a key of `sys.modules`: a subscript, an entry that is patched in, a name that is set or deleted."""
    for parent in source.names.ancestors(node):
        if isinstance(parent, (ast.Subscript, ast.Compare, ast.Call)):
            start, end = source.span(parent)
            if b"sys.modules" in source.file.text[start:end]:
                return True
        elif isinstance(parent, ast.stmt):
            return False
    return False


def _placed(source: PythonFile, node: ast.expr, scope: Scope, symbol: str, text: str, how: str, kept: str) -> Mention:
    context = context_of(source.file.path, model.MODULE_STRING)
    if is_guard(source.names, node):
        context = "guard"
    return _mention(source.span(node), symbol, text, context, how, scope.qualname, kept)


def _mention(
    span: tuple[int, int],
    symbol: str,
    text: str,
    context: model.Context,
    how: str,
    function: str = "",
    kept: str = KEPT,
) -> Mention:
    reason = (
        f"may depend: {how} takes the symbol's module by name, and what is used of it cannot be seen" if how else kept
    )
    role = model.DYNAMIC_ACCESS if how else model.MODULE_STRING
    found = Resolution(symbol, (), (text, symbol), certain=False)
    return Mention(*span, role, found, context, function, reason=reason, flag=bool(how))


def _in_pieces(source: PythonFile, modules: Modules, taken: Collection[ast.AST]) -> Iterator[Mention]:
    """Paths of symbols and modules that strings give only when they are put together, so that no search finds the name."""
    for node, scope in _composed(source, dict(source.names.strings)):
        value = folded(source, node, scope)
        start, end = source.span(node)
        if value is None or node in taken or source.vocabulary.pattern.search(source.file.text, start, end):
            continue
        if symbol := _symbol(source, value):
            context = context_of(source.file.path, model.STRING_TARGET_DYNAMIC)
            chain = Resolution(symbol, (), (value, symbol), certain=False)
            yield Mention(
                start, end, model.STRING_TARGET_DYNAMIC, chain, context, scope.qualname,
                reason=f"written in pieces, it gives {value}", flag=True,
            )  # fmt: skip
        elif "." in value and value in modules.defining and not isinstance(node, ast.Constant):
            yield _placed(source, node, scope, modules.defining[value], value, "", KEPT)


def _composed(source: PythonFile, scopes: Mapping[ast.AST, Scope]) -> Iterator[tuple[ast.expr, Scope]]:
    """The strings of a file that are no part of a longer one, and the expressions that put strings together."""
    parents = source.names.parents
    for node in parents:
        if not isinstance(node, (ast.BinOp, ast.JoinedStr, ast.Constant, ast.Call)):
            continue
        if isinstance(parents[node], (ast.BinOp, ast.JoinedStr, ast.FormattedValue, ast.Expr)):
            continue
        scope = next((scopes[child] for child in ast.walk(node) if child in scopes), None)
        if scope is not None and not (isinstance(node, ast.Call) and last_name(node.func) not in ("format", "join")):
            yield node, scope


def _symbol(source: PythonFile, value: str) -> str | None:
    if value.replace(":", ".").rpartition(".")[2] not in source.vocabulary.own:
        return None
    if "." not in value and ":" not in value:
        return source.vocabulary.symbol_named(value)
    found = source.resolver.resolve(value.replace(":", "."))
    return found.symbol if found else None
