"""The built-in codemods, one file each."""

from __future__ import annotations

from .add_compatibility_alias import AddCompatibilityAlias
from .drop_unused import DropUnused
from .join_wiring import JoinWiring
from .model import Codemod
from .rewrite_aliases import RewriteAliases
from .rewrite_calls import RewriteCalls
from .rewrite_config import RewriteConfig
from .rewrite_docs import RewriteDocs
from .rewrite_imports import RewriteImports
from .rewrite_modules import RewriteModules
from .rewrite_moves import RewriteMoves
from .rewrite_shims import RewriteShims
from .rewrite_string_targets import RewriteStringTargets
from .rewrite_types import RewriteTypes


def builtin() -> list[Codemod]:
    """One of each."""
    return [
        RewriteCalls(),
        RewriteTypes(),
        RewriteMoves(),
        RewriteModules(),
        RewriteAliases(),
        RewriteImports(),
        RewriteShims(),
        DropUnused(),
        RewriteStringTargets(),
        RewriteConfig(),
        RewriteDocs(),
        JoinWiring(),
        AddCompatibilityAlias(),
    ]
