"""Plugins: hook specifications, the manager that composes a run, and a project's configuration.

What a plugin author needs is one import, `from graphlift.plugins import hookimpl`; the hooks are described in
`graphlift.plugins.hookspecs`. A minimal plugin of a project's own is a module named under `plugins` in its configuration:

    from graphlift.plugins import hookimpl

    @hookimpl
    def graphlift_ratchet_metrics():
        return [MyMetric()]
"""

from __future__ import annotations

from ..adapters.markers import hookimpl

__all__ = ["hookimpl"]
