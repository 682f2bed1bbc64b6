"""`graphlift init`: what counts as a walker, and what is written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from graphlift.migrate.discovery import find_candidates
from graphlift.plugins.project import Project

BREADTH_FIRST = """
from collections import deque
class Walker:
    async def run(self, definition, context):
        pending = deque([definition.start])
        visited = set()
        while pending:
            node = pending.popleft()
            if node in visited:
                continue
            visited.add(node)
            result = await self._execute_node(node, context)
            pending.extend(self._next_nodes(node, result))
"""
IN_DEGREE = """
class Executor:
    async def execute(self, steps):
        open_ = {s.name: len(s.depends_on) for s in steps}
        ready = [s for s in steps if not open_[s.name]]
        while ready:
            await gather(*(self.handlers[s.name](s) for s in ready))
            released = []
            for s in ready:
                for d in self.dependents[s.name]:
                    open_[d.name] -= 1
                    if not open_[d.name]:
                        released.append(d)
            ready = released
"""
POP_ZERO = """
def run_flow(flow, handlers, data):
    queue = [flow["start"]]
    while len(queue) > 0:
        name = queue.pop(0)
        data.update(handlers[name](data))
        for child in flow["nodes"][name]["next"]:
            queue.append(child)
"""
HELD_QUEUE = """
class Engine:
    def drive(self):
        while not self._queue.empty():
            node = self._queue.get_nowait()
            self.run_one(node)
            for succ in node.successors:
                self._queue.put_nowait(succ)
"""
HEAP = """
import heapq
def run_by_priority(flow, handlers):
    ready = list(flow.entry)
    while ready:
        node = heapq.heappop(ready)
        handlers[node.name](node)
        for child in node.children:
            heapq.heappush(ready, child)
"""
COLLECTS = """
def reachable(graph, start):
    todo, seen = [start], set()
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        todo.extend(graph[node])
    return seen
