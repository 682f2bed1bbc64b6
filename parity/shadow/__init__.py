"""Shadow mode: in production the legacy engine serves, and the candidate replays what its handlers answered, beside it.

The caller gets the legacy engine's own result, or its own exception, and waits for nothing else. Handlers run once.
"""

from __future__ import annotations

from .budget import Budget
from .calls import case_of_call
from .executor import Shadow
from .mirror import Counts, Mirror
from .sinks import JsonLines, Logging, Sighting, Sink, read_sightings
from .sinks_otel import OpenTelemetry

__all__ = [
    "Budget",
    "Counts",
    "JsonLines",
    "Logging",
    "Mirror",
    "OpenTelemetry",
    "Shadow",
    "Sighting",
    "Sink",
    "case_of_call",
    "read_sightings",
]
