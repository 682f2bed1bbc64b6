"""Metamorphic checks: one engine, run on a workflow and on the same workflow written differently, must do the same.

Both engines can be wrong alike, and then comparing them shows nothing. A workflow whose steps are renamed, declared in another
order, preceded by a step that does nothing, or of which one step is slow, has the same counts, inputs and results. Only for
definitions that are graphlift's own workflows. Nothing here runs or judges; see `alone`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..adapters.errors import UsageError
from ..adapters.expressions import parse_expression
from ..adapters.model import DependencyWorkflow, TaskNode, Workflow
from ..adapters.views import NodeView
from .case import Case, Handlers
from .cassette import Answer
from .observation import Observation, RecordedOutcome
from .recorded import Value, of_plain
from .settled import settled
from .shape import workflow_in

NOOP = "graphlift-noop"
PAUSE = 0.005
"""Seconds by which the slow step is delayed."""


@dataclass(frozen=True)
class Names:
    """How a variant's names read in the original: `back` gives a step's name there, those of `added` have none.

    `groups` are parallel groups (original names), whose outputs have the names of branches in them.
    """

    back: Mapping[str, str] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def of(self, name: str) -> str:
        """The original name."""
        return self.back.get(name, name)

    def read(self, by_name: Mapping[str, Any]) -> dict[str, Any]:
        """A mapping by step in the original's names."""
        return {
            self.of(name): self.inside(self.of(name), value)
            for name, value in by_name.items()
            if name not in self.added
        }

    def inside(self, name: str, output: Any) -> Any:
        """The output of a step in the original's names."""
        if name not in self.groups or not isinstance(output, Mapping):
            return output
        return {self.of(branch): value for branch, value in output.items()}


@dataclass(frozen=True)
class Variant:
    """The same workflow in other words."""

    relation: str
    case: Case
    names: Names = Names()


def variants(case: Case, answers: Iterable[Answer] = ()) -> tuple[Variant, ...]:
    """The variants of a case, each a case with an id of its own; recorded handlers give `answers` and never run.

    Raises UsageError when its definition is not one of graphlift's own workflows.
    """
    workflow = workflow_in(case)
    if workflow is None:
        raise UsageError(
            f"case {case.id!r}: metamorphic checks need a graphlift Workflow as its definition",
            mend="give one, or leave the case out of them",
        )
    base = settled(replace(case, definition=workflow), answers)
    found = (_renamed(base, workflow), _permuted(base, workflow), _with_noop(base, workflow), *_delayed(base, workflow))
    return tuple(replace(one, case=_told(one, case)) for one in found)


def _told(variant: Variant, original: Case) -> Case:
    """The variant's case under its own id, its definition in the form that the original's has."""
    definition = variant.case.definition
    if isinstance(original.definition, Mapping):
        definition = definition.model_dump(mode="json")
    return replace(variant.case, id=f"{original.id} ({variant.relation})", definition=definition)


def _renamed(case: Case, workflow: Workflow) -> Variant:
    """Names in the reverse order of the alphabet, so that whatever is sorted by name turns round."""
    names = sorted(workflow.by_name())
    new = {name: f"s{len(names) - index:04d} {name}" for index, name in enumerate(names)}
    groups = frozenset(name for name, step in workflow.by_name().items() if getattr(step, "kind", "") == "parallel")
    seen = Names({renamed: name for name, renamed in new.items()}, groups=groups)
    options = dict(case.options)
    if "answers" in options:
        options["answers"] = {new.get(name, name): value for name, value in options["answers"].items()}
    changed = replace(case, definition=_rewrite(workflow, new), options=options)
    return Variant("its steps are renamed", _seeing_as(changed, workflow, seen), seen)


def _seeing_as(case: Case, workflow: Workflow, names: Names) -> Case:
    """The case with handlers and rules that read the original's names."""
    conditions = _conditions(case, workflow, names)
    options = {**case.options, "conditions": conditions} if conditions else case.options
    changed = replace(case, options=options)
    return _changing(changed, lambda given: {name: _seeing(handler, names) for name, handler in given.items()})


def _changing(case: Case, change: Callable[[Handlers], Handlers]) -> Case:
    """The case with other handlers, also where each run opens its own."""
    if isinstance(case.handlers, Mapping):
        return replace(case, handlers=change(case.handlers))

    @contextmanager
    def opened() -> Iterator[Handlers]:
        with case.opened() as handlers:
            yield change(handlers)

    return replace(case, handlers=opened)


def _rewrite(workflow: Workflow, new: Mapping[str, str]) -> Workflow:
    if isinstance(workflow, DependencyWorkflow):
        steps = tuple(
            step.model_copy(
                update={
                    "name": new[step.name],
                    "handler": step.handler_name,
                    "depends_on": tuple(new[name] for name in step.depends_on),
                }
            )
            for step in workflow.steps
        )
        return workflow.model_copy(update={"steps": steps})
    nodes = tuple(node.model_copy(update=_fields(node, new)) for node in workflow.nodes)
    return workflow.model_copy(update={"start": new[workflow.start], "nodes": nodes})


def _fields(node: Any, new: Mapping[str, str]) -> dict[str, Any]:
    changes: dict[str, Any] = {"name": new[node.name]}
    if isinstance(node, TaskNode):
        changes["handler"] = node.handler_name
    if node.kind == "condition":
        branches = {label: target and new[target] for label, target in node.branches.items()}
        return {**changes, "branches": branches, "default": node.default and new[node.default]}
    if node.kind == "parallel":
        changes["branches"] = tuple(new[name] for name in node.branches)
    return {**changes, "next": tuple(new[name] for name in node.next)}


