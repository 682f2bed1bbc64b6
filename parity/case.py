"""A case: one workflow with its inputs and handlers, under an id that never changes, and its fingerprint.

What `definition` and `handlers` are is the engines' matter. Nothing here runs them.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..adapters.errors import UsageError
from .plain import canonical, digest_text, plain

Normaliser = Callable[[Any], Any]
Redact = Callable[[str, Any], Any]
Handlers = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Case:
    """One thing that both engines run.

    `options` are values for the engines (`{"max_workers": 4}`); `matrix` makes one case of every combination
    (`{"max_workers": [1, 4]}`). `handlers` are callables by the name that the engines look them up under, or a function that
    opens them afresh for every run as a context manager (a new database, say). `edges` says for each node which nodes it waits for, where the definition is not one of
    graphlift's own, so that causes can name them. `files` are paths, relative to the project's root, whose content defines
    the case (its definition, its handlers); they are part of the evidence. `stubs` replace handlers by node (`*`: every other one): a function of what the node sees, or a value to return. `recorded`
    are patterns of nodes whose handlers have effects: they run once, under the legacy engine, and are replayed after that.
    `redact` is given a node and what it answered as plain data, and gives what a cassette keeps in its file.
    `timeout` is seconds for one engine's run. Raises UsageError for an id that reports could not show.
    """

    id: str
    workflow: str = ""
    definition: Any = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    handlers: Handlers | Callable[[], AbstractContextManager[Handlers]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    matrix: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    edges: Mapping[str, Iterable[str]] | None = None
    files: tuple[str, ...] = ()
    stubs: Mapping[str, Any] = field(default_factory=dict)
    recorded: tuple[str, ...] = ()
    normalise: Normaliser | None = None
    redact: Redact | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not self.id or self.id != self.id.strip() or not self.id.isprintable() or "::" in self.id:
            raise UsageError(
                f"case id {self.id!r} cannot be shown", mend="use printable text without '::' and outer spaces"
            )

    @contextmanager
    def opened(self) -> Iterator[Handlers]:
        """The handlers of one run: opened before it, closed after it."""
        if isinstance(self.handlers, Mapping):
            yield self.handlers
        else:
            with self.handlers() as handlers:
                yield handlers

    @property
    def name(self) -> str:
        """The workflow's name: `workflow`, else the definition's own, else the case's id."""
        return self.workflow or str(getattr(self.definition, "name", "") or self.id)

    def normalised(self, normalisers: Sequence[Normaliser]) -> Case:
        """The case with a project's normalisers applied in turn to every value, before its own."""
        each = [*normalisers, *([self.normalise] if self.normalise else [])]

        def normalise(value: object) -> object:
            for one in each:
                value = one(value)
            return value

        return replace(self, normalise=normalise) if normalisers else self

    def expand(self) -> tuple[Case, ...]:
        """The cases of the matrix, each with its combination in its id (`order[max_workers=1]`); itself without one."""
        if not self.matrix:
            return (self,)
        names = sorted(self.matrix)
        return tuple(
            self._with(dict(zip(names, values, strict=True)))
            for values in itertools.product(*(self.matrix[name] for name in names))
        )

    def _with(self, chosen: Mapping[str, Any]) -> Case:
        told = ",".join(f"{name}={_short(value)}" for name, value in chosen.items())
        return replace(self, id=f"{self.id}[{told}]", options={**self.options, **chosen}, matrix={})

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of what the case is: workflow, definition, inputs, options, stubs' names and handlers' names.

        The code of handlers is not in it: name their files in `files`. Raises UsageError for a definition that has no
        content to hash, since a change of it would go unseen.
        """
        opaque: set[str] = set()
        definition = plain(self.definition, opaque)
        if opaque and not self.files:
            raise UsageError(
                f"case {self.id!r}: a {min(opaque)} in its definition has no content that can be hashed",
                mend="name the definition's file in `files`, or give the definition as data",
            )
        rest = [self.id, self.name, self.inputs, self.options, sorted(self.stubs), _names(self.handlers)]
        return hashlib.sha256(canonical([definition, plain(rest)]).encode()).hexdigest()


def _names(handlers: Any) -> Any:
    if not isinstance(handlers, Mapping):
        return getattr(handlers, "__qualname__", type(handlers).__qualname__)
    return {str(name): getattr(item, "__qualname__", type(item).__qualname__) for name, item in handlers.items()}


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 30 and "::" not in text and text.isprintable() else digest_text(text)[:8]


def expand_cases(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Every case of every matrix, sorted by id. Raises UsageError where two have one id."""
    found: dict[str, Case] = {}
    for case in itertools.chain.from_iterable(case.expand() for case in cases):
        if case.id in found:
            raise UsageError(f"two cases have the id {case.id!r}", mend="give each case an id of its own")
        found[case.id] = case
    return tuple(found[name] for name in sorted(found))
