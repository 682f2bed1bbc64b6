"""Which Python a project's jobs run on: the one it pins, else the lowest that it and graphlift both support. Pure."""

from __future__ import annotations

import re

LOWEST, HIGHEST = 11, 14
"""The minor releases of Python 3 that graphlift runs on; the highest is the newest that existed when this was written."""

_CLAUSE = re.compile(r"(?P<sign>~=|==|!=|>=|<=|[<>^~])?\s*(?P<release>\d+(?:\.\d+)*)(?P<star>\.\*)?")
_ANY_MICRO = 10**6


def pinned(text: str) -> str | None:
    """The version in a `.python-version` file, as `3.12`; None where it names another implementation or nothing."""
    found = re.search(r"^\s*(?:cpython[-@])?(3\.\d+)", text, re.MULTILINE)
    return found[1] if found else None


def lowest(requirement: str) -> str:
    """The lowest version that `requires-python` allows and graphlift runs on; graphlift's lowest where none fits both."""
    clauses = [clause for part in requirement.split(",") if (clause := _CLAUSE.fullmatch(part.strip()))]
    fitting = (minor for minor in range(LOWEST, HIGHEST + 1) if all(_allows(clause, minor) for clause in clauses))
    return f"3.{next(fitting, LOWEST)}"


def _allows(clause: re.Match[str], minor: int) -> bool:
    """Whether a clause allows some release of 3.`minor`."""
    first, last = (3, minor, 0), (3, minor, _ANY_MICRO)
    bound = tuple(int(part) for part in clause["release"].split("."))
    prefix = (3, minor)[: len(bound)]
    match clause["sign"]:
        case ">=":
            return last >= bound
        case ">":
            return last > bound
        case "<":
            return first < bound
        case "<=":
            return first[: len(bound)] <= bound
        case "!=":
            return clause["star"] is None or bound[:2] != prefix
        case "^":
            return last >= bound and bound[0] == 3
        case "~=" if len(bound) == 2:
            return last >= bound and bound[0] == 3
    return bound[:2] == prefix