def _conditions(case: Case, workflow: Workflow, names: Names) -> dict[str, Any]:
    """Every rule of the workflow as a callable that reads the original names."""
    given: Mapping[str, Any] = case.options.get("conditions") or {}
    if isinstance(workflow, DependencyWorkflow):
        texts = [text for step in workflow.steps for text in (step.when, step.loop_until) if text]
    else:
        texts = [node.condition for node in workflow.nodes if node.kind == "condition"]
    return {text: _seeing(given.get(text) or _expression(text), names) for text in texts}


def _expression(text: str) -> Callable[[NodeView], Any]:
    parsed = parse_expression(text)
    return lambda view: parsed.evaluate(view.scope())


def _seeing(function: Any, names: Names) -> Any:
    """A handler or condition that sees the original names; arguments that are no `NodeView` have none, and stay."""

    def original(view: Any) -> Any:
        if not isinstance(view, NodeView):
            return view
        return replace(view, node=names.of(view.node), results=names.read(view.results), status=names.read(view.status))

    if inspect.iscoroutinefunction(function):

        async def later(*args: Any, **kwargs: Any) -> Any:
            return await function(*map(original, args), **kwargs)

        return later
    return lambda *args, **kwargs: function(*map(original, args), **kwargs)


def _permuted(case: Case, workflow: Workflow) -> Variant:
    key = "steps" if isinstance(workflow, DependencyWorkflow) else "nodes"
    turned = workflow.model_copy(update={key: tuple(reversed(getattr(workflow, key)))})
    return Variant("its steps are declared in another order", replace(case, definition=turned))


def _with_noop(case: Case, workflow: Workflow) -> Variant:
    """A step that does nothing, before everything else."""
    first: Any
    if isinstance(workflow, DependencyWorkflow):
        first = workflow.steps[0].model_validate({"name": NOOP})
        steps = [
            step if step.depends_on else step.model_copy(update={"depends_on": (NOOP,)}) for step in workflow.steps
        ]
        changed: Workflow = workflow.model_copy(update={"steps": (first, *steps)})
    else:
        first = TaskNode(name=NOOP, next=(workflow.start,))
        changed = workflow.model_copy(update={"start": NOOP, "nodes": (first, *workflow.nodes)})
    names = Names(added=frozenset({NOOP}))
    hidden = _seeing_as(replace(case, definition=changed), workflow, names)
    changed_case = _changing(hidden, lambda given: {**given, NOOP: _nothing})
    return Variant("a step that does nothing comes before it", changed_case, names)


def _nothing(*args: Any, **kwargs: Any) -> None:
    """The body of the step that does nothing."""


def _delayed(case: Case, workflow: Workflow) -> Iterator[Variant]:
    """One variant for each step that several others could overtake: a source of a join."""
    if not isinstance(workflow, DependencyWorkflow):
        return
    joins = [step for step in workflow.steps if len(set(step.depends_on)) > 1]
    by_name = workflow.by_name()
    for name in dict.fromkeys(source for step in joins for source in step.depends_on):
        steps = tuple(
            step.model_copy(update={"handler": name if step.name == name else step.handler_name})
            for step in workflow.steps
        )
        changed = workflow.model_copy(update={"steps": steps})
        if any(step.handler_name == name and step.name != name for step in workflow.steps):
            continue  # another step uses a handler of this name: it would be slow too
        slow = functools.partial(_with_slow, name, by_name[name].handler_name)
        yield Variant(f"{name} is slow", _changing(replace(case, definition=changed), slow))


def _with_slow(name: str, handler: str, given: Handlers) -> Handlers:
    return {**given, name: _slow(given[handler])}


def _slow(function: Any) -> Any:
    if inspect.iscoroutinefunction(function):

        async def later(*args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(PAUSE)
            return await function(*args, **kwargs)

        return later

    def call(*args: Any, **kwargs: Any) -> Any:
        time.sleep(PAUSE)
        return function(*args, **kwargs)

    return call


def translated(run: Observation, names: Names) -> Observation:
    """The observation in the original's names, without the steps that were added."""
    activations = tuple(
        replace(item, node=names.of(item.node), saw=_value(item.saw, names))
        for item in run.activations
        if item.node not in names.added
    )
    return replace(run, activations=activations, outcome=run.outcome and _outcome(run.outcome, names))


def _value(saw: Value, names: Names) -> Value:
    if not saw.kept or not isinstance(saw.content, Mapping):
        return saw
    by_step = {key: names.read(part) for key, part in saw.content.items() if key in ("results", "status")}
    return of_plain({**saw.content, **by_step}, None)


def _outcome(outcome: RecordedOutcome, names: Names) -> RecordedOutcome:
    pause = outcome.interrupt and (names.of(outcome.interrupt[0]), outcome.interrupt[1])
    if outcome.nodes is None:
        return replace(outcome, interrupt=pause)
    ends = {names.of(name): end for name, end in outcome.nodes.items() if name not in names.added}
    nodes = {
        name: replace(end, output=of_plain(names.inside(name, end.output.content), None))
        if name in names.groups and end.output is not None
        else end
        for name, end in ends.items()
    }
    return replace(outcome, nodes=nodes, interrupt=pause)
