"""Names of steps: which are reserved, and how any other is carried through LangGraph unchanged.

LangGraph refuses `:` and `|`, and joins the names of a waiting edge with `+` in its channel's name, so that `a+b` and `a`,
`b` would collide. Encoded names go into the graph; `decode` is applied wherever a user sees one.
"""

from __future__ import annotations

import re

LOOP_EXIT = "__loop_exit__"
RESERVED_PREFIXES = (LOOP_EXIT, "__graphlift_")
RESERVED_NAMES = frozenset({"__start__", "__end__", "__interrupt__", "__root__", "__copy__", "__error__"})

_TAKEN = ("__", "checkpoint_", "configurable", "langsmith")
"""How the names begin that LangGraph keeps for itself, in any version; steps may have them."""

_UNSAFE = re.compile(r"[:|+%]")
_ESCAPE = re.compile(r"%([0-9a-f]{2})")


def encode(name: str) -> str:
    """The name as LangGraph may have it; different names stay different."""
    safe = _UNSAFE.sub(lambda match: f"%{ord(match.group()):02x}", name)
    return f"%{ord(safe[0]):02x}{safe[1:]}" if safe.startswith(_TAKEN) else safe


def decode(name: str) -> str:
    """The step's own name again, from what `encode` or `exit_node` made of it."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), name.removeprefix(LOOP_EXIT))


def exit_node(name: str) -> str:
    """The synthetic node through which the loop step `name` hands on to its dependents."""
    return LOOP_EXIT + encode(name)


def is_wiring(node: str) -> bool:
    """Whether a LangGraph node is wiring rather than a step, and so must never surface."""
    return node.startswith(RESERVED_PREFIXES) or node in RESERVED_NAMES


def reserved(name: str) -> str | None:
    """The reserved prefix or name that `name` clashes with, if any."""
    if name in RESERVED_NAMES:
        return name
    return next((prefix for prefix in RESERVED_PREFIXES if name.startswith(prefix)), None)
