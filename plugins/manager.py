"""The composition root: which plugins take part in a run, and how their hooks are called.

Built-ins come in through the entry-point group `graphlift`, the same door as an installed plugin; after them the
project's own modules, by name from its configuration. A project's module is imported only by a command that needs one of
its hooks: what it implements is read from its source first, so that `inventory` and `codemod` do not import a module that
only offers engines.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from ..adapters.errors import ConfigurationError, GraphliftError, PluginError, UsageError
from ..adapters.markers import PROJECT_NAME
from . import hookspecs
from .sources import may_offer
from .types import PARTS

if TYPE_CHECKING:
    from types import ModuleType

    from .project import Project

HOOK_PREFIX = "graphlift_"
HOOKS = tuple(sorted(name for name in vars(hookspecs) if name.startswith(HOOK_PREFIX)))


@dataclass(frozen=True)
class PluginInfo:
    """One loaded plugin: its name, where it came from ("built-in", "entry point", "project"), version and hooks."""

    name: str
    origin: str
    version: str
    provides: tuple[str, ...]


class Plugins:
    """The plugins of one run."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(PROJECT_NAME)
        self._manager.add_hookspecs(hookspecs)
        self._infos: dict[str, PluginInfo] = {}

    def register(self, plugin: object, name: str, origin: str, version: str = "") -> None:
        """Add one plugin. Raises `PluginError` for a hook whose arguments no specification has, or a name used twice."""
        try:
            self._manager.register(plugin, name)
        except (pluggy.PluginValidationError, ValueError) as error:
            raise _invalid(name, plugin, error) from None
        if origin != "built-in" and (file := getattr(plugin, "__file__", None)):
            _FILES[str(file)] = name
        callers = self._manager.get_hookcallers(plugin) or []
        provides = tuple(sorted(caller.name for caller in callers))
        self._infos[name] = PluginInfo(name, origin, version, provides)

    def check(self) -> None:
        """Raise `PluginError` for a hook that no specification describes (a misspelt one)."""
        try:
            self._manager.check_pending()
        except pluggy.PluginValidationError as error:
            raise _invalid(str(self._manager.get_name(error.plugin)), error.plugin, error) from None

    def infos(self) -> tuple[PluginInfo, ...]:
        """What is loaded, sorted by name."""
        return tuple(self._infos[name] for name in sorted(self._infos))

    def gather(self, hook: str, **arguments: object) -> list[Any]:
        """Call a hook that returns lists; one list of all results, sorted by `id` where they have one.

        Raises `PluginError` that names plugin, hook and definition where an implementation raises, returns no list, or
        returns an object that lacks what graphlift uses of it.
        """
        found = [item for result in self._call(hook, arguments) for item in result]
        _refuse_duplicates(hook, found)
        return sorted(found, key=lambda item: str(getattr(item, "id", "")))

    def gather_map(self, hook: str, **arguments: object) -> dict[str, Any]:
        """Call a hook that returns mappings; one mapping. Two plugins that give one key are a `PluginError`."""
        merged: dict[str, Any] = {}
        for result in self._call(hook, arguments):
            for key, value in result.items():
                if key in merged:
                    raise PluginError(f"{hook}: two plugins give {key!r}", mend="switch one off with --no-plugin NAME")
                merged[key] = value
        return merged

    def _call(self, hook: str, arguments: Mapping[str, object]) -> list[Any]:
        """What the implementations return, each called by itself, so that whatever is wrong with it has a name."""
        impls: list[pluggy.HookImpl] = getattr(self._manager.hook, hook).get_hookimpls()
        plain = [impl for impl in impls if not (impl.wrapper or impl.hookwrapper)]
        results: list[Any] = []
        for impl in plain:
            if impl.plugin not in [earlier.plugin for earlier in plain[: plain.index(impl)]]:
                others = [other.plugin for other in plain if other.plugin is not impl.plugin]
                results.extend(self._call_one(hook, impl, self._manager.subset_hook_caller(hook, others), arguments))
        return results

    def _call_one(
        self, hook: str, impl: pluggy.HookImpl, caller: pluggy.HookCaller, arguments: Mapping[str, object]
    ) -> list[Any]:
        try:
            with quiet():
                return [_checked(hook, result) for result in caller(**arguments)]
        except GraphliftError as error:
            message = f"plugin {impl.plugin_name!r}, {hook}: {error.message}"
            raise type(error)(message, where=error.where or _definition(impl), mend=error.mend) from error
        except (Exception, SystemExit) as error:
            message = f"plugin {impl.plugin_name!r} failed in {hook}: {type(error).__name__}: {error}"
            mend = f"mend it, or leave it out: --no-plugin {impl.plugin_name}"
            raise PluginError(message, where=_definition(impl), mend=mend) from error


_FILES: dict[str, str] = {}
"""The files of plugins that are not built in, with the plugin's name: for `blamed`, when the process is about to end."""


