"""Stub handlers: what answers in a handler's place when its effects are not wanted.

`DIGEST` answers with a digest of what the node saw, so that an output computed from a missing or stale input shows
downstream, in data and in results. It is strict: every part of the input counts, also what the real handler ignores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .plain import digest
from .recorded import Value


class _Digest:
    """The stub that answers with a digest of its input."""

    def __repr__(self) -> str:
        return "DIGEST"


DIGEST = _Digest()
"""As a stub: answer `{node: digest of what it saw}`."""


def answer_of(stub: Any, node: str, saw: Value, seen: Any) -> Any:
    """What a stub answers: a digest, the value of a function of what the node sees, or the stub itself as a value."""
    if stub is DIGEST:
        return {node: saw.digest}
    return stub(seen) if callable(stub) else stub


def digest_handlers(*nodes: str) -> dict[str, Callable[[Any], Any]]:
    """Handlers of a `NodeView` by node, for workflows that have none of their own: each returns `{node: digest}`."""
    from .seeing import view_content

    def handler(view: Any) -> Any:
        return {view.node: digest(view_content(view))}

    return dict.fromkeys(nodes, handler)
