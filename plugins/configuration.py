"""A project's settings: `graphlift.toml`, or `[tool.graphlift]` in `pyproject.toml`.

The models validate strictly; an error says file, line, key and mend. The file is read as data, never executed. The JSON
schema that is published beside this module is `Settings.model_json_schema()`; a test keeps the two in step.
"""

from __future__ import annotations

import ast
import difflib
import json
import keyword
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..adapters.errors import ConfigurationError
from .toml_lines import line_of

CONFIG_NAMES = ("graphlift.toml", "pyproject.toml")


def _dotted(value: str) -> str:
    parts = value.split(".")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise ValueError(f"{value!r} is not a dotted Python name")
    return value


def _inside(value: str) -> str:
    if Path(value).is_absolute() or ".." in Path(value).parts or "\\" in value:
        raise ValueError(f"{value!r} must be a path inside the project, with forward slashes and without '..'")
    return value


def _pattern(value: str) -> str:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([value])
    except ValueError:
        raise ValueError(f"{value!r} is not a pattern as in a .gitignore") from None
    return value


def _keyword_name(value: str) -> str:
    if not value.isidentifier() or keyword.iskeyword(value):
        raise ValueError(f"{value!r} is not the name of an argument")
    return value


def _expression(value: str) -> str:
    try:
        ast.parse(value.strip(), mode="eval")
    except (SyntaxError, ValueError):
        raise ValueError(f"{value!r} is not a Python expression") from None
    return value


