"""The stages and the burn-down as one HTML page that works without a network. The same state always gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

from ...parity.reporters.html_page import Pages
from .charts import draw
from .reports import upcoming
from .stages import Stage
from .trend import Trend, newest_first, tell

ROWS = 30


def as_html(stages: Sequence[Stage], trend: Trend) -> str:
    """The page's text. Raises `EnvironmentProblem` without jinja2."""
    charts = [(item, draw(item), tell(item), newest_first(item, ROWS)) for item in trend.series]
    following = upcoming(stages)
    return Pages(__package__ or "").page(
        "status.html",
        styles=("status.css",),
        stages=stages,
        done=sum(stage.done for stage in stages),
        following=following,
        trend=trend,
        charts=charts,
    )
