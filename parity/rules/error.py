"""GL142: both engines fail, with different errors."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import failures
from ..divergence import Divergence
from ..observation import SIDES, Observation
from ..rule import BuiltIn
from ..shape import as_text


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    if legacy.succeeded is False and candidate.succeeded is False and legacy.error != candidate.error:
        yield rule.found(
            legacy=legacy.error or "none", candidate=candidate.error or "none", cause=_cause(legacy, candidate)
        )
    for node in sorted(legacy.ends.keys() & candidate.ends.keys()):
        one, other = legacy.ends[node], candidate.ends[node]
        if one.status == other.status and one.error != other.error:
            yield rule.found(
                node, legacy=one.error or "none", candidate=other.error or "none", cause=f"{node} ended {one.status}"
            )


def _cause(legacy: Observation, candidate: Observation) -> str:
    one, other = failures(legacy), failures(candidate)
    if set(one) != set(other) or not one:
        return f"under the legacy engine {as_text(one)} failed, under the candidate {as_text(other)}"
    told = _named(legacy, one), _named(candidate, other)
    if len(one) > 1 and told[0] != told[1] and all(told):
        lost = [(side, [node for node in one if node not in names]) for side, names in zip(SIDES, told, strict=True)]
        said = [f"the {side} engine says nothing of what {as_text(nodes)} raised" for side, nodes in lost if nodes]
        return f"{as_text(one)} failed under both engines; {'; '.join(said)}"
    return f"{as_text(one)} failed under both engines; the errors are told differently"


def _named(run: Observation, nodes: tuple[str, ...]) -> tuple[str, ...]:
    """The failed nodes whose error the run's error repeats."""
    raised = {node: items[-1].raised or "" for node, items in run.by_node.items() if node in nodes}
    return tuple(node for node in nodes if node in raised and raised[node].split(": ", 1)[-1] in (run.error or ""))


RULE = BuiltIn(
    "GL142",
    "error",
    "failure propagation",
    "the error differs",
    """\
Callers that match on an error's text or type take another way. With two failing branches the first one in time is reported,
which an engine may decide otherwise (the other failure is lost).""",
    "report the error as the legacy engine words it, in the result adapter",
    _check,
    ("success",),
)
