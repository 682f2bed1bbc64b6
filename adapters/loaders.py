"""Definitions from YAML and from Python objects, strict about unknown keys, with the line in every error.

YAML is read as 1.2 reads it where the two differ in what people write: `yes`, `no`, `on` and `off` are texts, not truths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from .errors import EnvironmentProblem, WorkflowError
from .model import (
    DependencyWorkflow,
    SuccessorWorkflow,
    Workflow,
    deepest,
    describe,
    parse_workflow,
    validate_workflow,
)
from .validation import DefinitionError

MAX_NODES = 500_000
Place = tuple[int | str, ...]


def load_workflow(source: str | Path, *, name: str | None = None) -> Workflow:
    """A workflow from a YAML file, or from YAML text (a `str` with a line break in it).

    `name` is how errors call the source; by default the path as given, or `<text>`. Raises WorkflowError with `file:line`.
    """
    text, label = _read(source)
    label = name or label
    document = _compose(text, label)
    lines = dict(_lines(document, ()))
    data = _construct(document, label)
    try:
        return validate_workflow(data)
    except ValidationError as error:
        found = deepest(error)
        where = f"{label}:{_line(lines, found[0]['loc'])}"
        message, mend = describe(error, data)
        raise WorkflowError(message, where=where, mend=mend) from error
    except DefinitionError as error:
        raise WorkflowError(
            error.message, where=f"{label}:{_step_line(data, lines, error.step)}", mend=error.mend
        ) from error


def load_python(place: str) -> Workflow:
    """A workflow from `package.module:name`: a Workflow, a dict, or a function without arguments that gives one.

    Imports the module. Raises EnvironmentProblem when that fails, WorkflowError when the object is no workflow.
    """
    module, _, path = place.partition(":")
    try:
        value: Any = import_module(module)
        for part in path.split(".") if path else ():
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise EnvironmentProblem(
            str(error), where=place, mend="give it as package.module:name, importable from here"
        ) from error
    value = value() if callable(value) and not isinstance(value, type) else value
    if isinstance(value, SuccessorWorkflow | DependencyWorkflow):
        return value
    try:
        return parse_workflow(value)
    except WorkflowError as error:
        raise WorkflowError(error.message, where=place, mend=error.mend) from error


def _read(source: str | Path) -> tuple[str, str]:
    if isinstance(source, str) and "\n" in source:
        return source, "<text>"
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8-sig"), path.as_posix()
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowError(f"cannot be read: {error}", where=path.as_posix(), mend="give a UTF-8 YAML file") from error


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys and takes only `true` and `false` as truths."""

    yaml_implicit_resolvers = {  # noqa: RUF012  (PyYAML's own protocol)
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _compose(text: str, label: str) -> yaml.Node:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WorkflowError(f"{error.problem}", where=f"{label}:{line}", mend="correct the YAML") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise WorkflowError(f"not readable as YAML: {error}", where=label, mend="correct the YAML") from error
    finally:
        loader.dispose()
    if not isinstance(node, yaml.MappingNode):
        raise WorkflowError("a workflow is a mapping", where=f"{label}:1", mend="begin with style, name and its steps")
    return node


def _lines(node: yaml.Node, place: Place) -> Iterator[tuple[Place, int]]:
    """The line of everything, by its place in the data. Bounded: aliases can name more than memory holds."""
    stack: list[tuple[yaml.Node, Place]] = [(node, place)]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node, place = stack.pop()
        yield place, node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            stack += [(item, (*place, index)) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                yield (*place, str(key.value)), key.start_mark.line + 1
                stack.append((value, (*place, str(key.value))))
    raise WorkflowError(
        f"the definition has more than {MAX_NODES} parts", mend="split it; aliases count where they are used"
    )


def _construct(node: yaml.MappingNode | yaml.Node, label: str) -> Any:
    for mapping in _mappings(node):
        seen: set[str] = set()
        for key, _ in mapping.value:
            where = f"{label}:{key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode):
                raise WorkflowError("a key is not a plain text", where=where, mend="use plain keys")
            if key.value in seen:
                raise WorkflowError(f"the key {key.value!r} is given twice", where=where, mend="keep one of them")
            seen.add(key.value)
            # Labels of branches are texts: `true:` and `3:` are what a verdict reads as.
            key.tag = "tag:yaml.org,2002:str"
    constructor = _Loader("")
    try:
        return constructor.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WorkflowError(f"{error.problem}", where=f"{label}:{line}", mend="use plain YAML values") from error
    finally:
        constructor.dispose()


def _mappings(node: yaml.Node) -> Iterator[yaml.MappingNode]:
    stack, seen = [node], set[int]()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield node
            stack += [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            stack += node.value


def _line(lines: Mapping[Place, int], location: Place) -> int:
    """The line of the deepest part of pydantic's location that is in the source; tags of unions are not."""
    place: Place = ()
    for part in location:
        if (*place, part) in lines:
            place = (*place, part)
    return lines.get(place, 1)


def _step_line(data: Any, lines: Mapping[Place, int], step: str | None) -> int:
    key = "nodes" if "nodes" in data else "steps"
    places = [index for index, item in enumerate(data.get(key, ())) if item.get("name") == step]
    if step == "start" or not places:
        return lines.get(("start",), 1)
    # Of two steps with one name the second is the one too many.
    return lines.get((key, places[-1]), 1)
