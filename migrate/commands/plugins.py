"""`graphlift plugins`: what is loaded, where it came from, and what each plugin provides."""

from __future__ import annotations

from dataclasses import asdict

import typer

from ..console import FormatOption, OutputFormat, emit, open_project


def plugins(ctx: typer.Context, style: FormatOption = OutputFormat.TEXT) -> None:
    """List the plugins: name, origin, version, and the hooks that each implements.

    Example: graphlift plugins --format json
    """
    from ...plugins.manager import PluginInfo

    _, loaded = open_project(ctx, hooks=None)

    def row(info: PluginInfo) -> str:
        provides = ", ".join(hook.removeprefix("graphlift_") for hook in info.provides) or "nothing"
        return f"{info.name:<20} {info.origin:<12} {info.version or '-':<10} {provides}"

    def text() -> str:
        head = f"{'name':<20} {'origin':<12} {'version':<10} provides"
        return "\n".join([head, *(row(info) for info in loaded.infos())])

    emit(style, text, lambda: {"plugins": [asdict(info) for info in loaded.infos()]})