"""


def candidates(root: Path, text: str, name: str = "app/engine.py") -> list[tuple[str, bool]]:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")
    return [(item.name, item.runs_nodes) for item in find_candidates(Project(root.resolve()))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (BREADTH_FIRST, "app.engine.Walker"),
        (IN_DEGREE, "app.engine.Executor"),
        (POP_ZERO, "app.engine.run_flow"),
        (HELD_QUEUE, "app.engine.Engine"),
        (HEAP, "app.engine.run_by_priority"),
    ],
)
def test_a_loop_that_takes_nodes_and_puts_successors_back_is_a_candidate(tmp_path: Path, text: str, name: str) -> None:
    assert candidates(tmp_path, text) == [(name, True)]


SETUP = "class Walker:\n    def __init__(self, handlers):\n        self.handlers, self.visited = handlers, set()\n\n"
RECURSIVE = {
    "a method": SETUP + "    def run(self, name, flow):\n        self.handlers[name]()\n"
    "        for child in flow['next'][name]:\n            self.run(child, flow)\n",
    "a function": "async def walk(node, ctx):\n    await ctx.execute(node)\n    for one in node.next_nodes:\n        await walk(one, ctx)\n",
    "gathered": "async def walk(n):\n    await n.run()\n    await gather(*(walk(one) for one in n.children))\n",
    "sorted": "def run(graph, handlers):\n    for name in TopologicalSorter(graph).static_order():\n        handlers[name]()\n",
    "ready": "class Runner:\n    def __init__(self, graph):\n        self.order = graphlib.TopologicalSorter(graph)\n\n"
    "    def run(self):\n        while self.order.is_active():\n            for name in self.order.get_ready():\n"
    "                execute(name)\n",
}


@pytest.mark.parametrize("kind", RECURSIVE)
def test_recursion_and_a_topological_sorter_walk_too(tmp_path: Path, kind: str) -> None:
    ((_, runs),) = candidates(tmp_path, RECURSIVE[kind])
    assert runs


@pytest.mark.parametrize(
    "text",
    [
        "def size(node):\n    return 1 + sum(size(child) for child in node.children)\n",
        "def show(node):\n    for child in node.children:\n        out.extend(show(child))\n",
        "async def show(node):\n    for child in node.children:\n        await show(child)\n",
        "def order(graph):\n    return list(TopologicalSorter(graph).static_order())\n",
        "def retry(n):\n    for wait in (1, 2):\n        execute(n)\n        retry(n - 1)\n",
    ],
)
def test_recursion_that_runs_nothing_is_none(tmp_path: Path, text: str) -> None:
    assert candidates(tmp_path, text) == []


def test_a_search_that_only_collects_ids_is_named_with_that_doubt(tmp_path: Path) -> None:
    assert candidates(tmp_path, COLLECTS) == [("app.engine.reachable", False)]


@pytest.mark.parametrize(
    "text",
    [
        "def poll(queue):\n    while True:\n        handle(queue.get())\n",
        "def drain(items):\n    while items:\n        process(items.pop())\n",
        "def retry(call):\n    tries = []\n    while len(tries) < 3:\n        tries.append(call())\n",
        "def fill(rows, out):\n    while rows:\n        out.append(rows.pop())\n",
        "def lex(stack, run):\n    while stack:\n        run(stack.pop())\n        stack.append(']')\n",
        "def count(l):\n    while l:\n        run(l.pop())\n        l += 1\n",
        "class Walker:\n    def run(self):\n        for node in self.nodes:\n            node.execute()\n",
    ],
)
def test_loops_that_walk_no_graph_are_no_candidates(tmp_path: Path, text: str) -> None:
    assert candidates(tmp_path, text) == []


@pytest.mark.parametrize("name", ["tests/helper.py", "app/test_engine.py", "conftest.py"])
def test_tests_are_not_searched(tmp_path: Path, name: str) -> None:
    assert candidates(tmp_path, BREADTH_FIRST, name) == []


def test_the_reasons_name_lines_and_code(sandbox) -> None:
    sandbox.files({"app/engine.py": BREADTH_FIRST})
    (found,) = sandbox.run("init", "--dry-run", "--format", "json").json()["candidates"]
    assert (found["file"], found["line"]) == ("app/engine.py", 3)
    assert found["reasons"] == [
        "takes nodes from `pending` in a loop (line 8)",
        "extends it with successors: `pending.extend(self._next_nodes(node, result))` (line 13)",
        "remembers nodes in `visited`",
        "runs something for each node",
    ]


def test_what_is_written_is_a_valid_configuration(sandbox) -> None:
    sandbox.files({"app/engine.py": BREADTH_FIRST, "app/search.py": COLLECTS})
    assert sandbox.run("init").code == 0
    written = tomllib.loads((sandbox.root / "graphlift.toml").read_text(encoding="utf-8"))
    assert [symbol["legacy"] for symbol in written["symbol"]] == ["app.engine.Walker"]
    assert sandbox.run("plugins").code == 0


def test_a_src_layout_gets_its_import_root(sandbox) -> None:
    sandbox.files({"src/app/engine.py": BREADTH_FIRST})
    assert sandbox.run("init").code == 0
    written = tomllib.loads((sandbox.root / "graphlift.toml").read_text(encoding="utf-8"))
    assert written["source"] == ["src", "."]
    assert written["symbol"][0]["legacy"] == "app.engine.Walker"


@pytest.mark.parametrize(
    ("files", "source", "legacy"),
    [
        (["packages/flow/src/flow/__init__.py", "packages/flow/src/flow/w.py"], ["packages/flow/src", "."], "flow.w"),
        (["packages/flow/src/flow/w.py"], ["packages/flow/src", "."], "flow.w"),
        (["flow/pyproject.toml", "flow/flow/__init__.py", "flow/flow/w.py"], ["flow", "."], "flow.w"),
        (["backend/flow/__init__.py", "backend/flow/w.py", "backend/run.py=import flow.w"], ["backend", "."], "flow.w"),
        (["app/flow/__init__.py", "app/flow/w.py", "run.py=import app.flow.w"], ["."], "app.flow.w"),
        (["app/flow/__init__.py", "app/flow/w.py"], ["."], "app.flow.w"),
        (["app/__init__.py", "app/src/__init__.py", "app/src/w.py"], ["."], "app.src.w"),
    ],
)
def test_import_roots_below_the_root(sandbox, files: list[str], source: list[str], legacy: str) -> None:
    texts = dict(name.partition("=")[::2] for name in files)
    sandbox.files({name: BREADTH_FIRST if name.endswith("/w.py") else text for name, text in texts.items()})
    assert sandbox.run("init").code == 0
    written = tomllib.loads((sandbox.root / "graphlift.toml").read_text(encoding="utf-8"))
    assert (written["source"], written["symbol"][0]["legacy"]) == (source, f"{legacy}.Walker")
    assert sandbox.run("inventory").code == 0


def test_dry_run_writes_nothing(sandbox) -> None:
    sandbox.files({"app/engine.py": BREADTH_FIRST})
    assert 'legacy = "app.engine.Walker"' in sandbox.run("init", "--dry-run").out
    assert not (sandbox.root / "graphlift.toml").exists()


def test_an_existing_configuration_is_never_overwritten(sandbox) -> None:
    sandbox.files({"graphlift.toml": "# mine\n", "app/engine.py": BREADTH_FIRST})
    ran = sandbox.run("init")
    assert (ran.code, (sandbox.root / "graphlift.toml").read_text(encoding="utf-8")) == (2, "# mine\n")
    assert "configures graphlift already" in ran.err


def test_the_target_of_a_dangling_link_is_not_written(sandbox, tmp_path: Path) -> None:
    sandbox.files({"app/engine.py": BREADTH_FIRST})
    (sandbox.root / "graphlift.toml").symlink_to(tmp_path / "elsewhere")
    ran = sandbox.run("init")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert not (tmp_path / "elsewhere").exists()


def test_no_candidate_is_a_finding_and_a_template_is_written(sandbox) -> None:
    sandbox.files({"app/engine.py": "x = 1\n", "app/broken.py": "def (:\n"})
    ran = sandbox.run("init")
    assert ran.code == 1
    assert "no candidate walker found" in ran.out
    assert (sandbox.root / "graphlift.toml").exists()


# the module for the gate

WALKER = """
from collections import deque


