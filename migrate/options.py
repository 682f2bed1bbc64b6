"""Options of a command as dataclasses: a command with many options takes a few groups, and passes each on whole.

A group is a frozen dataclass whose fields are typer options with defaults. The command line is flat: nothing of the groups
shows there, and two groups cannot have a field of the same name.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: each parameter whose type is a dataclass is replaced by that dataclass's fields."""
    hints = get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    groups = {item.name: hints[item.name] for item in given if dataclasses.is_dataclass(hints[item.name])}

    def flat() -> Iterator[inspect.Parameter]:
        for item in given:
            if item.name in groups:
                yield from _fields(groups[item.name])
            else:
                yield item.replace(annotation=hints[item.name], kind=inspect.Parameter.KEYWORD_ONLY)

    def run(**options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in dataclasses.fields(group)})
        command(**options)

    parameters = list(flat())
    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _fields(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
