"""Result shapes: how a neutral result becomes a team's own class, and is read back from it.

A team implements the protocol, or describes its classes to `ClassShape`; nothing here runs a workflow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from .errors import WorkflowError
from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult


@runtime_checkable
class ResultShape(Protocol):
    """How results look to a team's callers. `read(build(result))` must give back what the team's class can hold."""

    @property
    def id(self) -> str:
        """The stable name, unique among shapes."""
        ...

    @property
    def summary(self) -> str:
        """One line that says which class it is for."""
        ...

    def build(self, result: WorkflowResult) -> Any:
        """The team's own object."""
        ...

    def read(self, value: Any) -> WorkflowResult:
        """The neutral result that a team's object holds."""
        ...


@dataclass(frozen=True)
class NeutralShape:
    """Results stay as they are."""

    id: str = "neutral"
    summary: str = "graphlift's own WorkflowResult"

    def build(self, result: WorkflowResult) -> WorkflowResult:
        """The result itself."""
        return result

    def read(self, value: WorkflowResult) -> WorkflowResult:
        """The result itself."""
        return value


@dataclass(frozen=True)
class DictShape:
    """Results are plain dicts, as `to_dict` gives them."""

    id: str = "dict"
    summary: str = "plain dicts"

    def build(self, result: WorkflowResult) -> dict[str, Any]:
        """`result.to_dict()`."""
        return result.to_dict()

    def read(self, value: Mapping[str, Any]) -> WorkflowResult:
        """`WorkflowResult.from_dict(value)`."""
        return WorkflowResult.from_dict(value)


@dataclass(frozen=True)
class ClassShape:
    """Results are a team's dataclasses or pydantic models, field by field.

    `names` gives the team's name of a neutral field where it differs, as `{"NodeResult.node_id": "name"}`. A neutral field
    that the team's class does not declare is left out. `status` is the team's own enumeration (by value), or None for text.
    `interrupt_class` None gives the interrupt as a dict.
    """

    result_class: type[Any]
    node_class: type[Any] | None = None
    context_class: type[Any] | None = None
    interrupt_class: type[Any] | None = None
    status: type[Any] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    id: str = "class"
    summary: str = "a team's own dataclasses or pydantic models"

    def build(self, result: WorkflowResult) -> Any:
        """An object of `result_class`. Raises WorkflowError when a field of it has no neutral counterpart and no default."""
        context = self._make(
            self.context_class,
            "WorkflowContext",
            {
                "data": result.context.data,
                "node_results": {name: self._node(node) for name, node in result.context.node_results.items()},
                "metadata": result.context.metadata,
            },
        )
        interrupt = result.interrupt and self._make(self.interrupt_class, "InterruptInfo", result.interrupt.to_dict())
        values = {item.name: getattr(result, item.name) for item in dataclasses.fields(result)}
        return self._make(self.result_class, "WorkflowResult", {**values, "context": context, "interrupt": interrupt})

    def _node(self, node: NodeResult) -> Any:
        values = {item.name: getattr(node, item.name) for item in dataclasses.fields(node)}
        values["status"] = self.status(node.status.value) if self.status else node.status.value
        values["children"] = tuple(self._node(child) for child in node.children)
        return self._make(self.node_class, "NodeResult", values)

    def _make(self, kind: type[Any] | None, neutral: str, values: Mapping[str, Any]) -> Any:
        named = {self.names.get(f"{neutral}.{name}", name): value for name, value in values.items()}
        if kind is None:
            return named
        declared = declared_fields(kind)
        try:
            return kind(**{name: value for name, value in named.items() if name in declared})
        except (TypeError, ValueError) as error:
            raise WorkflowError(
                f"result shape {self.id!r}: a {kind.__name__} cannot be made from a {neutral}: {error}",
                mend="name its fields in `names`, give them defaults, or write a ResultShape of your own",
            ) from error

    def read(self, value: Any) -> WorkflowResult:
        """The neutral result; what the team's class has no field for comes back as its default."""
        values = self._read(value, "WorkflowResult", WorkflowResult)
        context = self._read(values.get("context", {}), "WorkflowContext", WorkflowContext)
        nodes = {name: self._read_node(node) for name, node in context.get("node_results", {}).items()}
        interrupt = values.get("interrupt")
        values["context"] = WorkflowContext(**{**context, "node_results": nodes})
        values["interrupt"] = interrupt and InterruptInfo(**self._read(interrupt, "InterruptInfo", InterruptInfo))
        return WorkflowResult(**values)

    def _read_node(self, value: Any) -> NodeResult:
        values = self._read(value, "NodeResult", NodeResult)
        values["status"] = NodeStatus(getattr(values["status"], "value", values["status"]))
        values["children"] = tuple(self._read_node(child) for child in values.get("children", ()))
        return NodeResult(**values)

    def _read(self, value: Any, neutral: str, kind: type[Any]) -> dict[str, Any]:
        names = {item.name: self.names.get(f"{neutral}.{item.name}", item.name) for item in dataclasses.fields(kind)}
        if isinstance(value, Mapping):
            return {name: value[theirs] for name, theirs in names.items() if theirs in value}
        return {name: getattr(value, theirs) for name, theirs in names.items() if hasattr(value, theirs)}


def declared_fields(kind: type[Any]) -> frozenset[str]:
    """The names of the fields that a dataclass or pydantic model is made from."""
    if dataclasses.is_dataclass(kind):
        return frozenset(item.name for item in dataclasses.fields(kind) if item.init)
    models: Mapping[str, Any] = getattr(kind, "model_fields", {})
    return frozenset(models)
