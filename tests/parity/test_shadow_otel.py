"""The OpenTelemetry sink: spans and counters of sightings, and no word of trouble to whoever is served."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from graphlift.adapters.errors import EnvironmentProblem
from graphlift.parity import Case, Divergence, Outcome, Tap
from graphlift.parity.engines import OutcomeEngine
from graphlift.parity.shadow import Mirror, OpenTelemetry, Sighting

TWICE = Divergence("GL101", "run count", "pay", 1, "ran 1 time", "ran 2 times", "an uneven join", case="order/1")
LATE = Divergence("GL110", "visibility", None, None, "card = 4111", "card absent", "x" * 5000, case="order/1")


class Telemetry:
    """A sink with exporters in memory."""

    def __init__(self, **more: Any) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.sink = OpenTelemetry(
            tracer_provider=traces, meter_provider=MeterProvider(metric_readers=[self.reader]), **more
        )

    def counts(self) -> dict[str, dict[tuple[str, ...], int]]:
        found: dict[str, dict[tuple[str, ...], int]] = {}
        data: Any = self.reader.get_metrics_data()
        for metric in data.resource_metrics[0].scope_metrics[0].metrics:
            points = metric.data.data_points
            found[metric.name] = {
                tuple(str(value) for value in point.attributes.values()): point.value for point in points
            }
        return found


def test_a_sighting_is_a_span_with_an_event_for_each_divergence() -> None:
    telemetry = Telemetry()
    telemetry.sink(Sighting("order/1", "order", (TWICE, LATE)))
    (span,) = telemetry.exporter.get_finished_spans()
    assert (span.name, dict(span.attributes or {})) == (
        "graphlift.shadow",
        {
            "graphlift.case": "order/1",
            "graphlift.workflow": "order",
            "graphlift.outcome": "differs",
            "graphlift.divergences": 2,
        },
    )
    first, second = [dict(event.attributes or {}) for event in span.events]
    assert first == {
        "graphlift.rule": "GL101",
        "graphlift.family": "run count",
        "graphlift.node": "pay",
        "graphlift.activation": 2,
        "graphlift.cause": "an uneven join",
    }
    assert len(str(second["graphlift.cause"])) == 1000
    assert "graphlift.node" not in second


def test_values_leave_the_process_only_where_that_was_asked_for() -> None:
    for asked, sent in ((False, None), (True, "card = 4111")):
        telemetry = Telemetry(values=asked)
        telemetry.sink(Sighting("order/1", "order", (LATE,)))
        (span,) = telemetry.exporter.get_finished_spans()
        assert dict(span.events[0].attributes or {}).get("graphlift.legacy") == sent


def test_runs_and_divergences_are_counted() -> None:
    telemetry = Telemetry()
    for sighting in (
        Sighting("order/1", "order"),
        Sighting("order/2", "order"),
        Sighting("order/3", "order", (TWICE, TWICE, LATE)),
        Sighting("order/4", "order", failed="did not end within 1 s"),
    ):
        telemetry.sink(sighting)
    assert telemetry.counts() == {
        "graphlift.shadow.runs": {("order", "same"): 2, ("order", "differs"): 1, ("order", "failed"): 1},
        "graphlift.shadow.divergences": {("order", "GL101"): 2, ("order", "GL110"): 1},
    }


def test_a_run_that_failed_is_an_error_and_one_that_differs_is_not() -> None:
    telemetry = Telemetry()
    telemetry.sink(Sighting("order/1", "order", failed="hung"))
    telemetry.sink(Sighting("order/1", "order", (TWICE,)))
    failed, differs = telemetry.exporter.get_finished_spans()
    assert (failed.status.status_code, failed.status.description) == (StatusCode.ERROR, "hung")
    assert differs.status.status_code is StatusCode.UNSET


def test_what_goes_wrong_is_logged_and_goes_no_further(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(TracerProvider):
        def get_tracer(self, *args: Any, **more: Any) -> Any:
            return object()

    OpenTelemetry(tracer_provider=Broken())(Sighting("order/1", "order"))
    assert "a sighting cannot be told to OpenTelemetry" in caplog.text


def test_a_shadow_tells_it_what_it_saw() -> None:
    telemetry = Telemetry()
    engine = OutcomeEngine("graph", "candidate", lambda case, handlers: {"success": False, "error": "E: no"})
    it = Mirror(engine, sinks=[telemetry.sink])

    def serve(tap: Tap) -> Outcome:
        return Outcome(True, {})

    assert it.serve_sync(Case("order/1", "order"), serve) == Outcome(True, {})
    it.drain()
    (span,) = telemetry.exporter.get_finished_spans()
    assert "GL140" in {str((event.attributes or {})["graphlift.rule"]) for event in span.events}


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(EnvironmentProblem, match="opentelemetry-api is not installed"):
        OpenTelemetry()


def test_nothing_of_opentelemetry_is_imported_before_it_is_used() -> None:
    code = "import sys, graphlift.parity.shadow; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
