"""The check on the finders: a plain text search of every file, against what they found and explained.

It shares nothing with them but the words to look for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from .mention import Explained, FileFindings
from .text import TextFile
from .vocabulary import Vocabulary

Span = tuple[int, int]


def unexplained(file: TextFile, vocabulary: Vocabulary, findings: FileFindings) -> Iterator[Span]:
    """The places of `file` that read like a name and that no reference and no explanation covers."""
    spans = [(each.start, each.end) for each in findings.mentions] + [
        (each.start, each.end) for each in findings.explained
    ]
    covered = merged(spans)
    for hit in chain(vocabulary.word_pattern.finditer(file.text), vocabulary.spelled_out(file.text)):
        if not is_covered(covered, hit.start()):
            yield hit.span()


def longer_names(file: TextFile, vocabulary: Vocabulary, findings: FileFindings) -> Iterator[Explained]:
    """Longer identifiers around a symbol's own name, where nothing else was said of the place."""
    covered = merged([(each.start, each.end) for each in findings.mentions])
    for start, end in vocabulary.longer(file.text):
        if file.slice(start, end) not in vocabulary.names and not is_covered(covered, start):
            yield Explained(start, end, "a longer name")


def merged(spans: Sequence[Span]) -> list[Span]:
    """The same places as sorted spans that do not overlap."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def is_covered(spans: Sequence[Span], offset: int) -> bool:
    """Whether one of the sorted, disjoint `spans` holds `offset`."""
    index = bisect_right(spans, (offset, float("inf"))) - 1
    return index >= 0 and spans[index][0] <= offset < spans[index][1]
