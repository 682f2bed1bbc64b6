"""The stages as text, as JSON data and as Markdown for a pull request. The same state always gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .stages import Stage
from .trend import Trend
from .trend import as_data as trend_as_data


def upcoming(stages: Sequence[Stage]) -> Stage | None:
    """The first stage that is not done."""
    return next((stage for stage in stages if not stage.done), None)


def as_text(stages: Sequence[Stage]) -> str:
    """For people at a terminal."""
    lines = []
    for stage in stages:
        lines.append(f"[{'x' if stage.done else ' '}] {stage.title}: {stage.proof}")
        lines += [f"      {item}" for item in stage.open]
    following = upcoming(stages)
    lines.append(f"next: {following.next}" if following else "the migration is done")
    return "\n".join(lines)


def as_data(stages: Sequence[Stage], trend: Trend | None = None) -> dict[str, Any]:
    """For programs; `trend` are the figures over time."""
    following = upcoming(stages)
    return {
        "schema": 1,
        "done": following is None,
        "next": following.next if following else None,
        "stages": [
            {
                "id": stage.id,
                "title": stage.title,
                "done": stage.done,
                "proof": stage.proof,
                "figures": stage.figures,
                "open": list(stage.open),
                "next": stage.next or None,
            }
            for stage in stages
        ],
        "over_time": trend_as_data(trend or Trend()),
    }


def as_markdown(stages: Sequence[Stage]) -> str:
    """For a pull request's comment."""
    count = sum(1 for stage in stages if stage.done)
    rows = [f"| {'✅' if stage.done else '⬜'} | {stage.title} | {_cell(stage.proof)} |" for stage in stages]
    parts = [f"### Migration: {count} of {len(stages)} stages", "", "| | stage | proof |", "| --- | --- | --- |", *rows]
    following = upcoming(stages)
    if following:
        parts += ["", f"Next: {_code(following.next) if following.next.startswith('graphlift ') else following.next}"]
        parts += ["", *(f"- {item if item.startswith('and ') else _code(item)}" for item in following.open)]
    return "\n".join(parts).rstrip("\n")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    """A code span; of two backticks where the text has one."""
    plain = text.replace("\n", " ")
    return f"`` {plain} ``" if "`" in plain else f"`{plain}`"
