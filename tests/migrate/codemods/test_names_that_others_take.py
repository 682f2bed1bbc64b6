"""A name that somebody may take without a reference that says so is re-pointed, never dropped."""

from __future__ import annotations

from typing import Any

import pytest

CODE = {
    "graphlift.toml": '[[symbol]]\nlegacy = "app.walker.Walker"\nto = "app.engine.Runner"\n',
    "app/__init__.py": "",
    "app/walker.py": "class Walker:\n    def __init__(self, h): self.h = h\n    def run(self): return 1\n",
    "app/engine.py": "class Runner:\n    def __init__(self, h): self.h = h\n    def run(self): return 1\n",
}
SHIM = "from app.walker import Walker as K\n\n\ndef other():\n    return 1\n"
MOVED = SHIM.replace("app.walker import Walker", "app.engine import Runner")


@pytest.mark.parametrize(
    "taker",
    [
        {"app/z.py": "from app.x import *\n", "app/zz.py": "from app.z import K\nK({})\n"},
        {"app/z.py": "from .x import *\n", "app/zz.py": "import app.z as q\nq.K({})\n"},
        {"pyproject.toml": '[project]\nname = "x"\nversion = "1"\n[project.entry-points."flow"]\nbfs = "app.x:K"\n'},
        {"flows.yaml": "engine: app.x.K\n"},
        {".env": "ENGINE=app.x.K\n"},
        {"app/g.py": "import app.x\nglobals().update(vars(app.x))\n"},
    ],
    ids=["star import", "relative star import", "entry point", "yaml", "env", "vars"],
)
def test_a_name_that_may_be_taken_is_repointed(sandbox: Any, taker: dict[str, str]) -> None:
    sandbox.files({**CODE, "app/x.py": SHIM, **taker})
    ran = sandbox.run("codemod", "--apply")
    assert ran.code == 0
    assert (sandbox.root / "app/x.py").read_text(encoding="utf-8") == MOVED
    assert "public-export: other code may use K; it now is app.engine.Runner" in ran.out + ran.err


def test_a_name_that_nobody_takes_is_dropped(sandbox: Any) -> None:
    sandbox.files({**CODE, "app/x.py": SHIM, "flows.yaml": "engine: app.x.Kay\n", "app/z.py": "from app.y import *\n"})
    assert sandbox.run("codemod", "--apply").code == 0
    assert "Walker" not in (sandbox.root / "app/x.py").read_text(encoding="utf-8")


def test_an_example_keeps_the_import_that_it_needs(sandbox: Any) -> None:
    text = 'from app.walker import Walker\n\n\ndef f():\n    """It.\n\n    >>> Walker({}).run()\n    1\n    """\n    return Walker({})\n'
    sandbox.files({**CODE, "app/u.py": text})
    sandbox.run("codemod", "--apply")
    after = (sandbox.root / "app/u.py").read_text(encoding="utf-8")
    assert "from app.walker import Walker" in after
    assert "    return Runner({})" in after
    assert sandbox.run("codemod").code == 0


def test_a_module_that_is_looked_up_says_nothing_of_another(sandbox: Any) -> None:
    other = {"app/other.py": SHIM, "app/g.py": "import app.other\nglobals().update(vars(app.other))\n"}
    typed = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from app.walker import Walker\n\n\ndef f(w: 'Walker'): ...\n"
    sandbox.files({**CODE, **other, "app/x.py": f"{SHIM}\n\nK({{}})\n", "app/t.py": typed})
    assert sandbox.run("codemod", "--apply").code == 0
    assert (sandbox.root / "app/other.py").read_text(encoding="utf-8") == MOVED
    assert " as K" not in (sandbox.root / "app/x.py").read_text(encoding="utf-8")
    assert " as Walker" not in (sandbox.root / "app/t.py").read_text(encoding="utf-8")
    again = sandbox.run("codemod", "--allow-dirty")
    assert again.out.splitlines()[-1].startswith("0 files to change")
