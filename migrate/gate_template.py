"""The module that `graphlift init` writes: the project's two engines and its cases, to be filled in by somebody who knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .discovery import Candidate

TEMPLATE = '''\
"""The two engines and the cases of the parity gate. Written by `graphlift init`: fill in what is marked TODO.

graphlift imports this module in its own process and in its workers, and never your code before it runs a case: so import
that inside the functions. docs/parity.md of graphlift describes every part, and what else a case can say.
"""

from __future__ import annotations

from graphlift.parity import Case
from graphlift.parity.engines import OutcomeEngine
from graphlift.plugins import hookimpl


@hookimpl
def graphlift_engines(project):
    """One engine that goes ("legacy") and one that comes. `sources` are the files whose change makes a verdict stale."""
    return [
        OutcomeEngine("walker", "legacy", run_legacy, sources={source}),
        OutcomeEngine("graph", "candidate", run_candidate, sources=()),  # TODO 2: the new engine's files
    ]


def run_legacy(case, handlers):
    """How a definition runs under the engine that goes.

    `handlers` are the case's callables by name, each wrapped so that the gate sees its calls: hand these on instead of your
    own. An engine that finds its nodes otherwise is a `TappedEngine`, whose function gets `(case, tap)`:
    `tap.methods(walker, ["_execute_node"])` for methods of an object, `tap.wrap("name", function)` for one callable,
    `graphlift.parity.streaming.run_tapped(tap, graph, inputs)` for a LangGraph graph that is built elsewhere.

    Give back the engine's own result. Success, final data, node results and error are found under the usual names; where
    yours has others, say `read=lambda result: outcome_of(result, names={{"success": "is_ok"}})` in the engine above.
    """
    {run}


def run_candidate(case, handlers):
    """The same under the engine that comes."""
    raise NotImplementedError("TODO 2: run case.definition with case.inputs under the new engine")


@hookimpl
def graphlift_cases(project):
    """What is run: an id that never changes, the workflow's name, its definition, its inputs, its handlers by name."""
    return [
        # TODO 3: your cases. `files` are those that define a case; handlers may be real, or as below.
        # Case("order/small", "order", FLOW, {{"pieces": 1}}, HANDLERS, files=("flows/order.yaml",)),
        #
        # Handlers with effects: run once under the engine that goes and replayed after that, or never run at all.
        # Case("order/paid", "order", FLOW, {{"pieces": 3}}, HANDLERS, recorded=("pay", "mail_*"), stubs={{"log": None}}),
        #
        # Options of the engines as a matrix: a case for each combination; the functions above read case.options.
        # Case("order/large", "order", FLOW, {{"pieces": 90}}, HANDLERS, matrix={{"max_workers": [1, 4]}}),
        #
        # What each node waits for, so that causes name joins, stalled nodes are found and coverage is measured.
        # Case("order/all", "order", FLOW, {{}}, HANDLERS, edges={{"tax": ["price"], "total": ["tax", "ship"]}}),
    ]
'''

CALL = """\
from {module} import {name}

    return {call}  # TODO 1: as your code does it"""
NOTHING = 'raise NotImplementedError("TODO 1: run case.definition with case.inputs under the engine that goes")'


def template(candidates: tuple[Candidate, ...]) -> str:
    """The module's text, with the first walker that was found put in where it is run."""
    found = next((item for item in candidates if item.runs_nodes), None)
    if found is None:
        return TEMPLATE.format(source="()", run=NOTHING)
    module, _, name = found.name.rpartition(".")
    arguments = "case.definition, case.inputs"
    call = (
        f"{name}(handlers).run({arguments})"
        if name[:1].isupper()
        else f"{name}(case.definition, handlers, case.inputs)"
    )
    return TEMPLATE.format(source=f'("{found.file}",)', run=CALL.format(module=module, name=name, call=call))
