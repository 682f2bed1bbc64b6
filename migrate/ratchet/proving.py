"""`graphlift ratchet prove`: break each rule in a copy that exists in memory, and see that the check turns red.

A ratchet that cannot fail guards nothing: a glob that matches no file, a metric that reads nothing, a cap far above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .book import Rule
from .checking import Report, Workbench
from .judge import Facts, judge
from .measuring import covering, measure, selected
from .metrics.base import Scope
from .trees import Overlay


@dataclass(frozen=True)
class Proof:
    """What came of breaking one rule: "red" (it holds), "green" (it does not), "waiting", or "nothing to break"."""

    rule: str
    outcome: str
    how: str

    @property
    def failed(self) -> bool:
        """Whether the rule guards nothing."""
        return self.outcome in ("green", "nothing to break")


def prove(bench: Workbench, report: Report) -> tuple[Proof, ...]:
    """Break every rule of the book, one at a time; `report` is an absolute check of the same tree."""
    return tuple(_prove(bench, report.facts, rule) for rule in sorted(bench.side.book.rule, key=lambda rule: rule.id))


def _prove(bench: Workbench, facts: Facts, rule: Rule) -> Proof:
    if rule.id in facts.now.waiting:
        return Proof(rule.id, "waiting", f"not armed while {rule.when_absent} is there")
    metric = bench.registry.metrics[rule.metric]
    limits = [cap for key, cap in facts.now.lock.items() if key.metric == rule.metric]
    scope = Scope(bench.tree, rule, selected(bench.tree, rule, None), max([rule.cap or 0, *limits]))
    grown = metric.grow(scope)
    if not grown:
        return Proof(rule.id, "nothing to break", "no file or name that it could measure")
    tree = Overlay(bench.tree, grown)
    measurement = measure(bench.registry, (rule,), tree, facts.now.lock, None, frozenset({rule.id}))
    broken = replace(facts, measurement=measurement, partial=True, exists=tree.paths.__contains__, _cache={})
    before = {(finding.key, finding.message) for finding in judge(facts)}
    new = [f for f in judge(broken) if f.level == "error" and (f.key, f.message) not in before]
    where = ", ".join(sorted(grown))
    if new and _belong(broken, rule, [finding.key for finding in new]):
        return Proof(rule.id, "red", f"grown in {where}: {new[0].key}: {new[0].message}")
    return Proof(rule.id, "green", f"grown in {where}, and the check saw nothing")


def _belong(facts: Facts, rule: Rule, keys: Sequence[str]) -> bool:
    named = {str(key) for key in facts.measurement.values if rule in covering(facts.registry, (rule,), key)}
    return any(key in named for key in keys)
