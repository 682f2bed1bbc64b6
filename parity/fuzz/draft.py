"""A drawn workflow as plain data, and the case that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...adapters.model import parse_workflow
from ..case import Case
from .bodies import handlers_of


@dataclass(frozen=True)
class Draft:
    """A workflow's definition as data, the bodies of its nodes by name, its inputs and its options."""

    definition: Mapping[str, Any]
    bodies: Mapping[str, str]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many steps it has, branches of groups included."""
        return len(self.definition.get("steps") or self.definition["nodes"])

    def case(self, name: str = "fuzz") -> Case:
        """The case to run. Raises WorkflowError when the definition is not valid."""
        return Case(
            name,
            "w",
            parse_workflow(dict(self.definition)),
            dict(self.inputs),
            handlers_of(self.bodies),
            options=dict(self.options),
        )
