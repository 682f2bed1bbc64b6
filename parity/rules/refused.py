"""GL200: one engine refuses the case before any node runs."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    refused = [run.broken is not None and run.broken.kind == "refused" for run in (legacy, candidate)]
    if refused[0] == refused[1]:
        return
    who = legacy if refused[0] else candidate
    yield rule.found(
        legacy=_told(legacy),
        candidate=_told(candidate),
        cause=f"the {who.side} engine ({who.engine}) stopped before any node ran",
        at=0,
    )


def _told(run: Observation) -> str:
    return f"refused: {run.broken.error}" if run.broken else f"ran {len(run.activations)} activations"


RULE = BuiltIn(
    "GL200",
    "refused",
    "ending",
    "one engine refuses the case before any node runs",
    """\
The definition does not compile, an option is unsupported, a handler is missing: one engine says so at once, the other runs.
Where both refuse there is nothing to compare, and both say that it cannot run.""",
    "mend the definition or the option; if refusing is right, list the divergence as intended",
    _check,
)
