"""Result shapes: how a neutral result becomes a team's own class, and is read back from it.

A team implements the protocol, or describes its classes to `ClassShape`; nothing here runs a workflow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar, runtime_checkable

from .errors import WorkflowError
from .results import InterruptInfo, NodeResult, NodeStatus, WorkflowContext, WorkflowResult

T = TypeVar("T")


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
    that the team's class does not declare is left out. `status` makes the team's status from the text of ours (its enumeration
    by value, or any function), None leaves the text.
    `interrupt_class` None gives the interrupt as a dict. Raises WorkflowError for a class that is neither, and for a key of
    `names` that is no neutral field.
    """

    result_class: type[Any]
    node_class: type[Any] | None = None
    context_class: type[Any] | None = None
    interrupt_class: type[Any] | None = None
    status: Callable[[str], Any] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    id: str = "class"
    summary: str = "a team's own dataclasses or pydantic models"

    def __post_init__(self) -> None:
        for kind in (self.result_class, self.node_class, self.context_class, self.interrupt_class):
            if kind is not None and not is_declared(kind):
                raise WorkflowError(
                    f"result shape {self.id!r}: {kind.__name__} is neither a dataclass nor a pydantic model",
                    mend="write a ResultShape of your own: two methods, build and read",
                )
        unknown = sorted(set(self.names) - NEUTRAL)
        if unknown:
            close = get_close_matches(unknown[0], sorted(NEUTRAL), n=1)
            raise WorkflowError(
                f"result shape {self.id!r}: {unknown[0]!r} is no neutral field",
                mend=f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(sorted(NEUTRAL))}",
            )

    def build(self, result: WorkflowResult) -> Any:
        """An object of `result_class`.

        Raises WorkflowError when a field of it has no neutral counterpart and no default, or its `status` lacks one of ours.
        """
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
        values["status"] = self._status(node.status)
        values["children"] = tuple(self._node(child) for child in node.children)
        return self._make(self.node_class, "NodeResult", values)

    def _status(self, status: NodeStatus) -> Any:
        if self.status is None:
            return status.value
        try:
            return self.status(status.value)
        except (ValueError, KeyError) as error:
            kind = getattr(self.status, "__name__", "status")
            raise WorkflowError(
                f"result shape {self.id!r}: {kind} has no member for the status {status.value!r}",
                mend="add one with that value, or give `status` a function of the text",
            ) from error

    def _make(self, kind: type[Any] | None, neutral: str, values: Mapping[str, Any]) -> Any:
        named = {self.names.get(f"{neutral}.{name}", name): value for name, value in values.items()}
        if kind is None:
            return named
        declared = declared_fields(kind)
        try:
            return kind(**{declared[name]: value for name, value in named.items() if name in declared})
        except (TypeError, ValueError) as error:
            raise WorkflowError(
                f"result shape {self.id!r}: a {kind.__name__} cannot be made from a {neutral}: {error}",
                mend="name its fields in `names`, give them defaults, or write a ResultShape of your own",
            ) from error

    def read(self, value: Any) -> WorkflowResult:
        """The neutral result; what the team's class has no field for comes back as its default.

        Raises WorkflowError where there is no default: without a name, a success or a status nothing can be read.
        """
        values = self._read(value, "WorkflowResult", WorkflowResult)
        context = self._read(values.get("context", {}), "WorkflowContext", WorkflowContext)
        nodes = {name: self._read_node(node) for name, node in context.get("node_results", {}).items()}
        interrupt = values.get("interrupt")
        values["context"] = WorkflowContext(**{**context, "node_results": nodes})
        values["interrupt"] = interrupt and InterruptInfo(**self._read(interrupt, "InterruptInfo", InterruptInfo))
        return self._neutral(WorkflowResult, values)

    def _read_node(self, value: Any) -> NodeResult:
        values = self._read(value, "NodeResult", NodeResult)
        text = str(getattr(values.get("status"), "value", values.get("status")))
        if text.lower() not in set(NodeStatus):
            raise WorkflowError(
                f"result shape {self.id!r}: the status {text!r} of a node cannot be read back",
                mend="write a ResultShape of your own, or let the values of the team's statuses be ours",
            )
        values["status"] = NodeStatus(text.lower())
        values["children"] = tuple(self._read_node(child) for child in values.get("children", ()))
        return self._neutral(NodeResult, values)

    def _neutral(self, kind: type[T], values: Mapping[str, Any]) -> T:
        try:
            return kind(**values)
        except TypeError as error:
            raise WorkflowError(
                f"result shape {self.id!r}: a {kind.__name__} cannot be read back: {error}",
                mend="give the team's class the fields that it needs, or write a ResultShape of your own",
            ) from error

    def _read(self, value: Any, neutral: str, kind: type[Any]) -> dict[str, Any]:
        names = {item.name: self.names.get(f"{neutral}.{item.name}", item.name) for item in dataclasses.fields(kind)}
        if isinstance(value, Mapping):
            return {name: value[theirs] for name, theirs in names.items() if theirs in value}
        return {name: getattr(value, theirs) for name, theirs in names.items() if hasattr(value, theirs)}


NEUTRAL = frozenset(
    f"{kind.__name__}.{item.name}"
    for kind in (WorkflowResult, NodeResult, WorkflowContext, InterruptInfo)
    for item in dataclasses.fields(kind)
)
"""Every field that `ClassShape.names` can rename."""


def is_declared(kind: type[Any]) -> bool:
    """Whether a class says which fields it is made from: a dataclass or a pydantic model."""
    return dataclasses.is_dataclass(kind) or isinstance(getattr(kind, "model_fields", None), Mapping)


def declared_fields(kind: type[Any]) -> dict[str, str]:
    """The fields that a dataclass or pydantic model is made from, each with the argument that sets it."""
    if dataclasses.is_dataclass(kind):
        return {item.name: item.name for item in dataclasses.fields(kind) if item.init}
    config = kind.model_config
    by_name = config.get("populate_by_name") or config.get("validate_by_name")
    return {name: name if by_name else _alias(item) or name for name, item in kind.model_fields.items()}


def _alias(item: Any) -> str | None:
    # A model that is not validated by name drops a value under the field's own name, without a word.
    alias = item.validation_alias
    alias = alias.choices[0] if hasattr(alias, "choices") else alias
    return alias if isinstance(alias, str) else None
