"""Codemods: rewrite what refers to a legacy symbol, role by role; a plan first, and never by importing the code.

This module is the plugin that offers the built-in codemods. An own codemod is any object like `model.Codemod`, returned from
the hook `graphlift_codemods`; `testing` has the helpers to test it with, `libcst_codemod` runs a LibCST transformer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...adapters.markers import hookimpl

if TYPE_CHECKING:
    from .model import Codemod


@hookimpl
def graphlift_codemods() -> list[Codemod]:
    """The built-in codemods."""
    from .builtin import builtin

    return builtin()
