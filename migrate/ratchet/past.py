"""The ratchet as it was at a commit: its two files, its numbers under today's rules, and the renames since. Read from git."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...adapters.errors import EnvironmentProblem
from ...plugins.configuration import RatchetSettings
from .book import Book, parse_book
from .judge import Past, Side
from .keys import Key
from .lock import parse_lock
from .measuring import covering, is_armed, measure
from .settings import settings_at

if TYPE_CHECKING:
    from .checking import Workbench
    from .trees import StoredTree, Tree


def make_side(book: Book, lock_text: str | None, lock_name: str, tree: Tree) -> Side:
    """The two files as one, with the rules that wait for their condition in `tree`."""
    lock = parse_lock(lock_text, lock_name) if lock_text is not None else {}
    waiting = frozenset(rule.id for rule in book.rule if not is_armed(rule, tree, lock))
    return Side(book, lock, waiting)


def past_of(bench: Workbench, tree: StoredTree, staged: bool, name: str = "the merge base") -> Past:
    """Everything that can be asked about the commit of `tree`; only its two files are read at once."""
    side, renames = _side(bench, tree), _LazyRenames(tree, staged)
    return Past(side, renames, _Value(bench, tree), tree.paths.__contains__, name, tree.preload)


def stored(bench: Workbench, tree: StoredTree) -> tuple[tuple[str, bytes | None], tuple[str, bytes | None]]:
    """The name and the content (None: no such file) of the people's file and of the tool's at a commit."""
    rules, lock = _names(bench, tree)
    return (rules, _content(tree, rules)), (lock, _content(tree, lock))


def _side(bench: Workbench, tree: StoredTree) -> Side:
    """A base without rules caps nothing: the ratchet begins on this branch."""
    (rules_name, rules), (lock_name, lock) = stored(bench, tree)
    at = f" at {tree.revision[:10]}"
    book = parse_book(rules.decode("utf-8-sig", "replace"), rules_name + at) if rules is not None else Book()
    return make_side(book, lock.decode("utf-8-sig", "replace") if lock is not None else None, lock_name + at, tree)


def _content(tree: StoredTree, name: str) -> bytes | None:
    """A file of a commit, None where the commit has none; one that git cannot give is an error, since it may hold caps."""
    content = tree.git.show(tree.revision, name)
    if content is None and name in tree.paths:
        mend = "fetch it: `git fetch --refetch --no-filter`, or look at the repository with `git fsck`"
        raise EnvironmentProblem(f"git cannot read it at the merge base {tree.revision[:10]}", where=name, mend=mend)
    return content


def _names(bench: Workbench, tree: StoredTree) -> tuple[str, str]:
    """Where the commit kept the two files: a configuration that names others must not make it look empty."""
    names = (settings_at(tree) or {}).get("ratchet", {})
    defaults = RatchetSettings()
    found = str(names.get("rules", defaults.rules)), str(names.get("lock", defaults.lock))
    return found if found[0] in tree.paths else (bench.rules_name, bench.lock_name)


@dataclass
class _Value:
    """A key's number at the commit under today's rules, so that a new rule judges both states alike."""

    bench: Workbench
    tree: StoredTree
    _measured: dict[tuple[str, str], Mapping[Key, int]] = field(default_factory=dict)

    def __call__(self, key: Key) -> int | None:
        by_file = self.bench.registry.by_file(key)
        if by_file and key.place not in self.tree.paths:
            return None
        found = self._at(key.metric, key.place if by_file else "")
        return found.get(key, 0)

    def _at(self, metric: str, place: str) -> Mapping[Key, int]:
        if (metric, place) not in self._measured:
            rules = [rule for rule in self.bench.side.book.rule if rule.metric == metric]
            if place:
                key = Key(metric, place)
                covers = covering(self.bench.registry, rules, key)
                # After a rename the old path may be under no rule any more: it is measured as the rules would the new one.
                rules = list(covers) or [rule.model_copy(update={"paths": (place,), "exclude": ()}) for rule in rules]
            only = frozenset({place}) if place else None
            armed = frozenset(rule.id for rule in rules)
            values = measure(self.bench.registry, rules, self.tree, {}, only, armed).values
            self._measured[metric, place] = {key: measured.value for key, measured in values.items()}
        return self._measured[metric, place]


class _LazyRenames(Mapping[str, str]):
    """New path to old path; git is asked only when a key without a row, or a row without a key, needs it."""

    def __init__(self, tree: StoredTree, staged: bool) -> None:
        self._tree, self._staged = tree, staged

    @cached_property
    def _found(self) -> Mapping[str, str]:
        return self._tree.git.renames(self._tree.revision, staged=self._staged)

    def __getitem__(self, path: str) -> str:
        return self._found[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
