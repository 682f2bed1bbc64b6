"""A target that its module does not have is a mistake in the configuration, not a plan."""

from __future__ import annotations

from typing import Any

import pytest

CODE = {
    "legacy/__init__.py": "",
    "legacy/walker.py": "class Walker: ...\n",
    "flows/__init__.py": "from .engine import build_graph as make\n",
    "flows/engine.py": "from .parts import *\n\n\ndef build_graph(): ...\n\n\nclass Runner:\n    def build(self): ...\n",
    "flows/parts.py": "def helper(): ...\n\n\ndef _hidden(): ...\n",
    "flows/lazy.py": "def __getattr__(name): ...\n",
    "flows/late.py": "globals()['Runner'] = object\n",
    "flows/outside.py": "from somewhere import *\n",
    "use.py": "from legacy.walker import Walker\nWalker()\n",
}
CONFIG = '[[symbol]]\nlegacy = "legacy.walker.Walker"\n{} = "{}"\n'


def run(sandbox: Any, target: str, *arguments: str, key: str = "called") -> Any:
    sandbox.files({**CODE, "graphlift.toml": CONFIG.format(key, target)})
    return sandbox.run(*arguments)


@pytest.mark.parametrize("command", ["inventory", "codemod"])
@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("flows.engine.buld_graph", "did you mean 'build_graph'? "),
        ("flows.engine.build", "did you mean 'build_graph'? "),
        ("flows.make_it", "did you mean 'make'? "),
        ("flows.engine.Zzz", ""),
    ],
)
def test_a_name_that_a_module_does_not_have(sandbox: Any, command: str, target: str, hint: str) -> None:
    ran = run(sandbox, target, command)
    module = "flows/engine.py" if "engine" in target else "flows/__init__.py"
    assert ran.code == 2
    assert (
        f"graphlift.toml:3: the target {target!r} is not there: {module} has no {target.rpartition('.')[2]!r}"
        in ran.err
    )
    assert f"mend: {hint}Correct `called`; or write it first" in ran.err


def test_a_module_that_is_not_there_stops_what_rewrites(sandbox: Any) -> None:
    ran = run(sandbox, "flows.engin.build_graph", "codemod")
    assert (ran.code, "did you mean 'flows.engine'?" in ran.err) == (2, True)
    assert sandbox.run("inventory").code == 0


@pytest.mark.parametrize(
    "target",
    [
        "flows.engine.build_graph",
        "flows.engine.helper",
        "flows.make",
        "flows.engine.Runner.build",
        "flows.lazy.anything",
        "flows.late.Runner",
        "flows.outside.Runner",
        "another.package.Runner",
        "flows.engine",
    ],
)
def test_what_is_there_or_may_be(sandbox: Any, target: str) -> None:
    assert run(sandbox, target, "inventory", key="to").code == 0
    assert sandbox.run("codemod").code in (0, 1)
