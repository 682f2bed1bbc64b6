"""What a call of the executor means: which workflow, which inputs. And which object stands beside it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from ...adapters.errors import UsageError
from ...adapters.views import isolate
from ..case import Case
from ..engine import Engine
from ..engines.function import OutcomeEngine
from ..outcome import Outcome

CaseOf = Callable[[str, Mapping[str, Any]], Case | None]
"""Makes a case of the name of the method that was called and its arguments by name; None leaves the call out."""

INPUTS = ("initial_data", "inputs", "input", "data", "context", "state", "payload")
GOES_ON = ("resume", "checkpoint_id", "start", "start_node")


def case_of_call(method: str, arguments: Mapping[str, Any]) -> Case | None:
    """The case of a usual call: the first argument is the definition, the inputs are under a usual name or come second.

    None where a call goes on with an earlier one: a replay would begin at the beginning.
    """
    if any(arguments.get(name) is not None for name in GOES_ON):
        return None
    values = list(arguments.values())
    definition = values[0] if values else method
    found = next((arguments[name] for name in INPUTS if arguments.get(name) is not None), None)
    if found is None and len(values) > 1:
        found = values[1]
    inputs = found if isinstance(found, Mapping) else getattr(found, "data", None)
    name = name_of(definition) or method
    return Case(name, name, definition, isolate(dict(inputs)) if isinstance(inputs, Mapping) else {})


def name_of(definition: Any) -> str:
    """What a definition is called: its `name`, `id` or `workflow_id`, or itself if it is a text; else nothing."""
    if isinstance(definition, str):
        return _printable(definition)
    for key in ("name", "id", "workflow_id"):
        value = definition.get(key) if isinstance(definition, Mapping) else getattr(definition, key, None)
        if isinstance(value, str) and value.strip():
            return _printable(value)
    return ""


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text).strip().replace("::", ":")


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a callable, if it has one."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def arguments_of(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by the names of its parameters; those of `**options` among them. Raises TypeError."""
    if signature is None:
        return {**{f"argument {number}": value for number, value in enumerate(args)}, **kwargs}
    found = dict(signature.bind(*args, **kwargs).arguments)
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            found.update(found.pop(parameter.name, {}))
        if parameter.kind is parameter.VAR_POSITIONAL:
            found.update({f"{parameter.name}[{at}]": each for at, each in enumerate(found.pop(parameter.name, ()))})
    return found


def registry_of(legacy: Any, attribute: str | None) -> MutableMapping[str, Any] | None:
    """The mapping that an executor looks its handlers up in: the attribute that is named, or the only one that is such.

    None where there is none. Raises UsageError where there are several, or where the one that is named is no mapping.
    """
    if attribute is not None:
        found = getattr(legacy, attribute, None)
        if not isinstance(found, MutableMapping):
            raise UsageError(
                f"{type(legacy).__name__}.{attribute} is {type(found).__name__}, not a mapping that handlers can be wrapped in",
                mend="name the attribute that holds them, or the methods that run a node (methods=…)",
            )
        return found
    held = {name: value for name, value in vars(legacy).items() if _holds_callables(value)} if _has_dict(legacy) else {}
    if len(held) > 1:
        raise UsageError(
            f"{type(legacy).__name__} has several mappings of callables: {', '.join(sorted(held))}",
            mend="name the one that holds the handlers: handlers='…'",
        )
    return next(iter(held.values()), None)


def _has_dict(value: Any) -> bool:
    return hasattr(value, "__dict__")


def _holds_callables(value: Any) -> bool:
    return isinstance(value, MutableMapping) and bool(value) and all(map(callable, value.values()))


def engine_of(candidate: Any, read: Callable[[Any], Outcome]) -> Engine:
    """The candidate as an engine: one already, an executor that has `with_handlers`, or a function of case and handlers.

    Raises UsageError for anything else: it could not be given the recorded answers.
    """
    if isinstance(candidate, Engine):
        return candidate
    if hasattr(candidate, "with_handlers") and hasattr(candidate, "execute_sync"):

        def replay(case: Case, handlers: dict[str, Any]) -> Any:
            return candidate.with_handlers(handlers).execute_sync(case.definition, dict(case.inputs))

        return OutcomeEngine(type(candidate).__name__, "candidate", replay, read=read)
    if callable(candidate):
        name = getattr(candidate, "__qualname__", type(candidate).__qualname__)
        return OutcomeEngine(name, "candidate", candidate, read=read)
    raise UsageError(
        f"a {type(candidate).__name__} cannot replay what another engine recorded",
        mend="give an engine, a GraphWorkflowExecutor, or a function of the case and its handlers",
    )
