"""What a codemod is, and what it says: rewrites of references, bare edits, flags.

A codemod reads and yields; it never writes. The engine (`engine.py`) calls codemods stage by stage, so that one which
edits imports sees what the ones before it rewrote, in every file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..edits import Edit, Flag

if TYPE_CHECKING:
    from ..ledger.model import Reference
    from .file import File
    from .imports import NewImport

PYTHON = (".py", ".pyi", ".pyw")
"""The suffixes of Python; a script that is Python by its first line counts as one of them."""


class Stage(IntEnum):
    """When a codemod runs. A stage sees everything that earlier stages decided."""

    REFERENCES = 10
    ALIASES = 20
    IMPORTS = 30
    STRINGS = 40
    OTHER = 50


@dataclass(frozen=True)
class Rewrite:
    """One reference becomes something else: the edits of the file's text, and the import that the new text needs.

    For the reference of an import, no edit is given: its name is taken out of the statement, with `need` in its place.
    """

    reference: Reference
    edits: tuple[Edit, ...] = ()
    need: NewImport | None = None


Said = Rewrite | Edit | Flag


@runtime_checkable
class Codemod(Protocol):
    """One kind of rewrite, registered through the hook `graphlift_codemods`.

    `id` and `summary` list and select it; an `opt_in` codemod runs only where it is named with `--only`. `rewrite` is
    called for each file with one of `suffixes` that holds a reference or one of the byte strings `needles`.
    """

    @property
    def id(self) -> str:
        """The stable name, by which it is selected and counted."""
        ...

    @property
    def summary(self) -> str:
        """One line for `graphlift codemod --list`."""
        ...

    @property
    def stage(self) -> Stage:
        """When it runs."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The ends of the paths that it is called for."""
        ...

    @property
    def needles(self) -> tuple[bytes, ...]:
        """What a file without references must hold one of to be looked at too; () for files with references only."""
        ...

    @property
    def opt_in(self) -> bool:
        """Whether it runs only where it is named."""
        ...

    def rewrite(self, file: File) -> Iterable[Said]:
        """What to change in `file`.

        Yields `Rewrite`s of references, bare `Edit`s, and `Flag`s for what a person must decide. Edits are byte offsets
        into `file.source.text` for Python, into `file.content` otherwise. What overlaps an earlier edit is dropped, and
        flagged.
        """
        ...


class BaseCodemod:
    """Defaults for a codemod over Python references; subclassing is a convenience, not a duty."""

    id: str = ""
    summary: str = ""
    stage: Stage = Stage.OTHER
    suffixes: tuple[str, ...] = PYTHON
    needles: tuple[bytes, ...] = ()
    opt_in: bool = False
