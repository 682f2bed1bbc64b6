"""Is what would be left of a module sound? Asked before a plan is given; nothing is imported or run."""

from __future__ import annotations

from ...adapters.errors import UsageError
from ..codemods.checks import undefined
from ..codemods.names import Names
from ..codemods.source import Source, UnreadableSourceError


def verify(path: str, before: Source, after: bytes) -> None:
    """Raise `UsageError` unless the result compiles and uses no name that nothing binds, save those of before.

    The conditions see most of what would be broken; a use that none of them sees is found here.
    """
    try:
        source = Source(after)
        compile(source.decoded, path, "exec", dont_inherit=True)
    except (UnreadableSourceError, SyntaxError, ValueError) as error:
        raise UsageError(
            f"what would be left does not compile: {error}", where=path, mend="delete it by hand"
        ) from None
    if lost := sorted(_unbound(source) - _unbound(before)):
        mend = "port what uses them first"
        raise UsageError(f"what would be left uses names that nothing binds: {', '.join(lost)}", where=path, mend=mend)


def _unbound(source: Source) -> frozenset[str]:
    return undefined(source, Names.of(source.text))
