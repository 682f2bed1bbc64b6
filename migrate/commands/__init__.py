"""The commands, one file each: a function of the command's name, with its options as a typer signature.

A command's module is cheap to import; what it needs to do its work is imported inside its function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import typer

NAMES = (
    "demo",
    "init",
    "inventory",
    "parity",
    "check",
    "codemod",
    "retire",
    "ratchet",
    "status",
    "ci",
    "explain",
    "lint",
    "plugins",
)


def register(app: typer.Typer, names: Sequence[str] = NAMES) -> None:
    """Add commands to the application: a module's `app` (a command with subcommands), else its function."""
    for name in names:
        module = import_module(f".{name}", __name__)
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, name))
