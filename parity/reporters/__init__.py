"""The reports of the gate, one file a format, registered through the hook `graphlift_reporters`.

A reporter is a pure function of a `Report`: deterministic, without times or absolute paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...adapters.markers import hookimpl

if TYPE_CHECKING:
    from .base import Reporter


def builtin_reporters() -> tuple[Reporter, ...]:
    """Every reporter that graphlift ships, sorted by id."""
    from . import github, html, json_form, junit, markdown, sarif
    from .base import Reporter
    from .terminal import text

    text_reporter = Reporter("text", "the report as a terminal shows it", text)
    return (
        github.REPORTER,
        html.REPORTER,
        json_form.REPORTER,
        junit.REPORTER,
        markdown.REPORTER,
        sarif.REPORTER,
        text_reporter,
    )


@hookimpl
def graphlift_reporters() -> list[Reporter]:
    """The built-in reporters."""
    return list(builtin_reporters())
