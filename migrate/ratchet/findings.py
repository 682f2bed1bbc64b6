"""What a check says: findings with a stable code, a place and the mend. Only an error fails a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .keys import in_line

Level = Literal["error", "warning", "note"]

CODES = {
    "grown": "a number is above its cap, and above what it was at the merge base",
    "loosened-cap": "a cap was raised without a new [[raise]] entry",
    "loosened-rule": "a rule was loosened or removed without a new [[raise]] entry",
    "unrecorded": "a number has no cap yet",
    "stale": "the lock caps something that is gone",
    "escaped": "a file was moved to where no rule caps it",
    "sum-rises": "the caps of a split file's parts are together above the old cap",
    "overdue": "the day of a goal is past",
    "due-soon": "the day of a goal is near",
    "far-off": "the day of a raise is more than a year away",
    "raise-expired": "a raise was for a time that is over",
    "over-base": "a number is above its cap, as it was at the merge base already",
    "hidden": "a file says that it is generated, which it did not at the merge base",
    "removed": "a file of the ratchet is gone",
    "unseen": "what was there before is not here to compare with",
    "settings": "the configuration hides files or symbols that it showed at the merge base",
}


@dataclass(frozen=True)
class Finding:
    """One thing that a check has to say. `key` is a key's or `rule:ID`; `file` may be ""."""

    code: str
    level: Level
    key: str
    message: str
    mend: str = ""
    file: str = ""
    line: int = 1

    def __str__(self) -> str:
        place = f"{in_line(self.file)}:{self.line}: " if self.file else ""
        mend = f"\n  mend: {self.mend}" if self.mend else ""
        return f"{place}{self.level}: {self.message} [{self.code}] ({self.key}){mend}"


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Errors first, then by place and key; always the same for the same findings."""
    levels = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(set(findings), key=lambda f: (levels[f.level], f.file, f.line, f.key, f.code, f.message)))
