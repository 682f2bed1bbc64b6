"""Services by name. What stands behind a name is in settings.yaml, as a dotted path, and is imported on first use."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import yaml

from shop.handlers import HANDLERS
from shop.services import Services

SETTINGS = Path(__file__).with_name("settings.yaml")


def load_class(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


class ServiceProvider:
    """Builds each service once. `overrides` maps a service's name to a dotted path, as the settings do."""

    def __init__(self, *, database: str = ":memory:", overrides: dict[str, str] | None = None) -> None:
        settings = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
        self._classes: dict[str, str] = {**settings["services"], **(overrides or {})}
        self._workers: int = settings["workflows"]["max_workers"]
        self._database = database
        self._built: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The service; `KeyError` if the settings have no such name."""
        if name not in self._built:
            self._built[name] = self._build(name, load_class(self._classes[name]))
        return self._built[name]

    def services(self) -> Services:
        return Services(self.get("database"))

    def _build(self, name: str, service: Any) -> Any:
        if name == "database":
            return service(self._database)
        if name == "workflow_executor":
            return service(HANDLERS, self.services(), max_workers=self._workers)
        return service()
