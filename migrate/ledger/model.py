"""What the ledger is: references, occurrences, lookalikes and unreadable files, as frozen data.

Nothing here reads a file or decides anything. Lines and columns count from 1, columns in characters; `start` and `end`
are offsets into the file's own bytes, whatever its encoding, byte order mark and newlines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from .signatures import Signature

Context = Literal["live", "test", "type-only", "shim", "prose", "guard"]
Fate = Literal["rewrite", "keep", "flag"]

IMPORT: Final = "import"
"""`from m import X [as Y]`: the span is the name with its `as`, the container the statement."""
MODULE_IMPORT: Final = "module-import"
"""`import m [as n]` or `from p import m`: a module through which the symbol is reached, or the symbol itself."""
STAR_IMPORT: Final = "star-import"
"""`from m import *` where `m` exposes the symbol."""
RE_EXPORT: Final = "re-export"
"""An import whose name is there for other modules: a package's `__init__`, `X as X`, in `__all__`, or imported from here."""
CALL: Final = "call"
"""`X(…)`: a construct or a call; the span is the callee."""
ANNOTATION: Final = "annotation"
"""An annotation, or an argument that a typing function reads as a type (`cast`, a bound, a `type` statement)."""
STRING_ANNOTATION: Final = "string-annotation"
"""The same inside quotes: the span is the name inside the string, the container the string literal."""
SUBCLASS: Final = "subclass"
"""`class Y(X)`."""
ALIAS: Final = "alias"
"""`Y = X` in a module, a class or a function: the span is the value."""
ISINSTANCE: Final = "isinstance"
"""The second argument of `isinstance` or `issubclass`, or a part of it; an `except` clause."""
CLASS_PATTERN: Final = "class-pattern"
"""`case X(…)`."""
CLASS_ATTRIBUTE: Final = "class-attribute"
"""`X.member`: the span is `X`."""
ESCAPE: Final = "escapes-as-value"
"""Any other use as a value: an argument, a return, an element of a container, a comparison."""
DECORATOR: Final = "decorator"
"""`@X` or `@X(…)`."""
PARTIAL: Final = "partial"
"""The first argument of `functools.partial` or `partialmethod`."""
NAME_STRING: Final = "name-string"
"""The bare name in a string that names it for others: `__all__`, `getattr(module, "X")`, a lazy-export map's key."""
LAZY_EXPORT: Final = "lazy-export"
"""The name in an entry of a lazy-export map by which the symbol's own module is asked for it."""
STRING_TARGET: Final = "string-target"
"""A string that is the dotted path of the symbol, or of a name that is bound to it."""
STRING_TARGET_MEMBER: Final = "string-target-member"
"""A string that is the dotted path of a member of the symbol."""
STRING_TARGET_DYNAMIC: Final = "string-target-dynamic"
"""The name in a string that is put together at run time (an f-string, `%`, `+`, `format`)."""
PRIVATE_MEMBER: Final = "private-member"
"""`x._member` where `x` is, or may be, an instance of the symbol; the span is the member's name."""
MISSING_MEMBER: Final = "missing-member"
"""`x.member` that cannot work: the symbol, or what its method returns, has no such member; the span is the name."""
CONFIG: Final = "config"
"""A dotted path in a configuration file: TOML, INI, YAML, JSON."""
PROSE: Final = "prose"
"""The name in a document or in a docstring's text."""
DOCSTRING_EXAMPLE: Final = "docstring-example"
"""The name in code inside a docstring (a doctest, a block) or a document's code block."""
COMMENT: Final = "comment"
"""The name in a comment."""
SCRIPT: Final = "script"
"""The name in code that is not read as Python: Cython, a shell script, `python -c` in CI, a notebook's magic, `exec`."""
DYNAMIC_ACCESS: Final = "dynamic-access"
"""`getattr(m, name)`, `vars(m)`, `m.__dict__` of a module that has the symbol; the span is the module's expression."""
MODULE_STRING: Final = "module-string"
"""A string, or a place in a text, that names the module which defines the symbol: `import_module("m")`, `-m m`, `pkg/m.py`."""
DEFINITION: Final = "definition"
"""Where the symbol, or an alias of it, is defined, rebound or deleted; the span is the name."""

