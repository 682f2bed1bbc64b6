"""What `graphlift parity` answers without running anything: a rule's page, the list of engines and cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit

if TYPE_CHECKING:
    from ..parity.case import Case
    from ..parity.engine import Engine
    from ..parity.rule import Rule
    from ..plugins.manager import Plugins


@dataclass(frozen=True)
class Asking:
    """What is answered at once."""

    listing: Annotated[bool, typer.Option("--list", help="List the cases and engines, and run nothing.")] = False
    explain: Annotated[str | None, typer.Option("--explain", metavar="RULE", help="Print a rule's page and exit.")] = (
        None
    )


def explain(plugins: Plugins, rule_id: str, style: OutputFormat) -> None:
    """Print a rule's page. Raises UsageError for one that does not exist."""
    rules: dict[str, Rule] = {rule.id: rule for rule in plugins.gather("graphlift_rules")}
    rule = rules.get(rule_id)
    if rule is None:
        raise UsageError(f"there is no rule {rule_id!r}", mend=f"the rules are {', '.join(sorted(rules))}")
    page = {"id": rule.id, "family": rule.family, "summary": rule.summary, "explanation": rule.explanation}
    mend = getattr(rule, "mend", "")
    emit(
        style,
        lambda: f"{rule.id} ({rule.family}): {rule.summary}\n\n{rule.explanation}\n\nmend: {mend}",
        lambda: {**page, "mend": mend},
    )


def list_all(engines: Sequence[Engine], given: Sequence[Case], style: OutputFormat) -> None:
    """Print engines, legacy first, and every case of every matrix."""
    from ..parity.case import expand_cases

    cases = expand_cases(given)

    engines = sorted(engines, key=lambda engine: (engine.side != "legacy", engine.name))

    def text() -> str:
        lines = [f"{engine.side:<10} {engine.name}" for engine in engines]
        return "\n".join([*lines, *(f"case       {case.id}  ({case.name})" for case in cases)])

    emit(
        style,
        text,
        lambda: {
            "engines": [{"name": engine.name, "side": engine.side} for engine in engines],
            "cases": [{"id": case.id, "workflow": case.name, "fingerprint": case.fingerprint} for case in cases],
        },
    )
