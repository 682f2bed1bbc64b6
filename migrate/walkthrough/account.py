"""The account at the end of the demo: what was done, in figures that the stages measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .journey import Figures


def account(figures: Figures, folder: str) -> str:
    """The account as text; `folder` is how the user named the demo's folder."""
    rows = [
        (
            "walker",
            f"{figures.walker_lines_before} lines before, {figures.walker_lines_after} after: types and an alias",
        ),
        ("code base", f"{figures.lines_removed} lines removed, {figures.lines_added} added"),
        ("references", f"{_counted(figures.references)}; {figures.unexplained} unexplained"),
        ("rewritten", _counted({name.removeprefix("rewrite-"): n for name, n in figures.codemods.items()})),
        ("parity", f"{figures.cases} cases on both engines, {_settled(figures)}"),
        (
            "tests",
            f"{figures.tests_before} passed before, {figures.tests_after} after: those of the walker's inside went",
        ),
        ("ratchet", f"{len(figures.rules_proved)} rules armed, each seen to turn red"),
        ("history", f"{len(figures.commits)} commits: git -C {folder} log --oneline"),
    ]
    return "\n".join(["", "The migration is done.", *(f"  {name:<11} {told}" for name, told in rows)])


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def _settled(figures: Figures) -> str:
    differed = sum(len(item.cases) for item in figures.divergences)
    lines = [f"{item.rule} in {_cases(item.cases)}: {item.how}" for item in figures.divergences]
    return "\n".join([f"{differed} of them differed at first", *(f"{'':<14}- {line}" for line in lines)])


def _cases(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} cases"
