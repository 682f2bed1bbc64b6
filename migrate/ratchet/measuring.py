"""Apply the rules to a tree: which rules are armed, and what is the number of each key. No number is judged here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...adapters.errors import ConfigurationError
from .book import Book, Rule
from .generated import is_generated
from .keys import Key, has_magic, matches
from .lock import Lock
from .metrics.base import Metric, Reading, Scope
from .metrics.symbols import find
from .trees import Tree

if TYPE_CHECKING:
    from ..ledger.finders import ReferenceFinder

ARMED = "armed"
"""The pseudo-metric of the rows by which the lock remembers that a rule was armed."""


@dataclass(frozen=True)
class Measured:
    """A key's number, its place, and the rules that cap it."""

    reading: Reading
    rules: tuple[Rule, ...]

    @property
    def value(self) -> int:
        """The number."""
        return self.reading.value


@dataclass(frozen=True)
class Measurement:
    """The numbers of a tree by key, and the rules that wait for their condition."""

    values: Mapping[Key, Measured] = field(default_factory=dict)
    waiting: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Registry:
    """The metrics by id, and the finders that the ledger uses."""

    metrics: Mapping[str, Metric]
    finders: tuple[ReferenceFinder, ...] = ()

    @classmethod
    def of(cls, metrics: Iterable[Metric], finders: Iterable[ReferenceFinder] = ()) -> Registry:
        """A registry of what the plugins gave."""
        return cls({metric.id: metric for metric in metrics}, tuple(finders))

    def of_rule(self, rule: Rule, where: str) -> Metric:
        """The metric of a rule. Raises `ConfigurationError` for one that does not exist, or that the rule feeds too little."""
        metric = self.metrics.get(rule.metric)
        if metric is None:
            mend = f"metrics are {', '.join(sorted(self.metrics))}; `graphlift plugins` lists the plugins"
            raise ConfigurationError(f"rule {rule.id!r}: there is no metric {rule.metric!r}", where=where, mend=mend)
        for name in metric.needs():
            if not getattr(rule, name):
                message = f"rule {rule.id!r}: metric {rule.metric!r} measures nothing without `{name}`"
                raise ConfigurationError(message, where=where, mend=f"add `{name} = […]` to the rule")
        if metric.default_cap is None and rule.is_open and rule.cap is None:
            message = f"rule {rule.id!r}: a file that appears later would have no cap"
            raise ConfigurationError(message, where=where, mend="add `cap = …`, or list the paths one by one")
        return metric

    def check(self, book: Book, where: str) -> None:
        """Raise for the first rule that cannot be measured."""
        for rule in book.rule:
            self.of_rule(rule, where)

    def by_file(self, key: Key) -> bool:
        """Whether the key's place is a file."""
        metric = self.metrics.get(key.metric)
        return metric is not None and metric.by_file

    def default(self, key: Key) -> int | None:
        """The cap of a key that nothing else caps."""
        metric = self.metrics.get(key.metric)
        return metric.default_cap if metric else None


def selected(tree: Tree, rule: Rule, only: frozenset[str] | None) -> tuple[str, ...]:
    """The files of a rule that take part, sorted: those that its patterns choose, without the generated ones if it says so."""
    paths = chosen(tree, rule, only)
    if not rule.skip_generated:
        return paths
    tree.preload(paths)
    return tuple(path for path in paths if not is_generated(tree.read(path)))


def chosen(tree: Tree, rule: Rule, only: frozenset[str] | None) -> tuple[str, ...]:
    """The files that a rule's patterns choose, sorted."""
    exact = not any(has_magic(pattern) for pattern in rule.paths)
    named: Iterable[str] | None = rule.paths if exact else only
    paths = tree.paths if named is None else [path for path in named if path in tree.paths]
    if only is not None:
        paths = [path for path in paths if path in only]
    return tuple(sorted({path for path in paths if matches(rule.paths, path) and not matches(rule.exclude, path)}))


def is_armed(rule: Rule, tree: Tree, lock: Lock) -> bool:
    """Whether a rule counts: it has no condition, or what it waits for is gone, or the lock remembers that it was."""
    if rule.when_absent is None or Key(ARMED, rule.id) in lock:
        return True
    return find(tree, rule.when_absent) is None


def measure(
    registry: Registry,
    rules: Sequence[Rule],
    tree: Tree,
    lock: Lock,
    only: frozenset[str] | None = None,
    armed: frozenset[str] = frozenset(),
) -> Measurement:
    """The numbers of `tree` under `rules`; only those of the files in `only`, if given. `armed` are rules that count anyway."""
    values: dict[Key, Measured] = {}
    waiting: list[Rule] = []
    for rule in rules:
        if rule.id not in armed and not is_armed(rule, tree, lock):
            waiting.append(rule)
            continue
        metric = registry.metrics[rule.metric]
        paths = selected(tree, rule, only)
        for key, reading in metric.measure(Scope(tree, rule, paths, finders=registry.finders)).items():
            before = values.get(key)
            values[key] = Measured(reading, (*before.rules, rule) if before else (rule,))
    return Measurement(values, tuple(waiting))


def covering(registry: Registry, rules: Sequence[Rule], key: Key) -> tuple[Rule, ...]:
    """The rules that would cap `key`, were its place there; for keys without a file, those that name it."""
    found = []
    for rule in rules:
        if rule.metric != key.metric:
            continue
        if registry.by_file(key):
            if matches(rule.paths, key.place) and not matches(rule.exclude, key.place) and _names(rule, key.detail):
                found.append(rule)
        elif not rule.names or key.place in rule.names:
            found.append(rule)
    return tuple(found)


def _names(rule: Rule, detail: str) -> bool:
    wanted = (*rule.names, *rule.symbols)
    return not wanted or not detail or any(detail == name or detail.endswith(f" {name}") for name in wanted)


def cap_of(registry: Registry, key: Key, lock: Lock, rules: Sequence[Rule]) -> int | None:
    """The cap of a key: its row; else the strictest rule's; else the metric's default; None where it must be recorded."""
    if key in lock:
        return lock[key]
    caps = [rule.cap for rule in rules if rule.cap is not None]
    return min(caps) if caps else registry.default(key)
