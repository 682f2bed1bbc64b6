"""A compiled graph by its import path, `package.module:attribute`, as the command line takes it.

This imports the user's code; nothing else in the folder does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from langgraph.pregel import Pregel


def load_graph(path: str, root: Path = Path()) -> Pregel[Any, Any, Any, Any]:
    """The compiled graph that `path` names: one, a builder to compile, or a function without arguments that returns either.

    Modules are looked up in `root` first. Raises `UsageError` for a path that names no graph, and `EnvironmentProblem` when
    the import itself fails, naming the exception.
    """
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    module, _, attribute = path.partition(":")
    if not module or not attribute:
        raise UsageError(f"{path!r} names no graph", mend="write it as package.module:attribute")
    found = _attribute(_import(module, root), attribute, path)
    if callable(found) and not isinstance(found, (StateGraph, Pregel)):
        found = _called(found, path)
    if isinstance(found, StateGraph):
        found = found.compile()
    if not isinstance(found, Pregel):
        raise UsageError(
            f"{path} is a {type(found).__name__}, not a graph", mend="name a compiled graph or its builder"
        )
    return found


def _called(factory: Any, path: str) -> Any:
    try:
        return factory()
    except Exception as error:
        raise EnvironmentProblem(
            f"{path}() raised {type(error).__name__}: {error}", mend="name a graph instead"
        ) from error


def _attribute(module: Any, attribute: str, path: str) -> Any:
    found = module
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise UsageError(f"{path}: there is no {name!r}", mend="name the attribute that holds the compiled graph")
        found = getattr(found, name)
    return found


def _import(module: str, root: Path) -> Any:
    with _first_on_path(str(root.absolute())):
        try:
            return import_module(module)
        except Exception as error:
            raise EnvironmentProblem(
                f"importing {module} raised {type(error).__name__}: {error}",
                mend="run from the project's root, in the environment that has its packages",
            ) from error


@contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
