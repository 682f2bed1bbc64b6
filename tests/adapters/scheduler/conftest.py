"""Fixtures of the tests of reading LangGraph's scheduler."""

from __future__ import annotations

import sys
from pathlib import Path

# The model of the superstep rules is shared with the tests of inclusive edges; import-mode=importlib adds no folder.
sys.path.insert(0, str(Path(__file__).parent.parent))
