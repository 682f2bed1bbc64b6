"""What people write: rules with their goals and owners, raises, and moves (`ratchet.toml`), and what was retired. Read and validated here.

The file is edited in `editing.py`, measured in `measuring.py` and judged in `judge.py`.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ...adapters.errors import ConfigurationError
from ...plugins.toml_lines import line_of
from .keys import Key, has_magic

RULE_KEY = "rule"


def _pattern(value: str) -> str:
    if not value or value.startswith("/") or "\\" in value or ".." in value.split("/"):
        raise ValueError(f"{value!r} must be a path or glob inside the project, with forward slashes")
    return value


def _key(value: str) -> str:
    Key.parse(value)
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]
KeyText = Annotated[str, AfterValidator(_key)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Rule(_Model):
    """One `[[rule]]`: which numbers may only fall, and what they should come to."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    metric: str
    paths: tuple[Pattern, ...] = ("**",)
    exclude: tuple[Pattern, ...] = ()
    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    cap: int | None = Field(default=None, ge=0)
    goal: int | None = Field(default=None, ge=0)
    by: datetime.date | None = None
    owner: str | None = None
    reason: str | None = None
    when_absent: str | None = Field(default=None, alias="when-absent")
    skip_generated: bool = Field(default=False, alias="skip-generated")
    options: dict[str, Any] = Field(default={})

    @model_validator(mode="after")
    def _has_goal(self) -> Rule:
        if self.by is not None and self.goal is None:
            raise ValueError("`by` is the day of a goal: add `goal = …`")
        return self

    @property
    def is_open(self) -> bool:
        """Whether files that appear later can come under this rule."""
        return any(has_magic(pattern) for pattern in self.paths)


class Raise(_Model):
    """One `[[raise]]`: why a cap (`lines:src/a.py`) may be `to`, or why a rule (`rule:ID`) may be loosened."""

    key: KeyText
    to: int | None = Field(default=None, ge=0)
    before: int | None = Field(default=None, ge=0, alias="from")
    reason: str = Field(min_length=1)
    owner: str = Field(min_length=1)
    expires: datetime.date | None = None

    @model_validator(mode="after")
    def _names_a_cap(self) -> Raise:
        if self.to is None and not self.key.startswith(f"{RULE_KEY}:"):
            raise ValueError("a raise of a cap says how far: add `to = …`")
        return self


class Move(_Model):
    """One `[[move]]`: a file that was renamed or split; the caps of the new files together are those of the old one."""

    source: Pattern = Field(alias="from")
    to: tuple[Pattern, ...] = Field(min_length=1)


class Retired(_Model):
    """One `[[retired]]`: on what evidence a symbol was deleted. `graphlift retire` writes it, `graphlift status` reads it.

    `verdict`, `cases` and `known` (divergences) are the parity gate's, `definitions`, `legacy` and `candidate` its digests of
    what it compared. `forced` is the reason of a retirement for which the conditions in `missing` did not hold.
    """

    symbol: str = Field(min_length=1)
    target: str | None = None
    verdict: str | None = None
    cases: int = Field(default=0, ge=0)
    known: int = Field(default=0, ge=0)
    definitions: str | None = None
    legacy: str | None = None
    candidate: str | None = None
    forced: str | None = Field(default=None, min_length=1)
    missing: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether the gate was green, or somebody said why it need not be."""
        return self.forced is not None or (self.verdict == "green" and self.cases > 0)


class Book(_Model):
    """The whole of `ratchet.toml`."""

    rule: tuple[Rule, ...] = ()
    raises: tuple[Raise, ...] = Field(default=(), alias="raise")
    move: tuple[Move, ...] = ()
    retired: tuple[Retired, ...] = ()

    @model_validator(mode="after")
    def _unique(self) -> Book:
        ids = [rule.id for rule in self.rule]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"two rules have the id {twice[0]!r}")
        return self

    def find(self, rule_id: str) -> Rule | None:
        """The rule with this id, or None."""
        return next((rule for rule in self.rule if rule.id == rule_id), None)

    def became(self, symbol: str) -> frozenset[str]:
        """What a deleted symbol became, as far as it is on record."""
        return frozenset(item.target for item in self.retired if item.symbol == symbol and item.target)


def parse_book(text: str, where: str) -> Book:
    """Read and validate; a `ConfigurationError` says file, line, key and mend."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return Book.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        if conflict := re.search(r"(?m)^(?:<{7}|>{7}|\|{7}|={7})", text):
            place = f"{where}:{text.count(chr(10), 0, conflict.start()) + 1}"
            mend = "keep the tables of both sides, or let `graphlift ratchet init --merge-driver` do it from now on"
            raise ConfigurationError("an unresolved merge conflict", where=place, mend=mend) from None
        line = re.search(r"at line (\d+)", str(error))
        place = f"{where}:{line[1] if line else max(1, text.count(chr(10)))}"
        raise ConfigurationError(f"is not valid TOML: {error}", where=place, mend="mend the TOML there") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        message = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        place = f"{where}:{line_of(text, first['loc'])}"
        mend = "docs of `graphlift ratchet` list the keys of a rule, a raise and a move"
        raise ConfigurationError(f"{key}: {message}", where=place, mend=mend) from None
