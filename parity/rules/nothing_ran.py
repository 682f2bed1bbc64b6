"""GL204: both engines raise before any node runs, so the case compares nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation
from ..rule import BuiltIn


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    runs = (legacy, candidate)
    errors = [run.broken.error for run in runs if run.broken is not None and run.broken.kind in ("refused", "raised")]
    if len(errors) == len(runs) and not any(run.activations for run in runs):
        yield rule.found(
            legacy=f"raises {errors[0]}",
            candidate=f"raises {errors[1]}",
            cause=f"the {legacy.side} engine raises before any node runs"
            if legacy is candidate
            else "both engines raise before any node runs: two equal crashes prove nothing",
            at=0,
        )


RULE = BuiltIn(
    "GL204",
    "nothing ran",
    "ending",
    "both engines raise before any node runs",
    """\
Neither engine ran a node, so there is nothing to compare: usually a mistake in the functions that run the engines, or in the
case's inputs. Where both engines are meant to refuse the case, list it as a known divergence with that reason.""",
    "run the case with `graphlift parity --case ID --in-process` under a debugger, and mend what raises",
    _check,
)
