"""Bodies of nodes by name: small functions of a view whose outputs show what they saw. Deterministic, without effects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ...adapters.errors import UsageError
from ...adapters.views import NodeView
from ..plain import digest
from ..seeing import view_content

Body = Callable[[NodeView], Any]
LIMIT = 0.02
"""Seconds that a drawn step with a time limit may take."""


def _seen(view: NodeView) -> str:
    return digest([view.node, view_content(view)])[:8]


def _digest(view: NodeView) -> Any:
    return {view.node: _seen(view)}


def _shared(view: NodeView) -> Any:
    return {"shared": view.node, view.node: _seen(view)}


def _copies(view: NodeView) -> Any:
    return {**view.data, view.node: _seen(view)}


def _number(view: NodeView) -> Any:
    return int(_seen(view), 16) % 4


def _fails(view: NodeView) -> Any:
    raise ValueError(f"{view.node} {_seen(view)}")


def _fails_later(view: NodeView) -> Any:
    return _fails(view) if view.iteration else _number(view)


async def _slow(view: NodeView) -> Any:
    seen = _seen(view)
    for _ in range(1 + len(view.node) % 3):
        await asyncio.sleep(0)
    return {view.node: seen}


async def _slowly_fails(view: NodeView) -> Any:
    await asyncio.sleep(0)
    return _fails(view)


async def _dawdles(view: NodeView) -> Any:
    seen = _seen(view)
    await asyncio.sleep(10 * LIMIT)
    return {view.node: seen}


def _nothing(view: NodeView) -> None:
    """Returns nothing."""


BODIES: Mapping[str, Body] = {
    "digest": _digest,
    "number": _number,
    "shared": _shared,
    "copies": _copies,
    "nothing": _nothing,
    "slow": _slow,
    "fails": _fails,
    "fails-later": _fails_later,
    "slowly-fails": _slowly_fails,
    "dawdles": _dawdles,
}
"""`digest` returns one of what it saw under the node's name, `number` a small number of it, `shared` writes a key that others
write too, `copies` gives back the whole data, `slow` and `slowly-fails` give way to others, `fails-later` fails from its
second turn on, `dawdles` takes ten times the limit that drawn steps have."""

FAILING = frozenset({"fails", "fails-later", "slowly-fails", "dawdles"})


def handlers_of(bodies: Mapping[str, str]) -> dict[str, Body]:
    """The handlers for a mapping of node to the name of its body. Raises UsageError for a name that there is not."""
    for node, name in bodies.items():
        if name not in BODIES:
            raise UsageError(f"{node}: there is no body {name!r}", mend=f"the bodies are {', '.join(BODIES)}")
    return {node: BODIES[name] for node, name in bodies.items()}
