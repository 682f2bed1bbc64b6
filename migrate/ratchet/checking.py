"""Carry a check out: open the trees, read the two files of now and of the merge base, measure, and have it judged."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...adapters.errors import ConfigurationError, EnvironmentProblem
from ...plugins.configuration import RatchetSettings
from ...plugins.project import Project
from ..git import Git
from .bases import merge_base
from .book import Book, parse_book
from .deadlines import deadlines
from .findings import Finding, in_order
from .judge import Facts, Past, Side, judge
from .keys import Key
from .lock import parse_lock
from .measuring import Measurement, Registry, covering, is_armed, measure
from .settings import hidden_by_settings, settings_at
from .trees import StoredTree, Tree, WorkTree


@dataclass(frozen=True)
class Request:
    """What to check. `only` limits it to some files; `today` is the day that goals are judged by."""

    today: datetime.date
    base: str | None = None
    absolute: bool = False
    staged: bool = False
    only: frozenset[str] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """What a check found; `base` is the merge base's commit, "" for an absolute check."""

    findings: tuple[Finding, ...]
    measurement: Measurement
    facts: Facts
    base: str = ""

    @property
    def failed(self) -> bool:
        """Whether the check is red."""
        return any(finding.level == "error" for finding in self.findings)


@dataclass
class Workbench:
    """A project with its ratchet, opened for one command. `tree` is the state that is measured as "now"."""

    project: Project
    registry: Registry
    tree: Tree
    git: Git | None

    @classmethod
    def open(cls, project: Project, registry: Registry, *, staged: bool = False) -> Workbench:
        """The work tree's bench, or the index's."""
        git = Git.open(project.root) if staged else Git.find(project.root)
        tree = StoredTree(project, git, "") if staged and git else WorkTree(project, git)
        return cls(project, registry, tree, git)

    @property
    def rules_name(self) -> str:
        """The path of the people's file."""
        return self.project.settings.ratchet.rules

    @property
    def lock_name(self) -> str:
        """The path of the tool's file."""
        return self.project.settings.ratchet.lock

    @cached_property
    def side(self) -> Side:
        """The two files of now. Raises `ConfigurationError` where there are no rules, or wrong ones."""
        text = self._text(self.rules_name)
        if text is None:
            raise ConfigurationError(
                "the ratchet has no rules", where=self.rules_name, mend="run `graphlift ratchet init`"
            )
        book = parse_book(text, self.rules_name)
        self.registry.check(book, self.rules_name)
        return _side(book, self._text(self.lock_name), self.lock_name, self.tree)

    def _text(self, path: str) -> str | None:
        # The two files count even where they are ignored by git, or the folder is no repository.
        if isinstance(self.tree, WorkTree):
            file = self.project.root / path
            return file.read_bytes().decode("utf-8-sig", "replace") if file.is_file() else None
        return self.tree.text(path)

    def past_tree(self, base: str) -> StoredTree:
        """The merge base as a tree. Raises `EnvironmentProblem` outside of a repository."""
        if self.git is None:
            Git.open(self.project.root)
            raise EnvironmentProblem("this folder is not in a git work tree")
        return StoredTree(self.project, self.git, base)


def _side(book: Book, lock_text: str | None, lock_name: str, tree: Tree) -> Side:
    lock = parse_lock(lock_text, lock_name) if lock_text is not None else {}
    waiting = frozenset(rule.id for rule in book.rule if not is_armed(rule, tree, lock))
    return Side(book, lock, waiting)


