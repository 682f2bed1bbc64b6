"""Which module a file is: dotted names from paths, for source folders, `src` layouts and script folders.

A file can be importable under more than one name (`src/shop/api.py` as `shop.api` from `src`, as `src.shop.api` from the
root). The name from the deepest import root is its own; the others are known too, so that no import goes unseen.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

_SUFFIXES = (".py", ".pyi", ".pyw")


class Layout:
    """The modules of a code base, from its files' paths and the folders that imports start from."""

    def __init__(self, files: Iterable[str], roots: Iterable[str]) -> None:
        python = sorted(path for path in files if path.endswith(_SUFFIXES))
        self._packages = {path.rpartition("/")[0] for path in python if path.endswith("/__init__.py")}
        self._roots = sorted({self._import_root(root) for root in roots} | {""}, key=len, reverse=True)
        self._files: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._folders: set[str] = set()
        local: dict[str, list[str]] = {}
        for path in python:
            names = [name for root in self._roots if (name := _module(path, root)) is not None]
            self._names[path] = names[0] if names else ""
            for name in names:
                self._add(name, path)
            top = _module(path, self._import_root(path.rpartition("/")[0]))
            if top and top not in names:
                local.setdefault(top, []).append(path)
        for name, paths in local.items():
            if name not in self._files and len(paths) == 1:
                self._add(name, paths[0])

    def _import_root(self, folder: str) -> str:
        """The nearest folder at or above that is no package: what stands in `sys.path` when the file is imported."""
        while folder and folder in self._packages:
            folder = folder.rpartition("/")[0]
        return "" if folder == "." else folder

    def _add(self, name: str, path: str) -> None:
        # A stub describes the module beside it; the module itself is the file.
        if name not in self._files or self._files[name].endswith(".pyi"):
            self._files[name] = path
        while name := name.rpartition(".")[0]:
            self._folders.add(name)

    def module(self, path: str) -> str:
        """The module's dotted name; "" for a path that is no module."""
        return self._names.get(path, "")

    def package(self, path: str) -> str:
        """The package that relative imports in the file start from."""
        name = self.module(path)
        return name if PurePosixPath(path).stem == "__init__" else name.rpartition(".")[0]

    def file(self, module: str) -> str | None:
        """The file of a module, or None."""
        return self._files.get(module)

    def own_name(self, module: str) -> str:
        """The name under which the file of `module` is reported; `module` itself where it has no file."""
        path = self._files.get(module)
        return self._names[path] or module if path and not path.endswith(".pyi") else module

    def is_module(self, name: str) -> bool:
        """Whether the name is a module, a package or a folder that holds modules (a namespace package)."""
        return name in self._files or name in self._folders


def _module(path: str, root: str) -> str | None:
    prefix = f"{root}/" if root else ""
    if not path.startswith(prefix):
        return None
    parts = path[len(prefix) : path.rindex(".")].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def absolute(module: str | None, level: int, package: str) -> str:
    """The module that `from <dots><module>` names, seen from `package`."""
    if not level:
        return module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}" if module and base else module or base
