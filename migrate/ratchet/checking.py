"""Carry a check out: open the trees, read the two files of now and of the merge base, measure, and have it judged."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...adapters.errors import ConfigurationError, EnvironmentProblem
from ...plugins.project import Project
from ..git import Git
from .bases import base_of_check, before_push, merge_base
from .book import RULE_KEY, Book, parse_book
from .deadlines import deadlines
from .findings import Finding, in_order
from .generated import hidden_by_marks
from .judge import Facts, Past, Side, judge, judge_loosening
from .lock import parse_lock
from .measuring import Measurement, Registry, measure
from .past import make_side, past_of, stored
from .settings import hidden_by_settings
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
        text = self.text(self.rules_name)
        if text is None:
            raise ConfigurationError("the ratchet has no rules", where=self.rules_name, mend=self._how_to_get_rules())
        book = parse_book(text, self.rules_name)
        self.registry.check(book, self.rules_name)
        return make_side(book, self.text(self.lock_name), self.lock_name, self.tree)

    def _how_to_get_rules(self) -> str:
        restore = f"they were deleted: `git checkout HEAD -- {self.rules_name} {self.lock_name}` brings them back"
        return restore if self.is_deleted else "run `graphlift ratchet init`"

    @property
    def is_deleted(self) -> bool:
        """Whether HEAD has rules and the work tree has none."""
        if self.text(self.rules_name) is not None or self.git is None or self.git.revision("HEAD") is None:
            return False
        before = self.git.show("HEAD", self.rules_name)
        return before is not None and bool(parse_book(before.decode("utf-8-sig", "replace"), self.rules_name).rule)

    def text(self, path: str) -> str | None:
        """The text of one of the two files, None where there is none."""
        # The two files count even where they are ignored by git, or the folder is no repository.
        if isinstance(self.tree, WorkTree):
            file = self.project.root / path
            return file.read_bytes().decode("utf-8-sig", "replace") if file.is_file() else None
        return self.tree.text(path)

    def past_tree(self, base: str) -> StoredTree:
        """A commit as a tree. Raises `EnvironmentProblem` outside of a repository."""
        if self.git is None:
            Git.open(self.project.root)
            raise EnvironmentProblem("this folder is not in a git work tree")
        return StoredTree(self.project, self.git, base)


def check(bench: Workbench, request: Request) -> Report:
    """Measure and judge. Raises `GraphliftError` for what keeps a check from being one."""
    commit = None if request.absolute else _base(bench, request)
    if commit is None:
        return _absolute(bench, request)
    tree = bench.past_tree(commit)
    if gone := list(_removed(bench, tree, "the merge base")):
        return _cut_short(bench, gone, commit)
    side, past = bench.side, past_of(bench, tree, request.staged)
    # A rule that was armed at the merge base stays armed, even if what it waits for has come back since.
    armed = frozenset(rule.id for rule in past.side.book.rule) - past.side.waiting
    only = request.only
    changed: Collection[str] = ()
    if request.staged or any(rule.by for rule in side.book.rule) or any(r.expires for r in side.book.raises):
        changed = tree.git.changed(commit, staged=request.staged)
    if request.staged and only is None:
        only = frozenset(changed)
    measurement = measure(bench.registry, side.book.rule, bench.tree, side.lock, only, armed)
    now = replace(side, waiting=side.waiting - armed)
    facts = _facts(bench, request, now, measurement, past, only is not None)
    days = [] if only is not None else deadlines(side.book, measurement, changed, request.today)
    found = [*judge(facts), *days, *_hidden(bench, facts, tree, only)]
    return Report(in_order(found), measurement, facts, commit)


def _base(bench: Workbench, request: Request) -> str | None:
    """The merge base, None for the caps alone; for `--staged`, HEAD where nothing else is known, since a commit has that."""
    git = bench.git or Git.open(bench.project.root)
    if request.staged and request.base is None and git.revision("HEAD") is None:
        return None  # the first commit of all: there are only the caps
    if not request.staged:
        return base_of_check(git, request.base, request.environment)
    try:
        return merge_base(git, request.base, request.environment)
    except EnvironmentProblem:
        head = git.revision("HEAD")
        if request.base is not None or head is None:
            raise
        return head


def _hidden(bench: Workbench, facts: Facts, tree: StoredTree, only: frozenset[str] | None) -> Iterator[Finding]:
    yield from hidden_by_marks(facts, bench.tree, tree, only)
    if only is None:
        yield from hidden_by_settings(bench.project, tree, facts)


def _absolute(bench: Workbench, request: Request) -> Report:
    """The numbers by the caps alone; rules and caps still against HEAD and what was there before it, as far as that is here."""
    earlier, unseen = _earlier(bench, request)
    for tree, name in earlier:
        if gone := list(_removed(bench, tree, name)):
            return _cut_short(bench, gone)
    side, partial = bench.side, request.only is not None
    measurement = measure(bench.registry, side.book.rule, bench.tree, side.lock, request.only)
    facts = _facts(bench, request, side, measurement, None, partial)
    found = [*judge(facts), *unseen]
    for tree, name in earlier:
        against = replace(facts, past=past_of(bench, tree, request.staged, name), _cache={})
        found += [*judge_loosening(against), *_hidden(bench, against, tree, request.only)]
    if not partial:
        found += deadlines(side.book, measurement, None, request.today)
    return Report(in_order(found), measurement, facts)


def _earlier(bench: Workbench, request: Request) -> tuple[list[tuple[StoredTree, str]], list[Finding]]:
    """The commits that an absolute check holds rules and caps against, and a note where a shallow clone lacks one."""
    git = bench.git
    if git is None or (head := git.revision("HEAD")) is None:
        return [], []
    try:
        before = before_push(git, request.environment) or git.revision("HEAD^")
    except EnvironmentProblem:
        before = None
    found = [(StoredTree(bench.project, git, head), "HEAD")] if _is_edited(bench, git) else []
    if before is not None and before != head:
        return [*found, (StoredTree(bench.project, git, before), before[:10])], []
    if not git.is_shallow:
        return found, []
    told = "a shallow clone: whether a rule or a cap was loosened before HEAD is not seen"
    return found, [Finding("unseen", "note", RULE_KEY, told, "fetch one commit more, or all: `fetch-depth: 0`")]


def _is_edited(bench: Workbench, git: Git) -> bool:
    """Whether the ratchet's files or the configuration are others than at HEAD, or may be."""
    names = [
        bench.rules_name,
        bench.lock_name,
        *([bench.project.config_file.name] if bench.project.config_file else []),
    ]
    return any(git.show("HEAD", name) != _bytes(bench, name) for name in names)


