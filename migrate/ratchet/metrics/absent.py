"""Metric `absent`: a file, a module, a class or a function that may not come back. Its value is 1 while it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..keys import Key
from .base import Reading, Scope
from .returning import returned
from .symbols import find, module_file


class Absent:
    """Looks for definitions and paths that were deleted for good."""

    id = "absent"
    summary = "files, modules, classes and functions that may not come back"
    default_cap: int | None = 0
    by_file = False

    def needs(self) -> Sequence[str]:
        """The names that may not be there."""
        return ("names",)

    def measure(self, scope: Scope) -> Mapping[Key, Reading]:
        """One key a name that is there: defined again, or leading to something else than what it became."""
        found = {name: find(scope.tree, name) or returned(scope.tree, name) for name in scope.rule.names}
        return {Key(self.id, name): Reading(1, *place) for name, place in found.items() if place}

    def grow(self, scope: Scope) -> Mapping[str, bytes]:
        """The first name, come back: the file itself, the module's content, or a class of that name."""
        if not scope.rule.names:
            return {}
        name = scope.rule.names[0]
        if "/" in name or name.endswith((".py", ".pyi")):
            return {name if name.endswith((".py", ".pyi")) else f"{name.rstrip('/')}/returned.py": b"returned = 1\n"}
        if own := module_file(scope.tree, name):
            # A shim that gets a content of its own again.
            return {own: scope.tree.read(own) + b"\n\nclass Returned:\n    returned = True\n"}
        module, _, last = name.rpartition(".")
        path = (
            module_file(scope.tree, module)
            or f"{scope.tree.import_roots[0]}{(module or 'returned').replace('.', '/')}.py"
        )
        before = scope.tree.read(path) + b"\n\n" if path in scope.tree.paths else b""
        return {path: before + f"class {last}:\n    returned = True\n".encode()}
