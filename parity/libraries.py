"""Which modules belong to the standard library, or to what graphlift itself runs on; all others are the user's."""

from __future__ import annotations

import functools
import importlib.metadata
import re
import sys
from collections.abc import Iterator

_FIXED = frozenset(
    {"graphlift", "pytest", "_pytest", "_distutils_hack", "pkg_resources", "setuptools", "cython_runtime"}
)
_PREFIXES = ("_cython_", "_sysconfigdata_")


@functools.cache
def is_library(module: str) -> bool:
    """Whether a module keeps no state of the user's: caches of its own at most."""
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top.startswith(_PREFIXES) or top in _names()


@functools.cache
def _names() -> frozenset[str]:
    """The top-level names of graphlift's distribution, and of all that it and its extras need."""
    waiting, seen, names = ["graphlift", "pytest-xdist", "pytest-timeout", "coverage"], set[str](), set(_FIXED)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        names.update(_tops(found))
        waiting.extend(_needs(found, extras=name == "graphlift"))
    return frozenset(names)


def _needs(found: importlib.metadata.Distribution, *, extras: bool) -> Iterator[str]:
    for text in found.requires or ():
        if extras or "extra ==" not in text:
            yield re.split(r"[^A-Za-z0-9._-]", text.strip(), maxsplit=1)[0]


def _tops(found: importlib.metadata.Distribution) -> Iterator[str]:
    for path in found.files or ():
        first = path.parts[0]
        if first.endswith((".dist-info", ".data", ".egg-info")) or first in ("..", "bin", "__pycache__"):
            continue
        yield first.partition(".")[0]
