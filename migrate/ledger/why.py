"""Why a place counts as a reference: the chain of names from it to the symbol, as text with a Mermaid diagram."""

from __future__ import annotations

from ...adapters.errors import UsageError
from .model import Ledger, Lookalike, Occurrence, Reference


def why(ledger: Ledger, place: str) -> str:
    """What the ledger knows of `FILE:LINE` or `FILE:LINE:COLUMN`. Raises `UsageError` for a place it knows nothing of."""
    file, line, column = _parsed(place)

    def is_there(each: Reference | Lookalike | Occurrence) -> bool:
        return each.file == file and each.line == line and column in (None, each.column)

    parts = [_explained(each) for each in ledger.references if is_there(each)]
    parts += [f"{_name(each)} is no reference: {each.reason}" for each in ledger.lookalikes if is_there(each)]
    parts += [f"{_name(each)} is not explained: {each.reason}" for each in ledger.unexplained if is_there(each)]
    if not parts:
        raise UsageError(f"no name of a legacy symbol stands at {place}", mend="`graphlift inventory` lists the places")
    return "\n\n".join(parts)


def _parsed(place: str) -> tuple[str, int, int | None]:
    file, *numbers = place.rsplit(":", 2) if place.count(":") > 1 else place.rsplit(":", 1)
    if not file or not numbers or not all(number.isdigit() for number in numbers):
        raise UsageError(f"{place!r} is no place", mend="give FILE:LINE, as in app/user.py:12")
    return file.removeprefix("./"), int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else None


def _name(each: Lookalike | Occurrence) -> str:
    return f"{each.file}:{each.line}:{each.column} {each.text}"


def _explained(each: Reference) -> str:
    sure = "" if each.certain else " (may be)"
    head = f"{each.place} {each.text} is {each.symbol}{sure}: {each.role}, {each.context}"
    chain = list(dict.fromkeys([*each.chain, each.symbol]))
    nodes = [f'    n{index}["{name}"]' for index, name in enumerate(chain)]
    edges = [f"    n{index} --> n{index + 1}" for index in range(len(chain) - 1)]
    diagram = ["```mermaid", "graph LR", *nodes, *edges, "```"]
    return "\n".join([head, f"{each.fate}: {each.reason}", "", *diagram])
