"""Where a binding went: what a name of a module was called before and after its file was rewritten.

Not a codemod: what `rewrite-string-targets` asks, once the imports of every file are decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ledger.model import CALL, PARTIAL
from .exports import binding_of, uses_of

if TYPE_CHECKING:
    from .file import File
    from .workspace import Workspace


@dataclass(frozen=True)
class Moved:
    """What became of a binding: `stays` under its name, or has the dotted name `new`, or neither, and why."""

    stays: bool = False
    new: str | None = None
    kind: str = "string-target-definition"
    reason: str = "it names the definition, which the rewritten code does not look up any more"


def moved(workspace: Workspace, module: str, name: str) -> Moved:
    """What became of `name` in `module`, a module of the code base."""
    path = workspace.path_of(module)
    file = workspace.files.get(path) if path else None
    if file is None or not file.is_python:
        return Moved()
    bindings = {binding for binding in file.bindings.imports if binding.bound == name}
    uses = [use for binding in bindings for use in uses_of(file, binding)]
    if not bindings:
        # A name that the module defines: an alias that was pointed elsewhere keeps its name.
        aliased = any(file.alias_name(found) == name and found.reference in file.rewrites for found in file.found)
        return Moved(stays=aliased)
    if _is_kept_export(file, name):
        return Moved(stays=True)
    if not uses:
        return Moved(kind="string-target-stale", reason=_stale(file, name))
    left = [use for use in uses if use.reference not in file.rewrites]
    if len(left) == len(uses):
        return Moved(stays=True)
    return _destination(file, name, module, bool(left))


def _stale(file: File, name: str) -> str:
    """What a person has to know to mend a patch of a name that nothing looks up any more."""
    others = [(ref, file.workspace.files[ref.file]) for ref in file.workspace.named_through(file, name)]
    needs = {other.rewrites[ref].need for ref, other in others if ref in other.rewrites}
    targets = sorted({need.target for need in needs if need is not None and need.whole})
    used = f"; what reached it as an attribute of the module now uses {' and '.join(targets)}" if targets else ""
    return f"nothing in {file.path} uses that name{used}"


def _is_kept_export(file: File, name: str) -> bool:
    """Whether an import was replaced by one that binds the same name."""
    for found in file.found:
        rewrite = file.rewrites.get(found.reference)
        if found.alias is not None and rewrite and rewrite.need and rewrite.need.bound == name:
            binding = binding_of(file, found)
            if binding is not None and binding.bound == name:
                return True
    return False


def _destination(file: File, name: str, module: str, some_left: bool) -> Moved:
    partial = "string-target-partial"
    if some_left:
        return Moved(kind=partial, reason=f"some uses of {name} in {file.path} were rewritten and some were not")
    rewritten = [
        (found, file.rewrites[found.reference])
        for found in file.found
        if found.head == name and found.node is not None and found.reference in file.rewrites
    ]
    needs = {rewrite.need for found, rewrite in rewritten if rewrite.need and found.reference.role in (CALL, PARTIAL)}
    if not needs:
        needs = {rewrite.need for _, rewrite in rewritten if rewrite.need}
    if len(needs) != 1:
        return Moved(kind=partial, reason=f"{name} became several names in {file.path}")
    need = needs.pop()
    return Moved(new=need.target if need.whole else f"{module}.{need.bound}")
