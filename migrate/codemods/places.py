"""Match the ledger's references, which are places in bytes, to the nodes of a syntax tree that stand there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..ledger.model import STRING_ANNOTATION
from .source import Source

if TYPE_CHECKING:
    from ..ledger.model import Reference
    from .imports import ImportStatement


@dataclass(frozen=True)
class Found:
    """A reference and what it stands for; `start:end` is its place in `source.text`.

    `node` is the expression (for a name in quotes: the string), `alias` the name of the import statement `statement`.
    All are None for a reference in a comment, or where the tree has nothing at that place; `around` is the statement to
    which a type comment belongs.
    """

    reference: Reference
    start: int
    end: int
    node: ast.expr | None = None
    statement: ImportStatement | None = None
    alias: ast.alias | None = None
    around: ast.stmt | None = None

    @property
    def seen_from(self) -> ast.AST | None:
        """The node whose scope says what a name means there."""
        return self.node or self.around

    @property
    def is_chain(self) -> bool:
        """Whether the symbol is reached through a module: `walker.BFSWalker`."""
        return "." in self.reference.text

    @property
    def head(self) -> str:
        """The name in the file that leads to the symbol."""
        return self.reference.local or self.reference.text.partition(".")[0]

    def text(self, source: Source) -> str:
        """What stands there."""
        return source.text[self.start : self.end].decode("utf-8")


class Places:
    """The nodes of a source by their places."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def _expressions(self) -> dict[tuple[int, int], ast.expr]:
        kinds = (ast.Name, ast.Attribute)
        nodes = [node for node in self._source.nodes if isinstance(node, kinds)]
        found: dict[tuple[int, int], ast.expr] = {self._source.span(node): node for node in nodes}
        for node in nodes:
            if isinstance(node, ast.Attribute):
                # The member's name alone, for references to a member of an instance.
                end = self._source.span(node)[1]
                found.setdefault((end - len(node.attr.encode()), end), node)
        return found

    @cached_property
    def _aliases(self) -> dict[int, tuple[ImportStatement, ast.alias]]:
        """By where the name starts, and for a star also by where its statement does."""
        found: dict[int, tuple[ImportStatement, ast.alias]] = {}
        for node in self._source.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    found[self._source.span(alias)[0]] = (node, alias)
                if node.names[0].name == "*":
                    found[self._source.span(node)[0]] = (node, node.names[0])
        return found

    @cached_property
    def _strings(self) -> dict[tuple[int, int], ast.expr]:
        found: dict[tuple[int, int], ast.expr] = {}
        for node in self._source.nodes:
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                # The outermost wins: before Python 3.12 the parts of an f-string have the place of the whole.
                found.setdefault(self._source.span(node), node)
        return found

    def find(self, references: Iterable[Reference]) -> Iterator[Found]:
        """What each reference stands for, in their order."""
        for reference in references:
            start, end = self._source.from_file(reference.start), self._source.from_file(reference.end)
            if start in self._aliases:
                yield Found(reference, start, end, None, *self._aliases[start])
            elif (start, end) in self._expressions:
                yield Found(reference, start, end, self._expressions[start, end])
            elif (node := self._string(reference)) is not None or reference.role != STRING_ANNOTATION:
                yield Found(reference, start, end, node)
            else:
                yield Found(reference, start, end, around=self._statement(start))

    def _statement(self, offset: int) -> ast.stmt | None:
        """The innermost statement of the lines of which `offset` is; of a definition the head counts, up to its body."""
        line, best = self._source.line(offset), None
        for node in self._source.nodes:
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
                best = node
        return best

    def _string(self, reference: Reference) -> ast.expr | None:
        if reference.container is None:
            return None
        start, end = map(self._source.from_file, reference.container)
        if (start, end) in self._strings:
            return self._strings[start, end]
        # A piece of a literal that is written in several: the node is the whole.
        return next((node for (s, e), node in self._strings.items() if s <= start and end <= e), None)