KeywordName = Annotated[str, AfterValidator(_keyword_name)]
Expression = Annotated[str, AfterValidator(_expression)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Dotted = Annotated[str, AfterValidator(_dotted)]
InsidePath = Annotated[str, AfterValidator(_inside)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Arguments(_Model):
    """What happens to the keyword arguments of a rewritten call."""

    rename: dict[KeywordName, KeywordName] = Field(default={}, description="Old keyword to new keyword.")
    drop: tuple[KeywordName, ...] = Field(
        default=(), description="Keywords to drop; only where the value is a literal."
    )
    add: dict[KeywordName, Expression] = Field(default={}, description="New keyword to the source text of its value.")


class Symbol(_Model):
    """One legacy symbol (a class, a function or a module) and what each of its roles becomes."""

    legacy: Dotted = Field(description="Dotted name of the legacy symbol, where it is defined.")
    called: Dotted | None = Field(default=None, description="What a construct or a call becomes.")
    type: Dotted | None = Field(default=None, description="What an annotation becomes.")
    to: Dotted | None = Field(default=None, description="One target in every role; short for `called` and `type`.")
    alias: Dotted | None = Field(
        default=None, description="What the old name becomes when it is retired; `type` or `called` unless given."
    )
    arguments: Arguments = Field(default=Arguments(), description="What happens to a call's keyword arguments.")

    @model_validator(mode="after")
    def _one_way(self) -> Symbol:
        if self.to and (self.called or self.type):
            raise ValueError("`to` is short for one target in every role: give either `to`, or `called` and `type`")
        return self

    @property
    def call_target(self) -> str | None:
        """The dotted name that a construct or a call becomes; None where calls stay."""
        return self.called or self.to

    @property
    def type_target(self) -> str | None:
        """The dotted name that an annotation becomes; None where annotations stay."""
        return self.type or self.to

    @property
    def alias_target(self) -> str | None:
        """The dotted name that the old name becomes once the symbol is retired."""
        return self.alias or self.type_target or self.call_target


class ParitySettings(_Model):
    """The parity gate's settings."""

    baseline: InsidePath = Field(default="graphlift-divergences.toml", description="File of the known divergences.")
    report: Annotated[InsidePath, Field(pattern=r"\.json$")] = Field(
        default=".graphlift/parity.json", description="Evidence that retire and status read; a JSON file."
    )
    timeout: float = Field(default=30.0, gt=0, description="Seconds that one case may take on one engine.")
    flaky: Literal["report", "fail"] = Field(
        default="report",
        description="What becomes of places where the legacy engine differs from itself, so that nothing can be said there.",
    )
    regressions: InsidePath = Field(
        default="graphlift-regressions", description="Folder of the counterexamples that `--fuzz` found; commit it."
    )


class RatchetSettings(_Model):
    """Where the ratchet keeps its two files."""

    rules: InsidePath = Field(default="ratchet.toml", description="The file that people edit.")
    lock: InsidePath = Field(default="ratchet.lock", description="The file that the tool writes.")


class Settings(_Model):
    """Everything that graphlift reads from a project's configuration."""

    source: tuple[InsidePath, ...] = Field(
        default=(".",),
        min_length=1,
        description="Folders and files that belong to the code base, relative to the root.",
    )
    exclude: tuple[Pattern, ...] = Field(
        default=(), description="Patterns, as in a .gitignore, of what does not belong to it."
    )
    plugins: tuple[Dotted, ...] = Field(default=(), description="The project's own plugin modules, by dotted name.")
    symbol: tuple[Symbol, ...] = Field(default=(), description="The legacy symbols, one table each.")
    parity: ParitySettings = ParitySettings()
    ratchet: RatchetSettings = RatchetSettings()

    @model_validator(mode="after")
    def _unique(self) -> Settings:
        names = [symbol.legacy for symbol in self.symbol]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the symbol {name!r} is configured twice")
        return self


def schema() -> str:
    """The JSON schema of the configuration, as it is published in `graphlift.schema.json`."""
    return json.dumps(Settings.model_json_schema(), indent=2, sort_keys=True) + "\n"


def find_config(root: Path) -> Path | None:
    """The file in `root` that configures graphlift, or None. `graphlift.toml` wins over `pyproject.toml`."""
    own = root / CONFIG_NAMES[0]
    if own.is_file():
        return own
    shared = root / CONFIG_NAMES[1]
    tool = _parse(shared, root)[0].get("tool") if shared.is_file() else None
    return shared if isinstance(tool, dict) and "graphlift" in tool else None


def load_settings(config: Path, root: Path) -> Settings:
    """Read and validate `config`; a `ConfigurationError` names file, line, key and mend."""
    data, text = _parse(config, root)
    prefix: tuple[str, ...] = () if config.name == CONFIG_NAMES[0] else ("tool", "graphlift")
    for key in prefix:
        data = data.get(key, {})
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise _explained(error, prefix, text, _shown(config, root)) from None


def _parse(config: Path, root: Path) -> tuple[dict[str, Any], str]:
    where = _shown(config, root)
    try:
        text = config.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", where=where, mend="make it readable") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"is not UTF-8: {error.reason} at byte {error.start}", where=where) from None
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        line = _line_in(str(error)) or max(1, len(text.splitlines()))
        mend = "mend the TOML there; https://toml.io has the grammar"
        raise ConfigurationError(f"is not valid TOML: {error}", where=f"{where}:{line}", mend=mend) from None


def _line_in(message: str) -> int:
    """The line that tomllib's message names; 0 where it says "at end of document"."""
    _, found, rest = message.partition("at line ")
    return int(rest.split(",")[0]) if found else 0


def _explained(error: ValidationError, prefix: tuple[str, ...], text: str, where: str) -> ConfigurationError:
    first = error.errors()[0]
    location = (*prefix, *first["loc"])
    key = ".".join(str(part) for part in first["loc"]) or "graphlift"
    message = first["msg"].removeprefix("Value error, ")
    mend = f"set `{key}` to a valid value"
    if first["type"] == "extra_forbidden":
        message = "unknown key"
        known = _known_keys(first["loc"][:-1])
        close = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        mend = f"did you mean `{close[0]}`?" if close else f"remove it; known keys are {', '.join(known)}"
    elif first["type"] == "missing":
        mend = f"add `{first['loc'][-1]} = …` to this table"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return ConfigurationError(f"{key}: {message}{more}", where=f"{where}:{line_of(text, location)}", mend=mend)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    models: dict[str, type[BaseModel]] = {
        "symbol": Symbol,
        "arguments": Arguments,
        "parity": ParitySettings,
        "ratchet": RatchetSettings,
    }
    names = [part for part in location if isinstance(part, str)]
    return sorted((models.get(names[-1], Settings) if names else Settings).model_fields)


def _shown(config: Path, root: Path) -> str:
    return config.relative_to(root).as_posix() if config.is_relative_to(root) else config.name
