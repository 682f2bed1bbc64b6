"""The pluggy markers of graphlift, in the lowest layer so that every folder's built-ins can use them.

Plugin authors import `hookimpl` from `graphlift.plugins`.
"""

from __future__ import annotations

import pluggy

PROJECT_NAME = "graphlift"

hookspec = pluggy.HookspecMarker(PROJECT_NAME)
hookimpl = pluggy.HookimplMarker(PROJECT_NAME)
