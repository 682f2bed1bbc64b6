"""GL152: a value that a node wrote is gone in the final state, without a later write."""

from __future__ import annotations

from collections.abc import Iterator

from ..causes import first_begin
from ..divergence import Divergence
from ..observation import Observation
from ..recorded import shorten
from ..rule import BuiltIn
from ..writes import final, keys_that_differ, loss


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key in keys_that_differ(legacy, candidate):
        lost = loss(legacy, candidate, key)
        if lost is None:
            continue
        one, other = final(legacy, key), final(candidate, key)
        yield rule.found(
            lost.writer.node,
            activation=lost.writer.ordinal,
            legacy=f"{key} is absent" if one is None else f"{key} = {shorten(one)}",
            candidate=f"{key} is absent" if other is None else f"{key} = {shorten(other)}",
            cause=lost.cause,
            paths=(key,),
            subject=key,
            at=first_begin(candidate, lost.writer.node),
        )


RULE = BuiltIn(
    "GL152",
    "lost-update",
    "lost update",
    "a node's write is lost in the final state",
    """\
The last node to write a key wrote another value than the final state has, and the value there is an older one: a branch that
gives back its whole copy of the shared data undid what its sibling wrote, or a merge without a reducer kept the other write.""",
    "let nodes and branches hand on only what they change",
    _check,
    ("trace", "data"),
)
