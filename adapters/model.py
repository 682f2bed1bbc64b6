"""What a workflow is: two styles, validated, frozen, independent of any engine.

Successor style says what comes next (`next`, condition branches, parallel groups, human steps); dependency style says what
must have finished (`depends_on`, `when`, `loop_until`). Steps name their handlers; handlers are given separately. A
definition that is wrong under every traversal is refused here; what only one traversal cannot do is refused when compiling.
"""

from __future__ import annotations

import hashlib
import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from .errors import WorkflowError
from .validation import check_dependency, check_successor

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Join = Literal["all", "any", "merge"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class _Limits(_Frozen):
    """`timeout` is seconds for one attempt; `retries` are extra attempts, the first after `backoff` seconds, then doubled."""

    timeout: Annotated[float, Field(gt=0)] | None = None
    retries: Annotated[int, Field(ge=0, le=1000)] = 0
    backoff: Annotated[float, Field(ge=0)] = 0.0


class TaskNode(_Limits):
    """One call of a handler; a mapping that it returns is merged shallowly into the shared data."""

    kind: Literal["task"] = "task"
    name: Name
    handler: Name | None = None
    next: tuple[Name, ...] = ()

    @property
    def handler_name(self) -> str:
        """The handler to look up: `handler`, or the node's own name."""
        return self.handler or self.name


class ConditionNode(_Frozen):
    """Evaluated once; the verdict's label picks a branch. A label without a branch takes `default`, or ends quietly."""

    kind: Literal["condition"] = "condition"
    name: Name
    condition: str
    branches: dict[str, Name | None]
    default: Name | None = None

    @property
    def next(self) -> tuple[str, ...]:
        """Every node that some verdict leads to, in declaration order, once."""
        targets = [*self.branches.values(), self.default]
        return tuple(dict.fromkeys(target for target in targets if target is not None))


class ParallelNode(_Frozen):
    """Runs its branches (task nodes that only it runs) at once, at most `max_concurrency`, and joins them.

    `all` fails with the first failed branch and then applies nothing; `any` fails only when every branch failed; `merge`
    never fails. Otherwise what each successful branch changed is applied in declaration order.
    """

    kind: Literal["parallel"] = "parallel"
    name: Name
    branches: Annotated[tuple[Name, ...], Field(min_length=1)]
    join: Join = "all"
    max_concurrency: Annotated[int, Field(ge=1)] | None = None
    next: tuple[Name, ...] = ()


class HumanNode(_Frozen):
    """Waits for a person; the answer is the node's output, and a mapping is merged into the shared data."""

    kind: Literal["human"] = "human"
    name: Name
    prompt: str = ""
    next: tuple[Name, ...] = ()


AnyNode = TaskNode | ConditionNode | ParallelNode | HumanNode
Node = Annotated[AnyNode, Field(discriminator="kind")]


class DependencyStep(_Limits):
    """One step: runs once, after every one of `depends_on`; `when` lets it skip itself, `loop_until` lets it repeat."""

    name: Name
    handler: Name | None = None
    depends_on: tuple[Name, ...] = ()
    when: str | None = None
    loop_until: str | None = None
    loop_max: Annotated[int, Field(ge=1, strict=True)] | str = 10

    @property
    def handler_name(self) -> str:
        """The handler to look up: `handler`, or the step's own name."""
        return self.handler or self.name


class SuccessorWorkflow(_Frozen):
    """A workflow in successor style. Raises WorkflowError, naming the node and the mend, when the definition is wrong."""

    style: Literal["successor"] = "successor"
    name: Name
    start: Name
    nodes: Annotated[tuple[Node, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> SuccessorWorkflow:
        check_successor(self)
        return self

    def by_name(self) -> dict[str, AnyNode]:
        """Every node by its name, in declaration order."""
        return {node.name: node for node in self.nodes}


class DependencyWorkflow(_Frozen):
    """A workflow in dependency style. Raises WorkflowError, naming the step and the mend, when the definition is wrong."""

    style: Literal["dependency"] = "dependency"
    name: Name
    steps: Annotated[tuple[DependencyStep, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> DependencyWorkflow:
        check_dependency(self)
        return self

    def by_name(self) -> dict[str, DependencyStep]:
        """Every step by its name, in declaration order."""
        return {step.name: step for step in self.steps}


Workflow = SuccessorWorkflow | DependencyWorkflow

_ADAPTER: TypeAdapter[Workflow] = TypeAdapter(Annotated[Workflow, Field(discriminator="style")])


def validate_workflow(data: Any) -> Workflow:
    """`parse_workflow`, with pydantic's own ValidationError."""
    return _ADAPTER.validate_python(data)


def parse_workflow(data: Any) -> Workflow:
    """A workflow from plain data (what YAML or JSON gives). Raises WorkflowError; unknown keys are errors."""
    try:
        return validate_workflow(data)
    except ValidationError as error:
        message, mend = describe(error, data)
        raise WorkflowError(message, mend=mend) from error


def describe(error: ValidationError, data: Any) -> tuple[str, str]:
    """What pydantic found in `data`, each finding with its step and path, and the mend of the first."""
    found = deepest(error)
    texts = [f"{_step_of(item['loc'], data)}{path_text(item['loc'])}: {item['msg'].lower()}" for item in found]
    return "; ".join(dict.fromkeys(texts)), _mend(found[0])


def _step_of(location: tuple[int | str, ...], data: Any) -> str:
    """`step 'name': ` for a finding inside of a step that has a name: its number alone would have to be counted."""
    place = [part for part in location if part in ("nodes", "steps") or isinstance(part, int)][:2]
    try:
        name = data[place[0]][place[1]]["name"]
    except (LookupError, TypeError):
        return ""
    return f"step {name!r}: " if isinstance(name, str) else ""


def _mend(finding: ErrorDetails) -> str:
    about = finding.get("ctx", {})
    if finding["type"] == "extra_forbidden":
        known = {name for kind in _KINDS for name in kind.model_fields}
        close = get_close_matches(str(finding["loc"][-1]), sorted(known), n=1)
        return f"did you mean {close[0]!r}?" if close else "remove it; every key must be one of the model's"
    if finding["type"] == "union_tag_invalid":
        tags = [tag.strip("' ") for tag in str(about["expected_tags"]).split(",")]
        close = get_close_matches(str(about["tag"]), tags, n=1)
        return f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(tags)}"
    if finding["type"] == "union_tag_not_found":
        key = str(about["discriminator"]).strip("'")
        return f"say which {key} it is: `{key}: …`"
    if finding["type"] == "missing":
        return f"add it; a {finding['loc'][-1]} is needed"
    if finding["type"] == "tuple_type":
        return "give a list, also of one"
    if "loop_max" in finding["loc"]:
        return "give a whole number from 1, or an expression over inputs"
    return "correct the definition; every key must be one of the model's"


_KINDS: tuple[type[BaseModel], ...] = (
    *(TaskNode, ConditionNode, ParallelNode, HumanNode),
    *(DependencyStep, SuccessorWorkflow, DependencyWorkflow),
)


def deepest(error: ValidationError) -> list[ErrorDetails]:
    """The findings, less those that only say that something inside them is wrong."""
    items = error.errors()
    places = [item["loc"] for item in items]
    return [
        item
        for item in items
        if not any(len(p) > len(item["loc"]) and p[: len(item["loc"])] == item["loc"] for p in places)
    ]


def path_text(location: tuple[int | str, ...]) -> str:
    """A readable path (`nodes[2].next`) from pydantic's location; the tags of unions are left out."""
    tags = {"successor", "dependency", "task", "condition", "parallel", "human", "function-after"}
    parts = [part for index, part in enumerate(location) if not (part in tags and index < len(location) - 1)]
    if "loop_max" in parts:  # the two types that it may have say the same thing twice
        parts = parts[: parts.index("loop_max") + 1]
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.lstrip(".") or "definition"


def content_hash(workflow: Workflow) -> str:
    """SHA-256 (hex) of the canonical JSON of the definition: equal definitions, equal hashes, whatever their source."""
    data = workflow.model_dump(mode="json")
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
