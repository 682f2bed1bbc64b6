"""Opening SQLite savers for reading only: nothing is written, and what is no checkpoint database is said to be none."""

from __future__ import annotations

import hashlib
import operator
import sqlite3
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Send

from graphlift.adapters.errors import EnvironmentProblem, UsageError
from graphlift.adapters.scheduler import explain, open_saver, waiting_edges

CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    log: Annotated[list[str], operator.add]


def database(path: Path, **options: Any) -> Path:
    made = StateGraph(State)
    for name in ("pick", "x", "y", "end", "worker"):
        made.add_node(name, lambda state, name=name: {"log": [name]})
    made.add_edge(START, "pick")
    made.add_conditional_edges("pick", lambda state: ["x", Send("worker", {"log": []})], ["x", "y", "worker"])
    made.add_edge(["x", "y"], "end")
    with SqliteSaver.from_conn_string(str(path)) as saver:
        made.compile(checkpointer=saver).invoke({"log": []}, CONFIG, **options)
    return path


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_path_or_a_url(tmp_path: Path, form: str) -> None:
    path = database(tmp_path / "odd name %41?#.db" if form == "{}" else tmp_path / "plain.db")
    with open_saver(form.format(path)) as saver:
        assert [edge.target for edge in waiting_edges(saver, CONFIG)] == ["end"]


def test_nothing_is_written(tmp_path: Path) -> None:
    path = database(tmp_path / "c.db")
    before = digests(tmp_path)
    with open_saver(str(path)) as saver:
        explain(saver, "t")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            saver.conn.execute("DELETE FROM checkpoints")  # type: ignore[attr-defined]
    assert digests(tmp_path) == before


def test_a_database_that_is_being_written_to_can_be_read(tmp_path: Path) -> None:
    path = database(tmp_path / "c.db")
    writer = sqlite3.connect(path)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM checkpoints")
    with open_saver(str(path)) as saver:
        assert explain(saver, "t").ending.kind == "quiescent"
    writer.rollback()
    writer.close()


def test_a_database_from_before_the_task_path_column(tmp_path: Path) -> None:
    path = database(tmp_path / "c.db")
    with sqlite3.connect(path) as old:
        # The lowest version of the saver that is allowed has none itself.
        if "task_path" in {row[1] for row in old.execute("PRAGMA table_info(writes)")}:
            old.execute("ALTER TABLE writes DROP COLUMN task_path")
    old.close()
    with open_saver(str(path)) as saver:
        assert [row.node for row in explain(saver, "t").rows if row.ran] == ["__start__", "pick", "worker", "x"]


def test_classes_of_the_user_are_not_rebuilt(tmp_path: Path) -> None:
    (tmp_path / "boom_on_import.py").write_text("raise SystemExit('imported')")
    from dataclasses import make_dataclass

    kind = make_dataclass("Order", [("size", int)])
    kind.__module__ = "boom_on_import"
    made = StateGraph(State)
    made.add_node("a", lambda state: {"log": [kind(3)]})
    made.add_edge(START, "a")
    with SqliteSaver.from_conn_string(str(tmp_path / "c.db")) as saver:
        made.compile(checkpointer=saver).invoke({"log": []}, CONFIG)
    with pytest.MonkeyPatch.context() as patch, open_saver(str(tmp_path / "c.db")) as saver:
        patch.syspath_prepend(tmp_path)
        assert explain(saver, "t").ending.kind == "quiescent"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file c\.db"), open_saver(str(tmp_path / "c.db")):
        pass
    assert list(tmp_path.iterdir()) == []


def test_no_database_at_all(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"this is a text file, and a long one at that" * 40)
    with pytest.raises(UsageError, match="file is not a database") as error, open_saver(str(tmp_path / "c.db")):
        pass
    assert error.value.mend is not None


def test_a_foreign_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c.db") as other:
        other.execute("CREATE TABLE orders (id)")
    other.close()
    with (
        pytest.raises(UsageError, match="it holds orders, not checkpoints and writes"),
        open_saver(str(tmp_path / "c.db")),
    ):
        pass


def test_a_namesake_of_its_tables(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c.db") as other:
        other.execute("CREATE TABLE checkpoints (id)")
        other.execute("CREATE TABLE writes (id)")
    other.close()
    with pytest.raises(UsageError, match="not with LangGraph's columns"), open_saver(str(tmp_path / "c.db")):
        pass


def test_a_truncated_database(tmp_path: Path) -> None:
    path = database(tmp_path / "c.db")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with (
        pytest.raises(UsageError, match="cannot be read: database disk image is malformed"),
        open_saver(str(path)) as saver,
    ):
        explain(saver, "t")


@pytest.mark.parametrize("blob", [b"\xc1\xff\x00", b"", b"\x81\xa1v\x01"])
def test_a_damaged_row(tmp_path: Path, blob: bytes) -> None:
    path = database(tmp_path / "c.db")
    with sqlite3.connect(path) as other:
        other.execute("UPDATE checkpoints SET checkpoint = ? WHERE parent_checkpoint_id IS NULL", (blob,))
    other.close()
    with pytest.raises(UsageError, match="cannot be read"), open_saver(str(path)) as saver:
        explain(saver, "t")


def test_an_unknown_scheme() -> None:
    with pytest.raises(UsageError, match="no saver is known for redis://"), open_saver("redis://here"):
        pass


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(EnvironmentProblem) as error, open_saver("postgresql://me:secret@127.0.0.1:1/db"):
        pass
    assert "secret" not in str(error.value)
    assert error.value.where == "postgresql://127.0.0.1:1/db"


def test_an_error_of_the_callers_own_is_left_alone(tmp_path: Path) -> None:
    path = database(tmp_path / "c.db")
    with pytest.raises(KeyError, match="mine"), open_saver(str(path)):
        raise KeyError("mine")
