"""A codemod from any LibCST transformer: it gets the module, and what it changes becomes edits of the original bytes.

    class Rename(libcst.CSTTransformer): ...

    LibcstCodemod("my-rename", "what it does", transformer="my_plugin:Rename", needles=(b"add_node",))

The transformer is named by module and class, because a file that is large or nested deep is transformed in another process.
Where it takes arguments, `arguments` makes them (JSON data) for each file, from the ledger's references, for example; None
leaves the file out. Bytes that the transformer did not change stay, whatever their encoding and newlines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..edits import Edit, Flag
from ..edits.diff import line_differences
from .model import PYTHON, Stage
from .sandbox import TransformFailedError, transform

if TYPE_CHECKING:
    from .file import File
    from .model import Said


def _no_arguments(_file: File) -> dict[str, Any] | None:
    return {}


@dataclass(frozen=True)
class LibcstCodemod:
    """See the module's docstring. `needles`: also visit files that hold one of them, though no reference."""

    id: str
    summary: str
    transformer: str
    needles: tuple[bytes, ...] = ()
    arguments: Callable[[File], dict[str, Any] | None] = _no_arguments
    stage: Stage = Stage.OTHER
    suffixes: tuple[str, ...] = PYTHON
    opt_in: bool = False

    def rewrite(self, file: File) -> Iterator[Said]:
        """What the transformer changes in one file, as edits; or a flag where LibCST cannot do it."""
        arguments = self.arguments(file)
        if arguments is None:
            return
        before = file.source.text
        try:
            after = transform(before.decode("utf-8"), file.source.tree, self.transformer, arguments)
        except TransformFailedError as error:
            yield Flag(file.path, 1, "not-transformed", str(error))
            return
        for start, end, new in line_differences(before, after.encode("utf-8")):
            yield Edit(start, end, new)
