"""Rules speak of two engines; where two runs of one engine were compared, their words are put right here."""

from __future__ import annotations

from collections.abc import Sequence

Words = Sequence[tuple[str, str]]

OTHERWISE: Words = (
    ("under the candidate only", "only when it is written otherwise"),
    ("under the legacy engine only", "only as it is written"),
    ("under the candidate engine", "written otherwise"),
    ("under the candidate", "written otherwise"),
    ("under the legacy engine", "as it is written"),
    ("the candidate engine", "the workflow written otherwise"),
    ("the candidate", "the workflow written otherwise"),
    ("the legacy engine", "the workflow as it is written"),
    ("both engines", "both ways of writing it"),
    ("one engine", "one way of writing it"),
    ("the engines", "the two ways of writing it"),
)
"""A workflow against the same one written otherwise."""

ORDERS: Words = (
    ("under the candidate engine", "in the second order"),
    ("under the candidate", "in the second order"),
    ("under the legacy engine", "in the first order of completion"),
    ("the candidate engine", "the run in the second order"),
    ("the candidate", "the run in the second order"),
    ("the legacy engine", "the run in the first order of completion"),
    ("both engines", "both orders"),
    ("one engine", "one order"),
    ("the engines", "the two runs"),
)
"""A run against another one with another order of completion."""


def reworded(cause: str, words: Words) -> str:
    """A cause in other words."""
    for word, instead in words:
        cause = cause.replace(word, instead)
    return cause
