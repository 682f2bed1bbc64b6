"""Names in notebooks: the code cells as one Python module, with every place mapped back into the JSON text.

Cells share one namespace, so they are read together. A line with a magic (`%`, `!`) is blanked out, and a name in it is
reported as text.
"""

from __future__ import annotations

import json

from .documents import find_in_document
from .mention import FileFindings
from .resolve import Resolver
from .text import TextFile, UnreadableError
from .vocabulary import Vocabulary


def find_in_notebook(file: TextFile, resolver: Resolver, vocabulary: Vocabulary) -> FileFindings:
    """References in one notebook. Raises `UnreadableError` for one that is no JSON."""
    try:
        json.loads(file.text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UnreadableError(f"is not a notebook: {error}", line) from None
    return find_in_document(file, resolver, vocabulary)
