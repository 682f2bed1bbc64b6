"""What a user can mend: one base class, with what was wrong, where, and the mend.

Only the command line's entry catches it and turns it into an exit code. Any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

from typing import ClassVar


class GraphliftError(Exception):
    """A problem the user can mend.

    `where` is a place as `file:line` (relative to the project's root), `mend` one sentence that says what to do.
    `exit_code` is the process's exit code: 2 for usage and configuration, 3 for the environment.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, where: str | None = None, mend: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.mend = mend

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        return f"{head}\n  mend: {self.mend}" if self.mend else head

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default reduction, and these errors cross process borders.
        return (_rebuild, (type(self), self.message, self.where, self.mend))


def _rebuild(kind: type[GraphliftError], message: str, where: str | None, mend: str | None) -> GraphliftError:
    return kind(message, where=where, mend=mend)


class UsageError(GraphliftError):
    """A command or a function was called in a way that cannot work."""


class ConfigurationError(GraphliftError):
    """The configuration cannot be read or does not validate."""


class WorkflowError(GraphliftError):
    """A workflow's definition is invalid, or cannot run under the chosen traversal."""


class UnsupportedOptionError(WorkflowError):
    """A legacy option that the compiled path does not support; raised before any node runs."""


class EnvironmentProblem(GraphliftError):  # noqa: N818  (EnvironmentError is a builtin)
    """Something outside the project is missing or refuses: git, a package, an import of the user's code."""

    exit_code: ClassVar[int] = 3


class PluginError(EnvironmentProblem):
    """A plugin cannot be loaded, defines a hook that does not exist, or raised inside a hook."""
