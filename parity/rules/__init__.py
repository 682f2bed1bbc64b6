"""The built-in divergence rules: one file a rule, each with a `RULE` under a stable id.

GL10x count runs, GL11x and GL12x are about what activations saw and their order, GL13x and GL14x about how nodes and runs
end, GL15x and GL16x about values, GL17x about a run by itself, GL2xx about runs that give no result. This module is an entry
point of the group `graphlift`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from ...adapters.markers import hookimpl

if TYPE_CHECKING:
    from ..rule import BuiltIn


@cache
def builtin_rules() -> tuple[BuiltIn, ...]:
    """Every rule of this folder, by id."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    rules = [importlib.import_module(f".{name}", __name__).RULE for name in names]
    return tuple(sorted(rules, key=lambda rule: rule.id))


@hookimpl
def graphlift_rules() -> list[BuiltIn]:
    """The built-in rules."""
    return list(builtin_rules())
