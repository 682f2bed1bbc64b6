"""An import of a legacy symbol that nothing uses, here or through here, is dropped.

It would keep the symbol from being retired. An import that a comment marks as meant (`noqa: F401`), the imports of a package's
`__init__`, and what a star import, a configuration or a look-up at run time may take are exports and stay `rewrite-shims`'.
"""

from __future__ import annotations

from collections.abc import Iterator

from .exports import IMPORTS, binding_of, in_example, is_export, uses_of
from .file import File
from .model import BaseCodemod, Rewrite, Said, Stage


class DropUnused(BaseCodemod):
    """See the module's docstring."""

    id = "drop-unused"
    summary = "imports of legacy symbols that nothing had used are dropped"
    stage = Stage.IMPORTS

    def rewrite(self, file: File) -> Iterator[Said]:
        """The unused imports of one file."""
        for found in file.of_role(*IMPORTS):
            binding = binding_of(file, found) if found.alias else None
            if binding is None or uses_of(file, binding) or in_example(file, binding) or is_export(file, binding):
                continue
            bound = binding.bound
            if (
                bound in file.names.used
                or file.bindings.in_fallback(binding)
                or file.workspace.left_through(file, bound, dropped=True)
            ):
                continue
            yield Rewrite(found.reference)
