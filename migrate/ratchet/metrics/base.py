"""What a metric is: it reads one tree under one rule and gives numbers by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ....plugins.types import Registered
from ..book import Rule
from ..keys import Key
from ..trees import Tree

if TYPE_CHECKING:
    from ...ledger.finders import ReferenceFinder


@dataclass(frozen=True)
class Reading:
    """A measured number, and the place to show for it: a path ("" where there is none) and a 1-based line."""

    value: int
    file: str = ""
    line: int = 1


@dataclass(frozen=True)
class Scope:
    """What is measured: a tree under one rule; `paths` are the rule's files that take part in this run, sorted.

    `limit` is given to `grow` only: the greatest cap that any key of the rule has. `finders` are for the ledger.
    """

    tree: Tree
    rule: Rule
    paths: tuple[str, ...]
    limit: int = 0
    finders: tuple[ReferenceFinder, ...] = ()


@runtime_checkable
class Metric(Registered, Protocol):
    """A number that may only fall."""

    @property
    def default_cap(self) -> int | None:
        """The cap of a key that neither the lock nor the rule caps; None: such a key has to be recorded first."""
        ...

    @property
    def by_file(self) -> bool:
        """Whether a key's place is a file, so that renames are followed and a file that goes takes its keys along."""
        ...

    def needs(self) -> Sequence[str]:
        """The fields of a rule without which this metric measures nothing (`symbols`, `names`)."""
        ...

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """The numbers in a scope.

        A key whose number is 0 may be left out, unless `by_file` and the file's number itself is what is capped.
        """
        ...

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """Files (whole contents) that, laid over the tree, must break the rule; empty where there is no way to tell.

        `graphlift ratchet prove` lays them over a copy and must then see the check fail.
        """
        ...
