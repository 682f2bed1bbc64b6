"""Fixtures of the tests of the wiring lint."""

from __future__ import annotations

import sys
from pathlib import Path

# The model of the superstep rules is shared with the tests of the adapters; import-mode=importlib adds no folder.
sys.path.insert(0, str(Path(__file__).parent.parent.parent / "adapters"))
