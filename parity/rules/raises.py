"""GL203: one engine raises where the other returns."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failures
from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    raised = [run.broken is not None and run.broken.kind == "raised" for run in (legacy, candidate)]
    other = candidate if raised[0] else legacy
    if raised[0] == raised[1] or other.outcome is None:
        return
    who = legacy if raised[0] else candidate
    yield rule.found(
        legacy=_told(legacy),
        candidate=_told(candidate),
        cause=f"the {who.side} engine raises after {as_text(failures(who))} failed"
        if failures(who)
        else f"the {who.side} engine itself raises",
        at=max((item.begin for item in who.activations), default=0) if who is candidate else None,
    )


def _told(run: Observation) -> str:
    if run.broken:
        return f"raises {run.broken.error}"
    return "returns success" if run.succeeded else f"returns a failure ({run.error})"


RULE = BuiltIn(
    "GL203",
    "raises",
    "ending",
    "one engine raises where the other returns",
    """\
Callers of one engine get an exception, callers of the other a result (perhaps one that says `success: false`). That is
another contract, even when the error's text is the same.""",
    "catch or raise in the adapter, as the legacy engine does",
    _check,
)
