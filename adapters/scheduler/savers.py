"""Opening the savers that LangGraph ships, for reading only: a SQLite file, or a PostgreSQL URL.

What is not a checkpoint database, or is damaged, becomes an error that says so. Values of the user's own classes are not
rebuilt, so no code of theirs is imported.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ..errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol

_POSTGRES = ("postgres", "postgresql")
_TABLES = {"checkpoints", "writes"}


@contextmanager
def open_saver(source: str) -> Iterator[BaseCheckpointSaver[Any]]:
    """A LangGraph saver on a SQLite file (a path or `sqlite:///path`) or a `postgresql://` URL, opened read-only.

    Raises `UsageError` for a file that is missing, damaged or no checkpoint database, `EnvironmentProblem` for a package
    or a server that is missing. An error while the block reads damaged rows is reported the same way.
    """
    scheme = urlsplit(source).scheme
    opened = _postgres(source) if scheme in _POSTGRES else _sqlite(_path(source, scheme))
    with opened as saver:
        yield saver


def _path(source: str, scheme: str) -> Path:
    if scheme == "sqlite":
        return Path(source.removeprefix("sqlite://").removeprefix("/"))
    if "://" in source:
        raise UsageError(
            f"no saver is known for {scheme}://",
            mend="give a SQLite file or a postgresql:// URL (those LangGraph ships)",
        )
    return Path(source)


@contextmanager
def _sqlite(path: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    if not path.is_file():
        raise UsageError(f"there is no file {path.name}", where=str(path), mend="give the path of the saver's database")
    try:
        from langgraph.checkpoint.sqlite import SqliteSaver
    except ImportError as error:
        raise _missing("langgraph-checkpoint-sqlite", "sqlite") from error
    try:
        as_it_lies = _closed_write_ahead(path)
        guard = _unchanged(path) if as_it_lies else nullcontext()
        with guard, closing(_connect(path, as_it_lies)) as connection, _quiet():
            columns = _columns(connection, path)
            saver = SqliteSaver(connection, serde=_serde())
            # Its setup writes; there is nothing to set up in a database that is only read.
            saver.is_setup = True
            if "task_path" not in columns and hasattr(saver, "_has_task_path"):
                saver._has_task_path = False  # (databases from before that column)
            yield saver
    except sqlite3.DatabaseError as error:
        raise _damaged(str(path), error) from error
    except (ValueError, TypeError, KeyError, EOFError, NotImplementedError) as error:
        if _from_serialiser(error):
            raise _damaged(str(path), error) from error
        raise


def _connect(path: Path, as_it_lies: bool) -> sqlite3.Connection:
    # Reading a write-ahead database creates its two side files; closed cleanly it has none, and is read as it lies.
    immutable = "&immutable=1" if as_it_lies else ""
    name = quote(str(path.absolute()))
    return sqlite3.connect(f"file:{name}?mode=ro{immutable}", uri=True, check_same_thread=False)


def _closed_write_ahead(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(20)
    # https://sqlite.org/fileformat.html: bytes 18 and 19 are the format versions, 2 for write-ahead logging.
    return header[18:20] == b"\x02\x02" and not path.with_name(path.name + "-wal").exists()


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    """Complain when the file was written to in between; a database read as it lies could then be read half and half."""
    before = path.stat()
    yield
    after = path.stat()
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise UsageError("the database was written to while it was read", where=str(path), mend="run again")


def _columns(connection: sqlite3.Connection, path: Path) -> set[str]:
    """The columns of its table of writes; raises for a database that is no saver's."""
    found = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not found >= _TABLES:
        held = ", ".join(sorted(found)[:6]) or "nothing"
        raise UsageError(
            f"this SQLite database is no LangGraph saver's: it holds {held}, not checkpoints and writes",
            where=str(path),
            mend="give the file that SqliteSaver writes to",
        )
    columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(writes)")}
    needed = {str(row[1]) for row in connection.execute("PRAGMA table_info(checkpoints)")}
    if not needed >= {"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint", "metadata"}:
        raise UsageError(
            "this database has a table of checkpoints, but not with LangGraph's columns",
            where=str(path),
            mend="give the file that SqliteSaver writes to",
        )
    return columns


@contextmanager
def _postgres(url: str) -> Iterator[BaseCheckpointSaver[Any]]:
    try:
        # By name, since the packages are an extra that a type checker may not find.
        psycopg = import_module("psycopg")
        rows = import_module("psycopg.rows")
        saver = import_module("langgraph.checkpoint.postgres").PostgresSaver
    except ImportError as error:
        raise _missing("langgraph-checkpoint-postgres and psycopg", "postgres") from error
    shown = _without_password(url)
    try:
        options = "-c default_transaction_read_only=on"
        connected = psycopg.connect(
            url, autocommit=True, prepare_threshold=0, row_factory=rows.dict_row, options=options
        )
        with connected as connection, _quiet():
            yield saver(connection, serde=_serde())
    except psycopg.errors.UndefinedTable as error:
        raise UsageError(
            "this PostgreSQL database holds no checkpoints of LangGraph", where=shown, mend="give the saver's database"
        ) from error
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[-1]
        raise EnvironmentProblem(f"the server does not answer: {reason}", where=shown, mend="check the URL") from error


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    return f"{parts.scheme}://{host}{parts.path}"


def _serde() -> SerializerProtocol:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    return JsonPlusSerializer(allowed_msgpack_modules=None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the serialiser's warnings on every class that it was told not to rebuild."""
    logger = logging.getLogger("langgraph.checkpoint.serde.jsonplus")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _from_serialiser(error: BaseException) -> bool:
    trace, names = error.__traceback__, set()
    while trace is not None:
        names.add(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return any(name.startswith("langgraph.checkpoint") for name in names)


def _damaged(where: str, error: BaseException) -> UsageError:
    if "locked" in str(error):
        return UsageError("the database is locked by a writer", where=where, mend="run again when it is done")
    return UsageError(
        f"the database cannot be read: {error}",
        where=where,
        mend="it is damaged or no SQLite database; restore it from a copy",
    )


def _missing(package: str, extra: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"{package} is not installed", mend=f"pip install 'graphlift[{extra}]'")
