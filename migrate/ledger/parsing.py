"""Syntax trees of files, also of those nested deeper than Python's default limits allow."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Callable
from typing import TypeVar

from .text import UnreadableError

T = TypeVar("T")

DEEP_STACK = 512 << 20
DEEP_LIMIT = 200_000


def parse(text: bytes) -> ast.Module:
    """The tree of UTF-8 text. Raises `UnreadableError` for what this interpreter refuses."""
    try:
        with warnings.catch_warnings():
            # An invalid escape in somebody's string is not ours to report.
            warnings.simplefilter("ignore")
            return ast.parse(text.decode("utf-8"))
    except SyntaxError as error:
        raise UnreadableError(f"is not Python: {error.msg}", error.lineno or 1) from None
    except ValueError as error:
        raise UnreadableError(f"is not Python: {error}") from None
    except MemoryError:
        raise UnreadableError("is nested too deep for Python's parser") from None


def deeply(work: Callable[[], T]) -> T:
    """The result of `work`; a `RecursionError` is retried in a thread with a large stack.

    Raises `UnreadableError` where even that is not enough.
    """
    try:
        return work()
    except RecursionError:
        pass
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(DEEP_STACK)
    try:
        sys.setrecursionlimit(DEEP_LIMIT)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if errors:
        if isinstance(errors[0], (RecursionError, MemoryError)):
            raise UnreadableError("is nested too deep") from None
        raise errors[0]
    return results[0]
