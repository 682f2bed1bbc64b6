"""The metrics that graphlift ships, one file each; this module is the plugin that offers them."""

from __future__ import annotations

from collections.abc import Sequence

from ....adapters.markers import hookimpl
from .absent import Absent
from .base import Metric, Reading
from .code_lines import CodeLines
from .divergences import Divergences
from .import_ban import ImportBan
from .lines import Lines
from .references import References

__all__ = ["Metric", "Reading", "graphlift_ratchet_metrics"]


@hookimpl
def graphlift_ratchet_metrics() -> Sequence[Metric]:
    """Every built-in metric."""
    return [Absent(), CodeLines(), Divergences(), ImportBan(), Lines(), References()]
