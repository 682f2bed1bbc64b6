"""Which codemods run: by their stable ids, from what the hook `graphlift_codemods` gives."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from ...adapters.errors import UsageError
from .model import Codemod


def select(codemods: Sequence[Codemod], only: Collection[str] = (), skip: Collection[str] = ()) -> list[Codemod]:
    """The codemods to run: those named in `only` (else all that are not opt-in), without those in `skip`.

    Raises `UsageError` for an id that no codemod has.
    """
    known = {codemod.id: codemod for codemod in codemods}
    for name in [*only, *skip]:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            mend = f"did you mean {close[0]}?" if close else "`graphlift codemod --list` shows them"
            raise UsageError(f"there is no codemod {name!r}", mend=mend)
    chosen = [known[name] for name in only] if only else [codemod for codemod in codemods if not codemod.opt_in]
    return [codemod for codemod in chosen if codemod.id not in skip]
