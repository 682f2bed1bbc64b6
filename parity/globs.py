"""Patterns over ids: `*` and `?` only, since ids of a matrix (`order[max_workers=1]`) have brackets of their own."""

from __future__ import annotations

import re
from functools import cache


def matches(pattern: str, text: str) -> bool:
    """Whether the whole of `text` is as `pattern` says; upper and lower case differ."""
    return _compiled(pattern).fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)
    return re.compile("".join(parts), re.DOTALL)
