"""A bounded, thread-safe cache of compiled workflows: equal definition, same handlers, same options, one graph."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MethodType
from typing import Any

from .compiled import CompiledWorkflow
from .errors import UnsupportedOptionError
from .model import ConditionNode, DependencyStep, SuccessorWorkflow, TaskNode, Workflow, content_hash


@dataclass(frozen=True)
class CacheStatistics:
    """How a cache has been used so far; `size` is what it holds now."""

    hits: int
    misses: int
    evictions: int
    size: int
    capacity: int


class CompileCache:
    """Least recently used goes first. An entry keeps its handlers alive, so that an identity is never reused under it."""

    def __init__(self, capacity: int = 128) -> None:
        if capacity < 1:
            raise ValueError("a cache has room for at least one graph")
        self.capacity = capacity
        self._entries: OrderedDict[Hashable, tuple[CompiledWorkflow, object]] = OrderedDict()
        self._lock = threading.RLock()
        self._hits = self._misses = self._evictions = 0

    def get(
        self,
        workflow: Workflow,
        handlers: Mapping[str, Any],
        conditions: Mapping[str, Any],
        options: tuple[Hashable, ...],
        compile_: Callable[[], CompiledWorkflow],
    ) -> CompiledWorkflow:
        """The graph for these, compiled once: other threads wait for it instead of compiling their own."""
        key = (content_hash(workflow), code_fingerprint(workflow, handlers, conditions), options)
        with self._lock:
            if key in self._entries:
                self._hits += 1
                self._entries.move_to_end(key)
                return self._entries[key][0]
            self._misses += 1
            compiled = compile_()
            self._entries[key] = (compiled, (dict(handlers), dict(conditions)))
            while len(self._entries) > self.capacity:
                self._entries.popitem(last=False)
                self._evictions += 1
            return compiled

    def statistics(self) -> CacheStatistics:
        """Hits, misses and evictions since the cache was made."""
        with self._lock:
            return CacheStatistics(self._hits, self._misses, self._evictions, len(self._entries), self.capacity)

    def clear(self) -> None:
        """Forget every graph; the statistics stay."""
        with self._lock:
            self._entries.clear()


SHARED_CACHE = CompileCache()


def cache_of(given: Any) -> CompileCache:
    """The cache that an executor was given, or the one that all share: also for a walker's `cache=True` or `False`.

    Raises UnsupportedOptionError for anything else: a walker's `cache` may be one of node results, which nothing here is.
    """
    if isinstance(given, CompileCache):
        return given
    if given is None or isinstance(given, bool):
        return SHARED_CACHE
    raise UnsupportedOptionError(
        f"the option cache is a {type(given).__name__}; here it is for compiled graphs, a CompileCache",
        mend="leave it out (graphs are always cached); cache results of nodes inside their handlers",
    )


def code_fingerprint(workflow: Workflow, handlers: Mapping[str, Any], conditions: Mapping[str, Any]) -> Hashable:
    """What tells the code that a workflow uses apart: the identities of its handlers and named conditions."""
    steps = workflow.nodes if isinstance(workflow, SuccessorWorkflow) else workflow.steps
    used = sorted({step.handler_name for step in steps if isinstance(step, TaskNode | DependencyStep)})
    rules: set[str] = set()
    for step in steps:
        if isinstance(step, ConditionNode):
            rules.add(step.condition)
        elif isinstance(step, DependencyStep):
            rules.update(text for text in (step.when, step.loop_until) if text is not None)
    named = sorted(rules & set(conditions))
    return (
        tuple((name, identity(handlers.get(name))) for name in used),
        tuple((name, identity(conditions[name])) for name in named),
    )


def identity(function: Any) -> Hashable:
    """The identity of a callable: a bound method is a new object at every access, a partial wherever it is made."""
    if isinstance(function, MethodType):
        return ("method", id(function.__self__), id(function.__func__))
    if isinstance(function, partial):
        bound = tuple(id(value) for value in function.args)
        named = tuple((name, id(value)) for name, value in sorted(function.keywords.items()))
        return ("partial", identity(function.func), bound, named)
    return id(function)
