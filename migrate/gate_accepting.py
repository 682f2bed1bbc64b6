"""`graphlift parity --accept`: a known divergence, written to the baseline file."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..adapters.errors import UsageError
from .console import OutputFormat, emit
from .gate_files import inside

if TYPE_CHECKING:
    from ..parity.baseline import Known
    from ..plugins.manager import Plugins
    from ..plugins.project import Project


@dataclass(frozen=True)
class Accepting:
    """What was asked for, as it was typed."""

    rule: str
    cases: tuple[str, ...]
    node: str | None
    reason: str
    owner: str
    expires: str
    verdict: str
    at_most: int


def accept(project: Project, plugins: Plugins, asked: Accepting, style: OutputFormat) -> None:
    """Write the entry. Raises UsageError where something of it is missing or wrong."""
    from ..parity.baseline import accept as write

    known = sorted(item.id for item in plugins.gather("graphlift_rules"))
    if asked.rule not in known:
        raise UsageError(f"there is no rule {asked.rule!r}", mend=f"the rules are {', '.join(known)}")
    if len(asked.cases) != 1:
        raise UsageError(
            "--accept needs one --case", mend="name the case, or a pattern of cases, that it is accepted in"
        )
    entry = _entry(asked)
    name = project.settings.parity.baseline
    renewed = write(inside(project, name), entry, name)
    done, place = ("renewed" if renewed else "listed"), f"{asked.cases[0]}{f' at {asked.node}' if asked.node else ''}"
    emit(
        style,
        lambda: f"{name}: {done} {asked.rule} in {place}, until {asked.expires}",
        lambda: {"accepted": entry.model_dump(mode="json"), "renewed": renewed},
    )


def _entry(asked: Accepting) -> Known:
    from pydantic import ValidationError

    from ..parity.baseline import Known

    for name, value in (("--reason", asked.reason), ("--owner", asked.owner), ("--expires", asked.expires)):
        if not value:
            raise UsageError(f"--accept needs {name}", mend="a known divergence has a reason, an owner and an expiry")
    try:
        day = dt.date.fromisoformat(asked.expires)
    except ValueError:
        raise UsageError(f"--expires: {asked.expires!r} is not a date", mend="write it as YYYY-MM-DD") from None
    data = {
        "rule": asked.rule,
        "case": asked.cases[0],
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
