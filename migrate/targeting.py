"""The targets that the configuration names are there, as far as that can be told without importing anything.

A module that is not of the code base, a `__getattr__`, a star import of something unseen or names that are bound as the
module runs make everything possible; then a target is taken as it is.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NoReturn

from ..adapters.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..plugins.project import Project
    from .ledger.exports import Exports

KEYS = ("called", "type", "to", "alias")
_RUNS = re.compile(r"\bglobals\(\)|\bvars\(\)\[|\bsetattr\(|\bexec\(|\b__getattr__\b|\bsys\.modules\b")
"""What may bind a module's names without saying which."""


def require_targets(project: Project, *, written: bool) -> None:
    """Raise `ConfigurationError` for a target that its module does not have; with `written` also where there is no module.

    A seam that is still to be written has no module: that is for commands that rewrite.
    """
    for symbol in project.require_symbols().symbol:
        for key in KEYS:
            if target := getattr(symbol, key):
                _require(project, key, target, written)


def _require(project: Project, key: str, target: str, written: bool) -> None:
    parts = target.split(".")
    homes = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    home = next((name for name in homes if project.module_file(name)), "")
    source = project.module_file(home)
    if home == target:
        return
    if source is None or (source.name == "__init__.py" and home.count(".") + 2 < len(parts)):
        top = parts[0]
        inside = source is not None or any((root / top).is_dir() for root in project.source_roots)
        if written and inside and len(parts) > 2:
            module = target.rpartition(".")[0]
            _refuse(
                project, key, target, f"there is no module {module} in this code base", module, _modules(project, top)
            )
        return
    name = parts[home.count(".") + 1]
    if not may_offer(project, home, name):
        shown = source.relative_to(project.root).as_posix()
        exports = _exports(source, home)
        _refuse(project, key, target, f"{shown} has no {name!r}", name, exports.names if exports else ())


def may_offer(project: Project, module: str, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a module has a name, or may have it; re-exports and star imports of the code base are followed."""
    source = project.module_file(module)
    if source is None or project.module_file(f"{module}.{name}"):
        return True
    text = source.read_text(encoding="utf-8", errors="replace")
    own = rf"(?m)^(?:async +def|def|class) +{re.escape(name)}\b|^{re.escape(name)}\b *[:=]|\bglobal\b.*\b{re.escape(name)}\b"
    if re.search(own, text) or _RUNS.search(text):
        return True
    exports = _exports(source, module)
    if exports is None or name in exports.names or name in exports.lazy:
        return True
    inner = seen | {module}
    return any(may_offer(project, star, name, inner) for star in exports.stars if star not in inner)


def _exports(source: Path, module: str) -> Exports | None:
    from .ledger.exports import exports_of
    from .ledger.parsing import parse

    try:
        tree = parse(source.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return exports_of(tree, module, module if source.name == "__init__.py" else module.rpartition(".")[0])


def _modules(project: Project, top: str) -> list[str]:
    found = []
    for root in project.source_roots:
        for path in (root / top).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def _refuse(project: Project, key: str, target: str, why: str, name: str, known: Iterable[str]) -> NoReturn:
    close = difflib.get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ConfigurationError(
        f"the target {target!r} is not there: {why}",
        where=_where(project, target),
        mend=f"{hint}Correct `{key}`; or write it first, and leave the key out until then",
    )


def _where(project: Project, target: str) -> str | None:
    if project.config_file is None:
        return None
    lines = project.config_file.read_text(encoding="utf-8", errors="replace").splitlines()
    number = next(
        (number for number, line in enumerate(lines, 1) if re.search(rf"['\"]{re.escape(target)}['\"]", line)), 0
    )
    return f"{project.config_file.name}:{number}" if number else project.config_file.name
