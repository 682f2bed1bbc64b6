"""Run a LibCST transformer on one file so that a file which kills or stalls LibCST costs itself only.

A small and shallow file is transformed in this process. A large or deeply nested one goes to a process of its own with a
limit of time and of memory, since LibCST's native parser can end the process (thousands of chained operators) and its tree
can take gigabytes (huge literals). The transformer is named by its module and class, so that the other process finds it.
"""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from typing import Any

LARGE = 256 * 1024
DEEP = 90
# Beyond this LibCST's parser ends its process, after most of a minute; there is no use in trying.
HOPELESS = 4_000
SECONDS = 60.0
MEMORY = 2 * 1024**3


class TransformFailedError(Exception):
    """LibCST could not transform a file; the message says why."""


def transform(
    text: str, tree: ast.Module, transformer: str, arguments: dict[str, Any], seconds: float = SECONDS
) -> str:
    """What the transformer `module:Class`, made with `arguments` (JSON data), turns `text` into.

    Raises `TransformFailedError` for a syntax that LibCST does not know, an exception of the transformer, or a process
    that took longer than `seconds`, too much memory, or died.
    """
    levels = depth(tree)
    if levels > HOPELESS:
        raise TransformFailedError(f"it is nested {levels} levels deep, which LibCST does not survive")
    if len(text) <= LARGE and levels <= DEEP:
        return _here(text, transformer, arguments)
    return _elsewhere(text, transformer, arguments, seconds)


def depth(tree: ast.AST) -> int:
    """How deep the tree is nested. Iterative: the tree may be deeper than Python's stack."""
    deepest, pending = 0, [(tree, 0)]
    while pending:
        node, level = pending.pop()
        deepest = max(deepest, level)
        pending += [(child, level + 1) for child in ast.iter_child_nodes(node)]
    return deepest


def _here(text: str, transformer: str, arguments: dict[str, Any]) -> str:
    import libcst

    module, _, name = transformer.partition(":")
    made = getattr(importlib.import_module(module), name)(**arguments)
    try:
        return libcst.parse_module(text).visit(made).code
    except libcst.ParserSyntaxError as error:
        raise TransformFailedError(f"LibCST cannot parse it: {error.message}") from None
    except RecursionError:
        raise TransformFailedError("it is nested too deep for LibCST") from None


def _elsewhere(text: str, transformer: str, arguments: dict[str, Any], seconds: float) -> str:
    job = json.dumps({"text": text, "transformer": transformer, "arguments": arguments, "path": sys.path})
    command = [sys.executable, "-c", f"from {__name__} import child; child()"]
    try:
        done = subprocess.run(
            command, input=job, capture_output=True, encoding="utf-8", timeout=seconds, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise TransformFailedError(f"LibCST took longer than {seconds:g} seconds") from None
    if done.returncode == 0:
        answer: dict[str, str] = json.loads(done.stdout)
        if "code" in answer:
            return answer["code"]
        raise TransformFailedError(answer["failed"])
    if done.returncode < 0:
        raise TransformFailedError(f"LibCST died of signal {-done.returncode}")
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    raise TransformFailedError(f"LibCST failed: {last}")


def child() -> None:
    """The other process: a job as JSON on standard input, the answer as JSON on standard output."""
    job = json.load(sys.stdin)
    _limit_memory()
    sys.path[:] = job["path"]
    sys.setrecursionlimit(20_000)
    try:
        answer = {"code": _here(job["text"], job["transformer"], job["arguments"])}
    except TransformFailedError as error:
        answer = {"failed": str(error)}
    except MemoryError:
        answer = {"failed": "LibCST needs too much memory for it"}
    json.dump(answer, sys.stdout)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # pragma: no cover (Windows: the time limit alone holds)
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # A core of gigabytes would outlive the file's failure.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
