"""GL153: two nodes write one key, and the engines keep another one's value."""

from __future__ import annotations

from collections.abc import Iterator

from ..divergence import Divergence
from ..observation import Observation
from ..recorded import shorten
from ..rule import BuiltIn
from ..writes import final, keys_that_differ, loss, turned_writers


def _check(rule: BuiltIn, legacy: Observation, candidate: Observation) -> Iterator[Divergence]:
    for key in keys_that_differ(legacy, candidate):
        turned = turned_writers(legacy, candidate, key)
        one, other = final(legacy, key), final(candidate, key)
        if turned is None or one is None or other is None or loss(legacy, candidate, key):
            continue
        kept, instead = turned
        yield rule.found(
            instead.node,
            activation=instead.ordinal,
            legacy=f"{key} = {shorten(one)}",
            candidate=f"{key} = {shorten(other)}",
            cause=f"{kept.node} and {instead.node} both write {key}; "
            f"the legacy engine keeps what {kept.node} wrote, the candidate what {instead.node} wrote",
            paths=(key,),
            subject=key,
            at=instead.begin,
        )


RULE = BuiltIn(
    "GL153",
    "merge-order",
    "values",
    "of two writes to one key, another one is kept",
    """\
Parallel writers of one key need a rule for who wins. A walker merges in declaration order or in order of completion; a graph
engine merges by node name, or by its reducer, so that renaming a node changes the result.""",
    "give each branch a key of its own, or a reducer that does not depend on order",
    _check,
    ("trace", "data"),
)
