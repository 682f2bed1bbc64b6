"""Places all over the code base that bear on a retirement: options that the new engine refuses, and what is left to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from ..ledger.model import DEFINITION
from ..ratchet.keys import Key
from ..ratchet.metrics.references import key_of
from .options import refused_options

if TYPE_CHECKING:
    from ...plugins.configuration import Symbol
    from ...plugins.project import Project
    from ..codemods.source import Source
    from ..ledger import Ledger, Reference
    from ..ratchet.trees import Tree


def option_uses(project: Project, tree: Tree, symbol: Symbol, source: Callable[[str], Source]) -> list[str]:
    """Every use of an option that the new engine refuses, in files that name the symbol or one of its targets."""
    from ...adapters.options import LEGACY_OPTIONS, Verdict

    refused = {option.name: option.harmless for option in LEGACY_OPTIONS if option.verdict is Verdict.UNSUPPORTED}
    targets = (symbol.legacy, symbol.call_target, symbol.type_target, symbol.alias_target)
    names = {name.rpartition(".")[2] for name in targets if name}
    found: list[str] = []
    for path in project.files(".py"):
        content = tree.read(path)
        if not is_test(path) and _holds(content, refused) and _holds(content, names):
            found += refused_options(path, source(path).tree, names, refused)
    return found


def _holds(content: bytes, words: Iterable[str]) -> bool:
    return any(word.encode() in content for word in words)


def is_test(path: str) -> bool:
    """Whether a path looks like a test's."""
    parts = path.split("/")
    return parts[-1].startswith("test_") or parts[-1] == "conftest.py" or "tests" in parts[:-1]


def live_rows(ledger: Ledger, symbol: str, gone: Collection[Reference]) -> dict[Key, int]:
    """What the metric `references` will count of a symbol, once the references in `gone` are."""
    left = (item for item in ledger.live(symbol) if item not in gone and item.role != DEFINITION)
    return dict(Counter(key_of(item) for item in left))