def blamed(error: BaseException) -> PluginError | None:
    """The error as a plugin's fault, where it was raised in the code of a plugin that is not built in; else None.

    A hook's own errors are named where the hook is called; this is for the objects that hooks return (a rule's `check`, a
    codemod's `rewrite`), which run later.
    """
    trace, found = error.__traceback__, None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        found = (file, trace.tb_lineno) if file in _FILES else found
        trace = trace.tb_next
    if found is None:
        return None
    name = _FILES[found[0]]
    return PluginError(
        f"plugin {name!r} failed: {type(error).__name__}: {error}",
        where=f"{_short(found[0])}:{found[1]}",
        mend=f"mend it, or leave it out: --no-plugin {name}",
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Whatever a plugin prints is for people; standard output is the command's."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _definition(impl: pluggy.HookImpl) -> str | None:
    code = getattr(inspect.unwrap(impl.function), "__code__", None)
    return f"{_short(code.co_filename)}:{code.co_firstlineno}" if code else None


def _checked(hook: str, result: Any) -> Any:
    """What a hook returned, a list for an iterable; raises `PluginError` where it is not of the hook's kind."""
    if hook in _MAPPING_HOOKS:
        if not isinstance(result, Mapping):
            raise PluginError(f"it returned {type(result).__name__}, not a mapping", mend="return a mapping")
        return result
    if not isinstance(result, Iterable) or isinstance(result, (str, bytes, Mapping)):
        raise PluginError(f"it returned {type(result).__name__}, not a list", mend="return a list")
    items = list(result)
    for item in items:
        if lacking := [part for part in PARTS.get(hook, ()) if not hasattr(item, part)]:
            kind = type(item).__name__
            raise PluginError(f"it returned an object of type {kind} without {', '.join(lacking)}", mend="add them")
    return items


_MAPPING_HOOKS = frozenset({"graphlift_normalisers", "graphlift_handler_stubs"})


def load_plugins(project: Project, *, disabled: Collection[str] = (), hooks: Collection[str] | None = None) -> Plugins:
    """Compose the plugins of one run.

    `disabled` are names given with `--no-plugin`; one that does not exist is a `UsageError`. `hooks` are the hooks that
    the command will call: a project's module that implements none of them is not imported (None: import them all).
    """
    plugins, left_out = Plugins(), set(disabled)
    for point in sorted(importlib.metadata.entry_points(group=PROJECT_NAME), key=lambda point: point.name):
        if point.name in left_out:
            left_out.discard(point.name)
            continue
        distribution = point.dist.name if point.dist else ""
        origin = "built-in" if distribution == PROJECT_NAME else "entry point"
        version = point.dist.version if point.dist else ""
        plugins.register(_load_entry_point(point), point.name, origin, version)
    _load_project_modules(project, plugins, left_out, hooks)
    if left_out:
        names = ", ".join(repr(name) for name in sorted(left_out))
        raise UsageError(f"--no-plugin: no plugin is named {names}", mend="`graphlift plugins` lists the names")
    plugins.check()
    return plugins


def _load_project_modules(
    project: Project, plugins: Plugins, left_out: set[str], hooks: Collection[str] | None
) -> None:
    for name in project.settings.plugins:
        if name in left_out:
            left_out.discard(name)
        elif hooks is None or may_offer(project, name, hooks, HOOKS):
            plugins.register(_import_project_module(project, name), name, "project")


def _load_entry_point(point: importlib.metadata.EntryPoint) -> ModuleType:
    try:
        with quiet():
            module: ModuleType = point.load()
    except (Exception, SystemExit) as error:
        message = f"plugin {point.name!r} ({point.value}) cannot be imported: {type(error).__name__}: {error}"
        raise PluginError(message, mend=f"mend or uninstall it, or leave it out: --no-plugin {point.name}") from error
    return module


def _import_project_module(project: Project, name: str) -> ModuleType:
    for folder in reversed(project.source_roots):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    config = project.config_file.name if project.config_file else ""
    try:
        with quiet():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            message = f"plugins: there is no module {name!r} in {_roots(project)}"
            raise ConfigurationError(
                message, where=config, mend="correct the name, or add its folder to `source`"
            ) from None
        raise _import_failed(name, error, config) from error
    except GraphliftError:
        raise
    except (Exception, SystemExit) as error:
        raise _import_failed(name, error, config) from error


def _import_failed(name: str, error: BaseException, config: str) -> PluginError:
    message = f"plugin {name!r} cannot be imported: {type(error).__name__}: {error}"
    return PluginError(message, where=config, mend=f"mend it, or leave it out: --no-plugin {name}")


def _roots(project: Project) -> str:
    return ", ".join(folder.relative_to(project.root).as_posix() for folder in project.source_roots)


def _invalid(name: str, plugin: object, error: Exception) -> PluginError:
    reason = " ".join(str(error).split())
    where = getattr(plugin, "__file__", None)
    mend = f"the hooks are {', '.join(HOOKS)}"
    return PluginError(f"plugin {name!r} is not valid: {reason}", where=_short(where) if where else None, mend=mend)


def _short(path: str) -> str:
    """A path without the machine's folders: from the last folder that is on `sys.path`, else the file's name."""
    roots = [root for root in sys.path if root and path.startswith(root.rstrip("/\\") + os.sep)]
    best = max(roots, key=len, default="")
    return path[len(best) :].lstrip("/\\").replace("\\", "/") if best else path.replace("\\", "/").rsplit("/", 1)[-1]


def _refuse_duplicates(hook: str, items: Iterable[Any]) -> None:
    seen: set[tuple[str, str]] = set()
    for item in items:
        # Two engines may share a name on two sides; everything else is selected by its id alone.
        key = (str(getattr(item, "id", "")), str(getattr(item, "side", "")))
        if key[0] and key in seen:
            raise PluginError(
                f"{hook}: two plugins give the id {key[0]!r}", mend="switch one off with --no-plugin NAME"
            )
        seen.add(key)
