"""The burn-down drawn: bars for a terminal, a self-contained SVG, and JSON data. Pure; the same series give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .history import Series

WIDTH = 40
ROWS = 12
CHART, MARGIN, HEIGHT = 640, 56, 160
LINE, FAINT, TEXT = "#2457a6", "#c9ced6", "#24292f"


def as_text(series: Sequence[Series]) -> str:
    """One block a rule: its last commits as bars, its goal, its forecast."""
    if not series:
        return "the lock has no history yet: commit it"
    return "\n\n".join(_block(item) for item in series)


def _block(item: Series) -> str:
    top = max(*(total for _, _, total in item.points), item.goal or 0, 1)
    shown = item.points[-ROWS:]
    size = max(len(str(total)) for _, _, total in shown)
    rows = [f"  {day} {commit[:8]} {total:>{size}} {'#' * round(WIDTH * total / top)}" for day, commit, total in shown]
    more = [f"  ({len(item.points) - len(shown)} earlier commits)"] if len(item.points) > len(shown) else []
    return "\n".join([f"{item.rule} ({item.metric})", *more, *rows, *_aim(item)])


def _aim(item: Series) -> list[str]:
    if item.goal is None:
        return []
    by = f" by {item.by}" if item.by else ""
    if item.points[-1][2] <= item.goal:
        return [f"  goal {item.goal}{by}: met on {item.forecast}"]
    at = f"at this pace on {item.forecast}" if item.forecast else "not at this pace"
    return [f"  goal {item.goal}{by}: {at}{', too late' if item.is_late else ''}"]


def as_data(series: Sequence[Series]) -> dict[str, Any]:
    """For programs; days are those of the commits."""
    return {
        "schema": 1,
        "rules": [
            {
                "rule": item.rule,
                "metric": item.metric,
                "points": [
                    {"day": day.isoformat(), "commit": commit, "total": total} for day, commit, total in item.points
                ],
                "goal": item.goal,
                "by": item.by.isoformat() if item.by else None,
                "forecast": item.forecast.isoformat() if item.forecast else None,
                "late": item.is_late,
            }
            for item in series
        ],
    }


def as_svg(series: Sequence[Series]) -> str:
    """One chart below the other, without scripts, fonts or anything from elsewhere."""
    height = max(1, len(series)) * (HEIGHT + MARGIN) + MARGIN
    charts = [_chart(item, MARGIN + index * (HEIGHT + MARGIN)) for index, item in enumerate(series)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CHART + 2 * MARGIN} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{TEXT}">'
    )
    return "\n".join([head, *charts, "</svg>"])


def _chart(item: Series, y: int) -> str:
    first, last = item.points[0][0].toordinal(), item.points[-1][0].toordinal()
    top = max(*(total for _, _, total in item.points), item.goal or 0, 1)

    def across(ordinal: int) -> float:
        return round(MARGIN + (CHART * (ordinal - first) / (last - first) if last > first else 0), 1)

    def down(total: int) -> float:
        return round(y + HEIGHT - HEIGHT * total / top, 1)

    # A cap holds until the next commit, so the line is a staircase.
    path = f"M {across(first)} {down(item.points[0][2])}"
    for day, _, total in item.points[1:]:
        path += f" H {across(day.toordinal())} V {down(total)}"
    parts = [
        f'<text x="{MARGIN}" y="{y - 10}" font-weight="bold">{escape(item.rule)} ({escape(item.metric)})</text>',
        f'<path d="M {MARGIN} {y} V {y + HEIGHT} H {MARGIN + CHART}" fill="none" stroke="{FAINT}"/>',
        f'<text x="{MARGIN - 6}" y="{y + 4}" text-anchor="end">{top}</text>',
        f'<text x="{MARGIN - 6}" y="{y + HEIGHT}" text-anchor="end">0</text>',
        f'<text x="{MARGIN}" y="{y + HEIGHT + 16}">{item.points[0][0]}</text>',
        f'<text x="{MARGIN + CHART}" y="{y + HEIGHT + 16}" text-anchor="end">{item.points[-1][0]}: {item.points[-1][2]}</text>',
        f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="2"/>',
    ]
    if item.goal is not None:
        goal = down(item.goal)
        parts.append(f'<path d="M {MARGIN} {goal} H {MARGIN + CHART}" stroke="{LINE}" stroke-dasharray="4 4"/>')
        told = _aim(item)[0].strip()
        parts.append(f'<text x="{MARGIN + CHART}" y="{y - 10}" text-anchor="end">{escape(told)}</text>')
    return "\n".join(parts)