ROLES: Final = (
    IMPORT, MODULE_IMPORT, STAR_IMPORT, RE_EXPORT, CALL, ANNOTATION, STRING_ANNOTATION, SUBCLASS, ALIAS, ISINSTANCE,
    CLASS_PATTERN, CLASS_ATTRIBUTE, ESCAPE, DECORATOR, PARTIAL, NAME_STRING, LAZY_EXPORT, STRING_TARGET, STRING_TARGET_MEMBER,
    STRING_TARGET_DYNAMIC, PRIVATE_MEMBER, MISSING_MEMBER, CONFIG, PROSE, DOCSTRING_EXAMPLE, COMMENT, SCRIPT, DYNAMIC_ACCESS,
    MODULE_STRING, DEFINITION,
)  # fmt: skip


_APART: Final = frozenset({MODULE_STRING, DEFINITION})

PATCHED: Final = frozenset({STRING_TARGET, STRING_TARGET_MEMBER, STRING_TARGET_DYNAMIC})
"""Strings that name a binding where it is used: patching a name there does not make it an export."""


@dataclass(frozen=True, order=True)
class Reference:
    """One occurrence of a legacy symbol, under its own name or an alias.

    `symbol` is the configured dotted name. `chain` says how the place reaches it, from what stands here to the
    definition (`("app.jobs.Walker", "legacy.BFSWalker", "legacy.walker.BFSWalker")`). `function` is the enclosing
    function's or class's qualified name, "" at a module's top. `text` is what stands in the span.

    For edits: `local` is the name in this file that leads to the symbol (what an import binds; the first name of an
    expression), `container` is the span of the import statement or of the string literal that holds the reference, and
    `certain` is False where the place only may refer to it (another binding of the same name, an unknown instance).
    `inside` marks a place in the symbol's own definition; `own_target` is the target of the symbol in whose definition
    the place stands, "" elsewhere.
    """

    file: str
    line: int
    column: int
    start: int
    end: int
    symbol: str
    role: str
    context: Context
    fate: Fate
    reason: str
    chain: tuple[str, ...] = ()
    function: str = ""
    text: str = ""
    local: str = ""
    container: tuple[int, int] | None = None
    certain: bool = True
    inside: bool = False
    own_target: str = ""

    @property
    def place(self) -> str:
        """`file:line:column`."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class Occurrence:
    """A name's place in a file's text that no reference and no explanation covers; `reason` says what was tried."""

    file: str
    line: int
    column: int
    start: int
    end: int
    text: str
    reason: str = ""


@dataclass(frozen=True, order=True)
class Lookalike:
    """A place that reads like a legacy symbol and is not one, with the explanation."""

    file: str
    line: int
    column: int
    start: int
    end: int
    text: str
    reason: str


@dataclass(frozen=True, order=True)
class Unreadable:
    """A file that names a legacy symbol, or might, and could not be read; with the reason."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, order=True)
class LeftOut:
    """What belongs to the source folders and was not looked at: a link that leads out, a submodule that is not checked out."""

    path: str
    reason: str


@dataclass(frozen=True)
class Ledger:
    """Every reference to the legacy symbols, sorted by file and place, and what could not be explained.

    `signatures` says, by symbol, what a call may pass, where the definition is in sight and says it all.
    """

    references: tuple[Reference, ...] = ()
    unexplained: tuple[Occurrence, ...] = ()
    lookalikes: tuple[Lookalike, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    signatures: Mapping[str, Signature] = field(default_factory=dict, repr=False, compare=False)
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every place is explained and every file was read."""
        return not self.unexplained and not self.unreadable

    def live(self, symbol: str | None = None) -> tuple[Reference, ...]:
        """References in production code that runs, of one symbol, if given.

        Left out: the symbol's own definition, and what names no more than its module, which stays.
        """
        return tuple(
            each
            for each in self.references
            if each.context == "live" and each.role not in _APART and not each.inside and symbol in (None, each.symbol)
        )

    def in_file(self, file: str) -> tuple[Reference, ...]:
        """The references of one file."""
        return tuple(reference for reference in self.references if reference.file == file)

    def summary(self) -> dict[str, object]:
        """Counts: of references by role, context and fate, of files, of live references, and of what is not explained."""
        return {
            "references": len(self.references),
            "files": len({reference.file for reference in self.references}),
            "live": len(self.live()),
            "unexplained": len(self.unexplained),
            "unreadable": len(self.unreadable),
            "left_out": len(self.left_out),
            "lookalikes": len(self.lookalikes),
            "roles": _counts(reference.role for reference in self.references),
            "contexts": _counts(reference.context for reference in self.references),
            "fates": _counts(reference.fate for reference in self.references),
        }


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