class Walker:
    def __init__(self, handlers):
        self.handlers = handlers

    def run(self, flow, data):
        pending, visited = deque([flow["start"]]), set()
        while pending:
            name = pending.popleft()
            if name in visited:
                continue
            visited.add(name)
            data = {**data, **self.handlers[name](data)}
            pending.extend(flow["next"].get(name, []))
        return {"success": True, "data": data}
"""


def gate(sandbox) -> str:
    return (sandbox.root / "parity_cases.py").read_text(encoding="utf-8")


def test_the_template_names_the_walker_and_imports_nothing_of_the_project_by_itself(sandbox) -> None:
    sandbox.files({"app/engine.py": WALKER})
    ran = sandbox.run("init")
    assert ran.out.splitlines()[:2] == ["wrote graphlift.toml", "wrote parity_cases.py"]
    assert "    from app.engine import Walker\n\n    return Walker(handlers).run(case.definition" in gate(sandbox)
    assert "parity_cases" in sandbox.run("plugins").out
    ran = sandbox.run("parity")
    assert (ran.code, "no plugin gives a case" in ran.err) == (2, True)
    assert sandbox.run("inventory").code == 0


def test_the_template_works_after_a_few_lines_are_filled_in(sandbox) -> None:
    sandbox.files({"app/engine.py": WALKER})
    sandbox.run("init")
    lines = {
        'raise NotImplementedError("TODO 2': "return run_legacy(case, handlers)  #",
        "        # TODO 3": "        *((Case(str(n), 'order', FLOW, {'n': n}, HANDLERS, matrix={'workers': [1, 2]}) for n in (1, 2))),\n        #",
        "@hookimpl\ndef graphlift_cases": "FLOW = {'start': 'a', 'next': {'a': ['b']}}\n"
        "HANDLERS = {'a': lambda data: {'a': data['n']}, 'b': lambda data: {'b': data['a']}}\n\n\n"
        "@hookimpl\ndef graphlift_cases",
    }
    text = gate(sandbox)
    for old, new in lines.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (sandbox.root / "parity_cases.py").write_text(text, encoding="utf-8")
    ran = sandbox.run("parity", "--format", "json")
    assert (ran.code, ran.json()["verdict"]) == (0, "green")
    assert ran.json()["case_ids"] == ["1[workers=1]", "1[workers=2]", "2[workers=1]", "2[workers=2]"]


def test_a_function_is_called_as_one(sandbox) -> None:
    sandbox.files({"app/engine.py": POP_ZERO})
    sandbox.run("init")
    assert "return run_flow(case.definition, handlers, case.inputs)" in gate(sandbox)


def test_without_a_walker_the_template_says_what_is_to_do(sandbox) -> None:
    sandbox.files({"app/engine.py": "x = 1\n"})
    sandbox.run("init")
    assert 'raise NotImplementedError("TODO 1' in gate(sandbox)
    assert sandbox.run("plugins").code == 0


def test_an_existing_module_for_the_gate_stays(sandbox) -> None:
    sandbox.files({"app/engine.py": WALKER, "parity_cases.py": "# mine\n"})
    ran = sandbox.run("init")
    assert (ran.code, gate(sandbox)) == (0, "# mine\n")
    assert "parity_cases.py is there already, and stays" in ran.out


def test_the_module_may_lie_in_a_folder(sandbox) -> None:
    sandbox.files({"app/engine.py": WALKER})
    assert sandbox.run("init", "--engines", "migration/gate.py").code == 0
    written = tomllib.loads((sandbox.root / "graphlift.toml").read_text(encoding="utf-8"))
    assert (written["plugins"], written["exclude"]) == (["migration.gate"], ["/migration/gate.py"])
    assert "migration.gate" in sandbox.run("plugins").out


@pytest.mark.parametrize("name", ["../gate.py", "/tmp/gate.py", "gate.txt", "my-gate.py"])
def test_what_python_cannot_import_is_refused(sandbox, name: str) -> None:
    sandbox.files({"app/engine.py": WALKER})
    assert sandbox.run("init", "--engines", name).code == 2
    assert not (sandbox.root / "graphlift.toml").exists()


def test_a_folder_behind_a_link_that_leads_out_is_refused(sandbox, tmp_path: Path) -> None:
    sandbox.files({"app/engine.py": WALKER})
    (tmp_path / "outside").mkdir()
    (sandbox.root / "migration").symlink_to(tmp_path / "outside", target_is_directory=True)
    ran = sandbox.run("init", "--engines", "migration/gate.py")
    assert (ran.code, list((tmp_path / "outside").iterdir())) == (2, [])
