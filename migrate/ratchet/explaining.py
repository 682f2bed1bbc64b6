"""`graphlift ratchet explain KEY`: everything that decides about one number, in words and as data."""

from __future__ import annotations

from typing import Any

from ...adapters.errors import UsageError
from .checking import Report
from .keys import Key
from .measuring import covering


def find_key(report: Report, text: str) -> Key:
    """The key that a user means: the key itself, or a path or name that only one key has. Raises `UsageError` otherwise."""
    known = sorted({*report.measurement.values, *report.facts.now.lock})
    fitting = [key for key in known if text in (str(key), key.place)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(f"'{key}'" for key in fitting)
        raise UsageError(f"{text!r} may be {names}", mend="name one of them")
    near = [str(key) for key in known if text in str(key)][:5]
    mend = f"did you mean {', '.join(near)}?" if near else "`graphlift ratchet check --format json` lists the keys"
    raise UsageError(f"no number has the key {text!r}", mend=mend)


def explain(report: Report, key: Key) -> dict[str, Any]:
    """What decides about a key: number, caps, rules, raises, goal, and the findings of this check about it."""
    facts = report.facts
    measured = report.measurement.values.get(key)
    rules = covering(facts.registry, facts.now.book.rule, key)
    return {
        "key": str(key),
        "value": measured.value if measured else 0,
        "cap": facts.cap(key),
        "row": facts.now.lock.get(key),
        "cap_at_base": facts.past_cap(key),
        "value_at_base": facts.past_value(key),
        "base": report.base or None,
        "rules": [
            {
                "id": rule.id,
                "cap": rule.cap,
                "goal": rule.goal,
                "by": rule.by.isoformat() if rule.by else None,
                "owner": rule.owner,
                "reason": rule.reason,
                "armed": rule.id not in facts.now.waiting,
            }
            for rule in rules
        ],
        "raises": [
            {"to": item.to, "reason": item.reason, "owner": item.owner, "new": item.key in facts.new_raises}
            for item in facts.now.book.raises
            if item.key == str(key)
        ],
        "findings": [str(finding) for finding in report.findings if finding.key == str(key)],
    }


def as_text(told: dict[str, Any]) -> str:
    """The explanation for people."""
    cap = "none yet" if told["cap"] is None else told["cap"]
    source = "its row in the lock" if told["row"] is not None else "its rules"
    lines = [f"{told['key']}: {told['value']}, and the cap is {cap} (from {source})"]
    if told["base"]:
        lines.append(f"  at the merge base {told['base'][:10]}: {told['value_at_base']}, cap {told['cap_at_base']}")
    for rule in told["rules"]:
        parts = [
            f"cap {rule['cap']}" if rule["cap"] is not None else "",
            f"owner {rule['owner']}" if rule["owner"] else "",
        ]
        parts.append(
            f"goal {rule['goal']}" + (f" by {rule['by']}" if rule["by"] else "") if rule["goal"] is not None else ""
        )
        parts.append("" if rule["armed"] else "not armed")
        lines.append(f"  rule {rule['id']}: {', '.join(part for part in parts if part) or 'no cap of its own'}")
        if rule["reason"]:
            lines.append(f"    {rule['reason']}")
    for item in told["raises"]:
        new = " (new on this branch)" if item["new"] else ""
        lines.append(f"  raised to {item['to']} by {item['owner']}{new}: {item['reason']}")
    return "\n".join([*lines, *(f"  {finding}" for finding in told["findings"])])