def _bytes(bench: Workbench, name: str) -> bytes | None:
    file = bench.project.root / name
    return file.read_bytes() if file.is_file() else None


def _removed(bench: Workbench, tree: StoredTree, name: str) -> Iterator[Finding]:
    """A finding for each of the two files that a commit has with something in it, and that is gone now."""
    if bench.text(bench.rules_name) is not None and bench.text(bench.lock_name) is not None:
        return
    (rules_name, rules), (lock_name, lock) = stored(bench, tree)
    restore = f"`git checkout {tree.revision[:10]} -- {rules_name} {lock_name}` brings it back"
    if rules is not None and bench.text(bench.rules_name) is None:
        count = len(parse_book(rules.decode("utf-8-sig", "replace"), rules_name).rule)
        mend = f"{restore}; a rule ends with a [[raise]] of its key `{RULE_KEY}:ID`, the file once no rule is left"
        if count:
            told = f"there are no rules any more; at {name} there were {count}"
            yield Finding("removed", "error", RULE_KEY, told, mend, bench.rules_name)
    if lock is not None and bench.text(bench.lock_name) is None:
        rows = len(parse_lock(lock.decode("utf-8-sig", "replace"), lock_name))
        if rows:
            told = f"there are no caps any more; at {name} there were {rows}"
            yield Finding("removed", "error", RULE_KEY, told, restore, bench.lock_name)


def _cut_short(bench: Workbench, found: list[Finding], commit: str = "") -> Report:
    """A report of nothing but what is gone: without it, no number can be judged."""
    request = Request(datetime.date.min)
    facts = _facts(bench, request, Side(Book(), {}), Measurement(), None, False)
    return Report(in_order(found), Measurement(), facts, commit)


def _facts(
    bench: Workbench, request: Request, side: Side, measurement: Measurement, past: Past | None, partial: bool
) -> Facts:
    return Facts(
        registry=bench.registry,
        now=side,
        measurement=measurement,
        exists=bench.tree.paths.__contains__,
        past=past,
        partial=partial,
        lock_name=bench.lock_name,
        rules_name=bench.rules_name,
        today=request.today,
        is_opaque=bench.tree.is_opaque,
    )
