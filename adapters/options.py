"""The verdict on every option of the hand-rolled walker, in one table: mapped, ignored with a warning, or unsupported.

Unsupported ones raise before any node runs, and say what replaces them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from .errors import UnsupportedOptionError


class Verdict(StrEnum):
    """What becomes of a legacy option."""

    MAPPED = "mapped"
    IGNORED = "ignored"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class LegacyOption:
    """One option. `becomes` is the option that it is mapped to or, otherwise, the sentence that says what to do instead.

    `harmless` are values that asked for nothing: with them even an unsupported option is accepted.
    """

    name: str
    verdict: Verdict
    becomes: str
    harmless: tuple[Any, ...] = (None, False)


_THREAD = "compile with a checkpointer and pass a thread_id"

LEGACY_OPTIONS: tuple[LegacyOption, ...] = (
    LegacyOption("handlers", Verdict.MAPPED, "handlers"),
    LegacyOption("conditions", Verdict.MAPPED, "conditions"),
    LegacyOption("checkpointer", Verdict.MAPPED, "checkpointer"),
    LegacyOption("thread_id", Verdict.MAPPED, "thread_id"),
    LegacyOption("timeout", Verdict.MAPPED, "timeout"),
    LegacyOption("default_timeout", Verdict.MAPPED, "timeout"),
    LegacyOption("max_concurrency", Verdict.MAPPED, "max_concurrency"),
    LegacyOption("max_parallel", Verdict.MAPPED, "max_concurrency"),
    LegacyOption("max_workers", Verdict.MAPPED, "max_concurrency"),
    LegacyOption("initial_data", Verdict.MAPPED, "initial_data"),
    LegacyOption("initial_state", Verdict.MAPPED, "initial_data"),
    LegacyOption("initial_context", Verdict.MAPPED, "context"),
    LegacyOption("context", Verdict.MAPPED, "context"),
    LegacyOption("start_node", Verdict.MAPPED, "start"),
    LegacyOption("progress_callback", Verdict.MAPPED, "on_event"),
    LegacyOption("on_progress", Verdict.MAPPED, "on_event"),
    LegacyOption(
        "max_iterations", Verdict.IGNORED, "the superstep limit is computed from the definition", harmless=(None,)
    ),
    LegacyOption("recursion_limit", Verdict.IGNORED, "the superstep limit is computed from the definition", (None,)),
    LegacyOption("cache_definitions", Verdict.IGNORED, "compiled graphs are always cached; see `cache`"),
    LegacyOption("enable_checkpoints", Verdict.IGNORED, f"to keep checkpoints, {_THREAD}"),
    LegacyOption("debug", Verdict.IGNORED, "subscribe to the run's events instead"),
    LegacyOption("verbose", Verdict.IGNORED, "subscribe to the run's events instead"),
    LegacyOption(
        "node_cache", Verdict.UNSUPPORTED, f"cache inside a handler, or {_THREAD}: a resumed run repeats nothing"
    ),
    LegacyOption("cache", Verdict.MAPPED, "cache"),
    LegacyOption(
        "cache_results", Verdict.UNSUPPORTED, f"cache inside a handler, or {_THREAD}: a resumed run repeats nothing"
    ),
    LegacyOption(
        "continue_on_failure",
        Verdict.UNSUPPORTED,
        "handle recoverable errors inside the handler, or use failure_policy in dependency style; "
        f"to go on after a crash, {_THREAD}",
    ),
    LegacyOption("checkpoint_id", Verdict.UNSUPPORTED, f"legacy checkpoints cannot be read: {_THREAD}"),
    LegacyOption("resume_from", Verdict.UNSUPPORTED, f"legacy checkpoints cannot be read: {_THREAD}"),
)
_BY_NAME = {option.name: option for option in LEGACY_OPTIONS}


def translate(given: Mapping[str, Any], known: tuple[str, ...], stacklevel: int = 3) -> dict[str, Any]:
    """Legacy keyword arguments as arguments of this API; `known` are those that the called function has.

    Warns for an ignored option. Raises UnsupportedOptionError for an unsupported one, one that belongs elsewhere, and one
    that nobody knows.
    """
    translated: dict[str, Any] = {}
    for name, value in given.items():
        option = _BY_NAME.get(name)
        if option is None:
            close = get_close_matches(name, [*known, *_BY_NAME], n=1)
            hint = f"did you mean {close[0]!r}?" if close else "remove it"
            raise UnsupportedOptionError(f"unknown option {name!r}", mend=hint)
        if option.verdict is Verdict.MAPPED:
            if option.becomes not in known:
                raise UnsupportedOptionError(
                    f"the option {name!r} is not accepted here", mend=f"pass {option.becomes!r} where it belongs"
                )
            translated[option.becomes] = value
        elif any(value is harmless for harmless in option.harmless):
            continue
        elif option.verdict is Verdict.UNSUPPORTED:
            raise UnsupportedOptionError(f"the option {name}={value!r} is not supported", mend=option.becomes)
        else:
            warnings.warn(f"the option {name!r} is ignored: {option.becomes}", UserWarning, stacklevel=stacklevel)
    return translated


def options_table() -> str:
    """The table as Markdown, for the documentation."""
    rows = [f"| `{option.name}` | {option.verdict} | {_cell(option)} |" for option in LEGACY_OPTIONS]
    return "\n".join(["| legacy option | verdict | becomes |", "| --- | --- | --- |", *rows])


def _cell(option: LegacyOption) -> str:
    return f"`{option.becomes}`" if option.verdict is Verdict.MAPPED else option.becomes
