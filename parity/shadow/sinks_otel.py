"""A sink for OpenTelemetry: a span and counters for each sighting. Needs the extra `otel` (opentelemetry-api).

Where they go is the process's own set-up of OpenTelemetry (its providers and exporters); this names none.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ...adapters.errors import EnvironmentProblem
from .sinks import Sighting

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

_LOG = logging.getLogger("graphlift.shadow")
NAME = "graphlift.shadow"
LONGEST = 1_000
"""Characters of a text that becomes an attribute."""
MOST = 100
"""Divergences of one sighting that become events of its span; the counters count all."""


class OpenTelemetry:
    """Tells each sighting as a span `graphlift.shadow` with an event for each divergence, and counts both.

    The counters are `graphlift.shadow.runs` (by workflow and outcome: same, differs, failed) and
    `graphlift.shadow.divergences` (by workflow and rule). `values` also sends the two sides' values, which may be personal data;
    without it only places and causes leave the process. The providers are the global ones unless given. Raises
    `EnvironmentProblem` when it is made without opentelemetry-api; a call never raises.
    """

    def __init__(
        self,
        *,
        values: bool = False,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError:
            raise EnvironmentProblem(
                "opentelemetry-api is not installed", mend="install it: pip install 'graphlift[otel]'"
            ) from None
        self._values = values
        self._tracer = trace.get_tracer(NAME, tracer_provider=tracer_provider)
        meter = metrics.get_meter(NAME, meter_provider=meter_provider)
        self._runs = meter.create_counter(f"{NAME}.runs", "{run}", "Runs that were shadowed")
        self._divergences = meter.create_counter(f"{NAME}.divergences", "{divergence}", "Divergences that were seen")

    def __call__(self, sighting: Sighting) -> None:
        """Tell one; what goes wrong is logged."""
        try:
            self._tell(sighting)
        except Exception:
            _LOG.exception("a sighting cannot be told to OpenTelemetry")

    def _tell(self, sighting: Sighting) -> None:
        outcome = "failed" if sighting.failed else "differs" if sighting.divergences else "same"
        workflow = _short(sighting.workflow)
        self._runs.add(1, {"graphlift.workflow": workflow, "graphlift.outcome": outcome})
        for item in sighting.divergences:
            self._divergences.add(1, {"graphlift.workflow": workflow, "graphlift.rule": item.rule})
        attributes: dict[str, str | int] = {
            "graphlift.case": _short(sighting.case),
            "graphlift.workflow": workflow,
            "graphlift.outcome": outcome,
            "graphlift.divergences": len(sighting.divergences),
        }
        with self._tracer.start_as_current_span(NAME, attributes=attributes) as span:
            self._describe(span, sighting)

    def _describe(self, span: Span, sighting: Sighting) -> None:
        from opentelemetry.trace import Status, StatusCode

        if sighting.failed:
            span.set_status(Status(StatusCode.ERROR, _short(sighting.failed)))
        for item in sighting.divergences[:MOST]:
            told: dict[str, Any] = {"rule": item.rule, "family": item.family, "node": item.node, "cause": item.cause}
            told["activation"] = None if item.activation is None else item.activation + 1
            if self._values:
                told |= {"legacy": item.legacy, "candidate": item.candidate}
            # An attribute that is None is not sent.
            attributes = {f"graphlift.{name}": _short(value) for name, value in told.items() if value is not None}
            span.add_event("graphlift.divergence", attributes)


def _short(value: Any) -> Any:
    return value[:LONGEST] if isinstance(value, str) else value
