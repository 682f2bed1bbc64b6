"""The metrics that graphlift ships, one file each; this module is the plugin that offers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....adapters.markers import hookimpl

if TYPE_CHECKING:
    from .base import Metric, Reading

__all__ = ["Metric", "Reading", "graphlift_ratchet_metrics"]


def __getattr__(name: str) -> object:
    # Every command loads this module; what measuring needs is for those that measure.
    if name not in ("Metric", "Reading"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import base

    return getattr(base, name)


@hookimpl
def graphlift_ratchet_metrics() -> Sequence[Metric]:
    """Every built-in metric."""
    from .absent import Absent
    from .code_lines import CodeLines
    from .divergences import Divergences
    from .import_ban import ImportBan
    from .lines import Lines
    from .references import References

    return [Absent(), CodeLines(), Divergences(), ImportBan(), Lines(), References()]
