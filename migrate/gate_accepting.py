"""`graphlift parity --accept`: a known divergence, written to the baseline file."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..adapters.errors import UsageError
from .console import OutputFormat, emit, note
from .gate_files import inside

if TYPE_CHECKING:
    from ..parity.baseline import Known
    from ..plugins.manager import Plugins
    from ..plugins.project import Project


@dataclass(frozen=True)
class Accepting:
    """What was asked for, as it was typed."""

    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept", metavar="RULE", help="List a known divergence of this rule in the baseline file; repeatable."
        ),
    ] = None
    node: Annotated[str | None, typer.Option("--node", metavar="PATTERN", help="With --accept: only at this node.")] = (
        None
    )
    reason: Annotated[str, typer.Option("--reason", help="With --accept: why it is accepted.")] = ""
    owner: Annotated[str, typer.Option("--owner", help="With --accept: who answers for it.")] = ""
    expires: Annotated[
        str, typer.Option("--expires", metavar="YYYY-MM-DD", help="With --accept: when it fails the gate again.")
    ] = ""
    verdict: Annotated[
        str, typer.Option("--verdict", help="With --accept: 'legacy bug', 'engine limit' or 'intended'.")
    ] = "intended"
    at_most: Annotated[int, typer.Option("--at-most", min=1, help="With --accept: how often it may be found.")] = 1


def accept(project: Project, plugins: Plugins, asked: Accepting, cases: Sequence[str], style: OutputFormat) -> None:
    """Write an entry for each rule in each case, all or none. Raises UsageError where something of it is missing or wrong."""
    from ..parity.baseline import accept as write
    from .ratchet.deadlines import far_off

    known = sorted(item.id for item in plugins.gather("graphlift_rules"))
    for rule in asked.accept or ():
        if rule not in known:
            raise UsageError(f"there is no rule {rule!r}", mend=f"the rules are {', '.join(known)}")
    if not cases:
        raise UsageError("--accept needs a --case", mend="name the case, or a pattern of cases, that it is accepted in")
    seen = _last_report(project)
    entries = [
        _placed(_entry(asked, rule, case), seen)
        for rule in dict.fromkeys(asked.accept or ())
        for case in dict.fromkeys(cases)
    ]
    name = project.settings.parity.baseline
    renewed = write(inside(project, name), entries, name)
    if far := far_off(entries[0].expires, dt.datetime.now(dt.UTC).date()):
        note(f"warning: {far}")

    def text() -> str:
        return "\n".join(
            f"{name}: {'renewed' if again else 'listed'} {one.rule} in {one.case}{_where(one)}, until {one.expires}"
            for one, again in zip(entries, renewed, strict=True)
        )

    told = [
        {"entry": one.model_dump(mode="json"), "renewed": again} for one, again in zip(entries, renewed, strict=True)
    ]
    emit(style, text, lambda: {"accepted": told})


def _where(entry: Known) -> str:
    node = f" at {entry.node}" if entry.node else ""
    return f"{node} ({', '.join(entry.at)})" if entry.at else node


def _last_report(project: Project) -> dict[str, Any] | None:
    """What the gate last wrote; None where it has not run, or wrote something else."""
    try:
        data = json.loads((project.root / project.settings.parity.report).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("divergences"), list) else None


def _placed(entry: Known, seen: dict[str, Any] | None) -> Known:
    """The entry with the places at which the last run saw it, so that it hides no other difference of its rule.

    Raises UsageError for a case that a whole run did not have.
    """
    from ..parity.divergence import Divergence
    from ..parity.globs import matches

    if seen is None:
        return entry
    ids = [str(one) for one in seen.get("case_ids", ())]
    if not seen.get("partial") and not any(matches(entry.case, one) for one in ids):
        raise UsageError(f"--case: the last run of the gate had no case {entry.case!r}", mend="name one that it had")
    found: dict[str, None] = {}
    for item in seen["divergences"]:
        one = Divergence(item["rule"], item["family"], item["node"], case=item["case"])
        if entry.matches(one):
            found |= dict.fromkeys(item["paths"] or ([item["subject"]] if item["subject"] else []))
    return entry.model_copy(update={"at": tuple(sorted(found))}) if found else entry


def _entry(asked: Accepting, rule: str, case: str) -> Known:
    from pydantic import ValidationError

    from ..parity.baseline import Known

    for name, value in (("--reason", asked.reason), ("--owner", asked.owner), ("--expires", asked.expires)):
        if not value:
            raise UsageError(f"--accept needs {name}", mend="a known divergence has a reason, an owner and an expiry")
    try:
        day = dt.date.fromisoformat(asked.expires)
    except ValueError:
        raise UsageError(f"--expires: {asked.expires!r} is not a date", mend="write it as YYYY-MM-DD") from None
    if day < dt.datetime.now(dt.UTC).date():
        raise UsageError(f"--expires: {day} is past", mend="an entry that has expired fails the gate")
    data = {
        "rule": rule,
        "case": case,
        "node": asked.node,
        "reason": asked.reason,
        "owner": asked.owner,
        "expires": day,
        "verdict": asked.verdict,
        "at_most": asked.at_most,
    }
    try:
        return Known.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}", mend="correct it") from None