def check(bench: Workbench, request: Request) -> Report:
    """Measure and judge. Raises `GraphliftError` for what keeps a check from being one."""
    side = bench.side
    if request.absolute:
        return _absolute(bench, request)
    commit = resolve_base(bench, request)
    tree = bench.past_tree(commit)
    past_side = _past_side(bench, tree, commit)
    # A rule that was armed at the merge base stays armed, even if what it waits for has come back since.
    armed = frozenset(rule.id for rule in past_side.book.rule) - past_side.waiting
    only = request.only
    changed: Collection[str] = ()
    if request.staged or any(rule.by for rule in side.book.rule) or any(r.expires for r in side.book.raises):
        changed = tree.git.changed(commit, staged=request.staged)
    if request.staged and only is None:
        only = frozenset(changed)
    measurement = measure(bench.registry, side.book.rule, bench.tree, side.lock, only, armed)
    past = _past(bench, tree, past_side, request.staged)
    facts = _facts(bench, replace(side, waiting=side.waiting - armed), measurement, past, only is not None)
    days = [] if only is not None else deadlines(side.book, measurement, changed, request.today)
    hidden = hidden_by_settings(bench.project, tree, facts) if only is None else []
    return Report(in_order([*judge(facts), *days, *hidden]), measurement, facts, commit)


def resolve_base(bench: Workbench, request: Request) -> str:
    """The merge base; for `--staged`, HEAD where nothing else is known, since a commit always has that."""
    git = bench.git or Git.open(bench.project.root)
    try:
        return merge_base(git, request.base, request.environment)
    except EnvironmentProblem:
        head = git.revision("HEAD")
        if not request.staged or request.base is not None or head is None:
            raise
        return head


def _absolute(bench: Workbench, request: Request) -> Report:
    side = bench.side
    measurement = measure(bench.registry, side.book.rule, bench.tree, side.lock, request.only)
    facts = _facts(bench, side, measurement, None, request.only is not None)
    days = [] if request.only is not None else deadlines(side.book, measurement, None, request.today)
    return Report(in_order([*judge(facts), *days]), measurement, facts)


def _facts(bench: Workbench, side: Side, measurement: Measurement, past: Past | None, partial: bool) -> Facts:
    return Facts(
        registry=bench.registry,
        now=side,
        measurement=measurement,
        exists=bench.tree.paths.__contains__,
        past=past,
        partial=partial,
        lock_name=bench.lock_name,
        rules_name=bench.rules_name,
    )


def _past_side(bench: Workbench, tree: StoredTree, commit: str) -> Side:
    """The ratchet's files at the merge base. A base without rules caps nothing: the ratchet begins on this branch."""
    rules_name, lock_name = _past_names(bench, tree)
    rules, lock = (_stored(tree, commit, name) for name in (rules_name, lock_name))
    at = f" at {commit[:10]}"
    book = parse_book(rules.decode("utf-8-sig", "replace"), rules_name + at) if rules is not None else Book()
    return _side(book, lock.decode("utf-8-sig", "replace") if lock is not None else None, lock_name + at, tree)


def _stored(tree: StoredTree, commit: str, name: str) -> bytes | None:
    """A file of a commit, None where the commit has none; one that git cannot give is an error, since it may hold caps."""
    content = tree.git.show(commit, name)
    if content is None and name in tree.paths:
        mend = "fetch it: `git fetch --refetch --no-filter`, or look at the repository with `git fsck`"
        raise EnvironmentProblem(f"git cannot read it at the merge base {commit[:10]}", where=name, mend=mend)
    return content


def _past_names(bench: Workbench, tree: StoredTree) -> tuple[str, str]:
    """Where the merge base kept the two files: a configuration that names others must not make it look empty."""
    names = (settings_at(tree) or {}).get("ratchet", {})
    defaults = RatchetSettings()
    found = str(names.get("rules", defaults.rules)), str(names.get("lock", defaults.lock))
    return found if found[0] in tree.paths else (bench.rules_name, bench.lock_name)


def _past(bench: Workbench, tree: StoredTree, side: Side, staged: bool) -> Past:
    return Past(side, _LazyRenames(tree, staged), _value_at(bench, tree), tree.paths.__contains__)


def _value_at(bench: Workbench, tree: StoredTree) -> _Value:
    return _Value(bench, tree)


@dataclass
class _Value:
    """A key's number at the merge base under today's rules, so that a new rule judges both states alike."""

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

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
