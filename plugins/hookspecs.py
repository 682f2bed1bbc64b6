"""The hooks: what a plugin can contribute, and when each is called.

Every hook returns a list and is called once a command, when that command first needs what it gives. Arguments that an
implementation does not need may be left out of its signature (pluggy matches them by name). Results of all plugins are
joined and sorted by id, so the order of plugins never decides anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..adapters.markers import hookspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..parity import Case, Engine, Rule
    from .project import Project
    from .types import Registered


@hookspec
def graphlift_engines(project: Project) -> Sequence[Engine]:  # type: ignore[empty-body]
    """Engines to compare: exactly one with side "legacy" and one with side "candidate".

    Called by `graphlift parity` and by the pytest plugin, in the parent and in every worker process, before any case
    runs. Import your code inside the function, not at the top of the module.
    """


@hookspec
def graphlift_cases(project: Project) -> Sequence[Case]:  # type: ignore[empty-body]
    """Cases for the parity gate: a workflow, its inputs and its handlers, each under an id that never changes.

    Called after `graphlift_engines`, in the parent (for the list) and in a worker (for the case that it runs).
    """


@hookspec
def graphlift_rules() -> Sequence[Rule]:  # type: ignore[empty-body]
    """Divergence rules: each compares two observations and yields typed divergences.

    Called by `graphlift parity` once both engines were observed, and for `graphlift parity --explain`.
    """


@hookspec
def graphlift_normalisers(project: Project) -> Mapping[str, object]:  # type: ignore[empty-body]
    """Normalisers by name: functions from a recorded value to the value that is compared.

    Called before the rules run, for values that may differ between runs without meaning (ids, times).
    """


@hookspec
def graphlift_result_shapes(project: Project) -> Sequence[Registered]:  # type: ignore[empty-body]
    """Result shapes: how a neutral `WorkflowResult` becomes a team's own class and is read back from it.

    Called by `graphlift parity`, when an engine returns something that is not a `WorkflowResult`.
    """


@hookspec
def graphlift_definition_loaders(project: Project) -> Sequence[Registered]:  # type: ignore[empty-body]
    """Loaders that turn a team's own definition files into neutral workflows.

    Called when a case names a definition by its path and the built-in YAML loader does not know its format.
    """


@hookspec
def graphlift_handler_stubs(project: Project) -> Mapping[str, object]:  # type: ignore[empty-body]
    """Stub handlers by node name, for nodes whose real handler has effects.

    Called before a case runs whose plan says that its handlers are stubbed.
    """


@hookspec
def graphlift_codemods() -> Sequence[Registered]:  # type: ignore[empty-body]
    """Codemods: each turns the ledger's references into edits of one file at a time.

    Called by `graphlift codemod`, before the plan is made. The project's own code is never imported for it.
    """


@hookspec
def graphlift_reference_finders() -> Sequence[Registered]:  # type: ignore[empty-body]
    """Reference finders: each reads one kind of file and yields references to legacy symbols.

    Called by every command that needs the ledger: inventory, codemod, retire, ratchet (metric `references`), status.
    """


@hookspec
def graphlift_ratchet_metrics() -> Sequence[Registered]:  # type: ignore[empty-body]
    """Ratchet metrics: each measures a number under a key that may only fall.

    Called by `graphlift ratchet` and `graphlift status`, before rules are read.
    """


@hookspec
def graphlift_reporters() -> Sequence[Registered]:  # type: ignore[empty-body]
    """Reporters: each renders a parity report in one format.

    Called by `graphlift parity`, after the verdict.
    """


@hookspec
def graphlift_executors() -> Sequence[Registered]:  # type: ignore[empty-body]
    """Executors: where the runs of the gate are carried out; `id` is the scheme of the addresses that mean it.

    Called by `graphlift parity` before the first run, unless it runs in its own process. See
    `graphlift.parity.executors.executor`.
    """
