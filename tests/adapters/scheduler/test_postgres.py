"""A real PostgreSQL, started for these tests from the distribution's packages; skipped where there is none."""

from __future__ import annotations

import operator
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph

from graphlift.adapters.errors import EnvironmentProblem, UsageError
from graphlift.adapters.scheduler import explain, open_saver

pytest.importorskip("psycopg")
postgres = pytest.importorskip("langgraph.checkpoint.postgres")

BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/nowhere"))
CONFIG: dict[str, Any] = {"configurable": {"thread_id": "t"}}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BINARIES / "initdb").exists(), reason="no PostgreSQL server is installed"),
]


class State(TypedDict):
    log: Annotated[list[str], operator.add]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server on a socket in a folder of its own; PostgreSQL refuses to run as root, so then as its own user."""
    folder = Path(tempfile.mkdtemp(prefix="graphlift-pg-", dir="/tmp"))
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = {"user": "postgres", "cwd": "/"}
        shutil.chown(folder, "postgres")

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(BINARIES / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **user,
        )

    try:
        run("initdb", "-D", f"{folder}/data", "-U", "tester", "-A", "trust", "--no-sync")
        # -w waits until the server answers; no port is opened.
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-o", options, "-w", "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_database_without_checkpoints(server: str) -> None:
    with pytest.raises(UsageError, match="holds no checkpoints of LangGraph"), open_saver(server) as saver:
        explain(saver, "t")


def test_a_thread_is_explained_and_nothing_can_be_written(server: str) -> None:
    import psycopg

    made = StateGraph(State)
    for name in ("pick", "x", "y", "end"):
        made.add_node(name, lambda state, name=name: {"log": [name]})
    made.add_edge(START, "pick")
    made.add_conditional_edges("pick", lambda state: "x", ["x", "y"])
    made.add_edge(["x", "y"], "end")
    with postgres.PostgresSaver.from_conn_string(server) as saver:
        saver.setup()
        app = made.compile(checkpointer=saver)
        app.invoke({"log": []}, CONFIG)
    with open_saver(server) as saver:
        for graph in (None, app):
            found = explain(saver, "t", graph=graph)
            assert [(row.step, row.node) for row in found.rows if row.ran] == [(0, "__start__"), (1, "pick"), (2, "x")]
            assert [fired.writers for row in found.rows if row.node == "x" for fired in row.fired] == [("pick",)]
            assert [(edge.target, edge.missing) for edge in found.stalled] == [("end", ("y",))]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            saver.conn.execute("DELETE FROM checkpoints")  # type: ignore[attr-defined]


def test_no_such_database(server: str) -> None:
    url = server.replace("/postgres?", "/nowhere?")
    with pytest.raises(EnvironmentProblem, match='database "nowhere" does not exist'), open_saver(url):
        pass
