"""A burn-down as geometry: a staircase of caps over days, the goal and the forecast. Pure; a template draws it."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from ..ratchet.history import Series
from .trend import condensed

WIDTH, HEIGHT = 640, 150
LEFT, TOP, BOTTOM, RIGHT = 52, 14, 24, 16
SHORTEST = 14
"""Days that a chart shows at least."""

_Scale = Callable[[float], float]


@dataclass(frozen=True)
class Mark:
    """A label at a place of an axis."""

    at: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Dot:
    """The total at the end of one day."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Chart:
    """Paths and places in pixels. `forecast` and `goal` are "" and None where there is none."""

    line: str
    area: str
    dots: tuple[Dot, ...]
    forecast: str
    goal: float | None
    deadline: float | None
    across: tuple[Mark, ...]
    up: tuple[Mark, ...]
    width: int = WIDTH + LEFT + RIGHT
    height: int = HEIGHT + TOP + BOTTOM
    left: int = LEFT
    right: int = LEFT + WIDTH
    top: int = TOP
    floor: int = TOP + HEIGHT


def draw(series: Series) -> Chart:
    """The chart of one rule. What happened within one day is drawn commit by commit, at equal distances."""
    points = condensed(series)
    first, last = points[0][0].toordinal(), points[-1][0].toordinal()
    within_a_day = first == last and len(points) > 1
    end = first + len(points) - 1 if within_a_day else _end(series, first, last)
    top = _nice(max(*(total for _, total in points), series.goal or 0, 1))

    def x(ordinal: float) -> float:
        return round(LEFT + WIDTH * (ordinal - first) / (end - first), 1)

    def y(total: float) -> float:
        return round(TOP + HEIGHT - HEIGHT * total / top, 1)

    places = [first + at if within_a_day else day.toordinal() for at, (day, _) in enumerate(points)]
    dots = tuple(Dot(x(at), y(total), f"{day}: {total}") for at, (day, total) in zip(places, points, strict=True))
    # A cap holds until the next commit, so the line is a staircase.
    line = f"M {dots[0].x:g} {dots[0].y:g}" + "".join(f" H {dot.x:g} V {dot.y:g}" for dot in dots[1:])
    return Chart(
        line,
        f"{line} V {TOP + HEIGHT} H {LEFT} Z",
        dots,
        _forecast(series, dots[-1], x, y, end),
        None if series.goal is None else y(series.goal),
        x(series.by.toordinal()) if series.by and not within_a_day and first < series.by.toordinal() <= end else None,
        (Mark(LEFT, datetime.date.fromordinal(first).isoformat(), "start"),)
        if within_a_day
        else _days(series, first, last, end, x),
        tuple(Mark(y(total), str(total), "end") for total in sorted({0, top // 2, top})),
    )


def _end(series: Series, first: int, last: int) -> int:
    """The last day shown: far enough for the goal's day and the forecast, unless history would become a sliver."""
    span = max(last - first, SHORTEST)
    ahead = [day.toordinal() for day in (series.by, series.forecast) if day is not None]
    return max(first + SHORTEST, last, min(max(ahead, default=last), last + 2 * span))


def _nice(top: int) -> int:
    """The least round even number that is no smaller."""
    step = int(10 ** max(0, len(str(top)) - 2))
    rounded = -(-top // step) * step
    return rounded + rounded % 2


def _forecast(series: Series, start: Dot, x: _Scale, y: _Scale, end: int) -> str:
    """From the last cap down to the goal; cut where the chart ends."""
    if series.forecast is None or series.goal is None or series.points[-1][2] <= series.goal:
        return ""
    last, meets = series.points[-1][0].toordinal(), series.forecast.toordinal()
    now = series.points[-1][2]
    seen = min(meets, end)
    total = now + (series.goal - now) * (seen - last) / (meets - last)
    return f"M {start.x:g} {start.y:g} L {x(seen):g} {y(total):g}"


def _days(series: Series, first: int, last: int, end: int, x: _Scale) -> tuple[Mark, ...]:
    """The first and the last day of history, and the goal's day, where there is room for them."""
    wanted = [(first, "start"), (last, "middle" if last < end else "end")]
    if series.by is not None and first < series.by.toordinal() <= end:
        wanted.append((series.by.toordinal(), "end"))
    marks: list[Mark] = []
    for ordinal, anchor in dict(wanted).items():
        at = x(ordinal)
        if all(abs(at - mark.at) > 110 for mark in marks):
            marks.append(Mark(at, datetime.date.fromordinal(ordinal).isoformat(), anchor))
    return tuple(marks)
