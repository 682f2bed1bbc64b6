"""What both ready-made engines take from a case: the workflow, and the options that they know."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...adapters.errors import UsageError
from ...adapters.model import DependencyWorkflow, SuccessorWorkflow, Workflow, parse_workflow

if TYPE_CHECKING:
    from ..case import Case

OPTIONS = frozenset({"answers", "conditions", "failure_policy", "mode"})


def workflow_of(case: Case) -> Workflow:
    """The case's definition as a workflow.

    Raises UsageError when it is not one of graphlift's, or when the case has an option that these engines do not know: it
    would be a case that says it varies something and does not.
    """
    unknown = sorted(set(case.options) - OPTIONS)
    if unknown:
        raise UsageError(
            f"case {case.id!r}: the ready-made engines have no option {unknown[0]!r}",
            mend=f"the options are {', '.join(sorted(OPTIONS))}",
        )
    workflow = case.definition
    if isinstance(workflow, Mapping):
        workflow = parse_workflow(workflow)
    if not isinstance(workflow, (SuccessorWorkflow, DependencyWorkflow)):
        raise UsageError(
            f"case {case.id!r}: the definition is a {type(case.definition).__name__}, not a graphlift Workflow",
            mend="give a Workflow, or an engine of your own",
        )
    return workflow


def policy_of(case: Case) -> Any:
    """The failure policy that the case asks for."""
    return case.options.get("failure_policy", "fail")


def version(*distributions: str) -> str:
    """Names and versions of distributions, as evidence."""
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in distributions)
