"""When a symbol may be deleted: each condition alone is enough to refuse, and says what would satisfy it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def missing(repo: Any, *arguments: str) -> dict[str, list[str]]:
    said = repo.run("retire", "--format", "json", *arguments)
    assert said.code == 1
    data = said.json()
    return {c["id"]: c["evidence"] for c in data["symbols"][0]["conditions"] if not c["holds"]}


def test_everything_holds(ready: Any) -> None:
    said = ready.run("retire", "--format", "json")
    assert (said.code, said.json()["refused"]) == (1, False)
    assert said.json()["files"] == ["flows/walker.py", "ratchet.lock", "ratchet.toml"]
    assert ready.git("status", "--porcelain") == ""


def test_refused_says_what_is_missing_and_its_mend(base: Any) -> None:
    said = base.run("retire")
    assert said.code == 1
    assert "  MISSING parity: the parity gate has not been run\n          mend: run `graphlift parity`" in said.out
    assert said.out.endswith("refused\n")


@pytest.mark.parametrize(
    ("changes", "evidence"),
    [
        ({"verdict": "red"}, ["the verdict is red"]),
        ({"partial": True}, ["only some of the cases were run"]),
        ({"cases": 0}, ["no case was run"]),
        (
            {"evidence": {"files": {"flows/engine.py": "0" * 64}}},
            [
                "changed since: flows/engine.py",
                "it is not about flows/walker.py: the legacy engine's sources do not list it",
            ],
        ),
    ],
)
def test_a_report_that_proves_nothing(
    base: Any, report: Callable[..., None], changes: dict[str, Any], evidence: list[str]
) -> None:
    report(base, **changes)
    assert missing(base) == {"parity": evidence}


def test_a_report_is_stale_once_an_engine_changes(ready: Any) -> None:
    ready.files({"flows/engine.py": ready.read("flows/engine.py") + "\n"})
    assert missing(ready) == {"parity": ["changed since: flows/engine.py"]}


def test_a_report_that_is_none(base: Any) -> None:
    base.files({".graphlift/parity.json": "{}"})
    assert (base.run("retire").code, base.run("retire").error.partition(":")[0]) == (2, ".graphlift/parity.json")


def test_a_live_call_site(ready: Any) -> None:
    ready.files({"late.py": "from flows.walker import Walker\n\n\ndef go():\n    return Walker()\n"})
    assert missing(ready) == {
        "references": ["late.py:1: import Walker", "late.py:5: call Walker"],
    }


def test_a_use_in_the_walkers_own_file(ready: Any) -> None:
    ready.files({"flows/walker.py": ready.read("flows/walker.py") + "\n\ndef make():\n    return Walker()\n"})
    assert list(missing(ready)) == ["parity", "references"]


def test_an_alias_in_the_walkers_own_file_is_no_live_reference(base: Any, report: Callable[..., None]) -> None:
    base.files({"flows/walker.py": base.read("flows/walker.py") + "\n\nExecutor = Walker\n"})
    report(base)
    assert base.run("retire", "--format", "json").json()["refused"] is False


def test_private_members(ready: Any) -> None:
    body = "from flows.walker import Walker\n\n\ndef go(walker: Walker):\n    return walker._queue\n"
    ready.files({"late.py": body})
    assert "private-members" in missing(ready)


def test_an_option_that_the_new_engine_refuses(ready: Any) -> None:
    ready.files({"late.py": "from flows.engine import build\n\nbuild(continue_on_failure=True, node_cache=None)\n"})
    assert missing(ready) == {"options": ["late.py:3: continue_on_failure=True"]}


def test_no_target(ready: Any) -> None:
    ready.files({"graphlift.toml": '[[symbol]]\nlegacy = "flows.walker.Walker"\n'})
    assert "alias" in missing(ready)


def test_a_target_that_is_not_there(ready: Any) -> None:
    ready.files({"graphlift.toml": ready.read("graphlift.toml").replace("engine.Runner", "engine.Missing")})
    assert "alias" in missing(ready)
    assert "alias" in missing(ready, "--force", "--reason", "cannot be")


INSIDE = """\
from flows.walker import Walker


def test_inside():
    assert Walker()._queue is None
"""


def test_tests_of_the_inside_are_listed_and_go_only_when_asked(ready: Any) -> None:
    ready.files({"tests/test_inside.py": INSIDE})
    assert list(missing(ready)) == ["tests"]
    said = ready.run("retire", "--with-tests", "--format", "json")
    assert said.json()["refused"] is False
    assert "tests/test_inside.py" in said.json()["files"]


MIXED = """\
import json
import logging

from flows.engine import build
from flows.walker import Walker

log = logging.getLogger(__name__)


def _queue(walker):
    return json.dumps(walker._queue)


# About the queue.
def test_inside():
    assert _queue(Walker()) and Walker()._queue is None


def test_other():
    log.info("other")
    assert build()
"""


def test_a_test_file_that_tests_something_else_too_loses_those_tests_only(ready: Any) -> None:
    ready.files({"tests/test_mixed.py": MIXED})
    ready.commit()
    assert list(missing(ready)) == ["tests"]
    listed = ready.run("retire", "--format", "json").json()["symbols"][0]["tests"]
    assert listed == ["tests/test_mixed.py::test_inside"]
    assert ready.run("retire", "--apply", "--with-tests").code == 0
    assert (
        ready.read("tests/test_mixed.py")
        == """\
import logging

from flows.engine import build

log = logging.getLogger(__name__)


def test_other():
    log.info("other")
    assert build()
"""
    )
    assert ready.run("retire", "--undo").code == 0
    assert ready.read("tests/test_mixed.py") == MIXED


def test_a_file_without_tests_is_never_deleted(ready: Any) -> None:
    ready.files(
        {"tests/conftest.py": "from flows.walker import Walker\n\n\ndef queue():\n    return Walker()._queue\n"}
    )
    assert list(missing(ready, "--with-tests")) == ["tests"]


@pytest.mark.parametrize(
    "rest",
    [
        "class TestWalker:\n    def test_inside(self):\n        assert Walker()._queue\n\n    def test_other(self):\n        pass\n",
        "def fixture():\n    return Walker()._queue\n\n\ndef test_inside():\n    assert fixture()\n",
        "QUEUE = Walker()._queue\n\n\ndef test_inside():\n    assert QUEUE\n",
    ],
)
def test_what_is_no_test_by_itself_stays_and_is_in_the_way(ready: Any, rest: str) -> None:
    other = "\n\ndef test_nothing_of_it():\n    assert 1\n"
    ready.files({"tests/test_mixed.py": f"from flows.walker import Walker\n\n\n{rest}{other}"})
    assert list(missing(ready, "--with-tests")) == ["tests"]


def test_force_needs_a_reason_and_a_reason_needs_force(base: Any) -> None:
    assert base.run("retire", "--force").code == 2
    assert base.run("retire", "--reason", "because").code == 2


def test_force_is_kept_in_the_rules(base: Any) -> None:
    assert base.run("retire", "--apply", "--force", "--reason", "the gate's host is down").code == 0
    assert "Forced: the gate's host is down (missing: parity)" in base.read("ratchet.toml")


def test_a_symbol_that_is_not_configured(ready: Any) -> None:
    assert ready.run("retire", "Other").code == 2
    assert ready.run("retire", "Walker").code == 1


def test_without_symbols(repo: Any) -> None:
    assert repo.run("retire").code == 2


@pytest.mark.parametrize(
    ("engine", "bound"),
    [
        ("if True:\n    class Runner: ...\n\n\ndef build(): ...\n", True),
        ("try:\n    from fast import Runner\nexcept ImportError:\n    Runner = None\n\n\ndef build(): ...\n", True),
        ("from fast import *\n", True),
        ("Runner, other = make()\n", True),
        ("def make():\n    class Runner: ...\n\n    return Runner\n", False),
        ("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from fast import Runner\n", False),
        ("class Other:\n    Runner = 1\n", False),
    ],
)
def test_what_binds_the_target(ready: Any, report: Callable[..., None], engine: str, bound: bool) -> None:
    ready.files({"flows/engine.py": engine})
    report(ready)
    assert ("alias" not in missing_or_none(ready)) is bound


def missing_or_none(repo: Any) -> list[str]:
    said = repo.run("retire", "--format", "json")
    return [c["id"] for c in said.json()["symbols"][0]["conditions"] if not c["holds"]]


def test_live_references_that_a_forced_retirement_leaves_are_capped(ready: Any) -> None:
    ready.files({"late.py": "from flows.walker import Walker\n\n\ndef go():\n    return Walker(), Walker()\n"})
    ready.commit()
    assert ready.run("retire", "--apply", "--force", "--reason", "the rest follows").code == 0
    assert ready.run("ratchet", "--absolute").code == 0
    assert "\n2 references:late.py::go flows.walker.Walker\n" in ready.read("ratchet.lock")
    ready.files({"late.py": ready.read("late.py") + "\n\ndef again():\n    return Walker()\n"})
    said = ready.run("ratchet", "--absolute", "--format", "json")
    assert [f["key"] for f in said.json()["findings"]] == ["references:late.py::again flows.walker.Walker"]


def test_a_new_use_of_the_alias_is_red(ready: Any) -> None:
    assert ready.run("retire", "--apply").code == 0
    ready.commit()
    assert ready.run("ratchet", "--absolute").code == 0
    ready.files({"late.py": "from flows.walker import Walker\n\n\ndef go():\n    return Walker()\n"})
    said = ready.run("ratchet", "--absolute", "--format", "json")
    assert {f["key"].partition("::")[0] for f in said.json()["findings"]} == {"references:late.py"}


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("@register('bfs')\n", ["@register('bfs')"]),
        ("@app.registry.register\n", ["@app.registry.register"]),
        ("@dataclass(frozen=True)\n", None),
        ("@functools.total_ordering\n@final\n", None),
    ],
)
def test_a_class_that_its_decorator_hands_on_does_not_go(
    ready: Any, report: Any, head: str, told: list[str] | None
) -> None:
    text = ready.read("flows/walker.py").replace("class Walker", f"{head}class Walker", 1)
    ready.files({"flows/walker.py": text})
    report(ready)
    line = text[: text.index("class Walker")].count("\n")
    assert handed_on(ready) == (None if told is None else [f"flows/walker.py:{line}: {told[0]}"])


@pytest.mark.parametrize(
    ("parent", "told"),
    [
        ("class Base:\n    def __init_subclass__(cls):\n        ENGINES[cls.__name__] = cls\n", True),
        ("class Base(metaclass=Registry):\n    pass\n", True),
        ("class Base(metaclass=ABCMeta):\n    pass\n", False),
        ("class Base:\n    pass\n", False),
    ],
)
def test_a_class_that_its_base_hands_on_does_not_go(ready: Any, report: Any, parent: str, told: bool) -> None:
    text = ready.read("flows/walker.py").replace("class Walker:", "class Walker(Base):", 1)
    assert "(Base)" in text
    ready.files({"flows/walker.py": text, "flows/base.py": parent})
    report(ready)
    found = handed_on(ready)
    assert (found is not None) == told
    assert not told or (found or [""])[0].endswith("Base has an __init_subclass__ or a metaclass of its own")


REGISTERING = "class Root:\n    def __init_subclass__(cls):\n        ENGINES[cls.__name__] = cls\n"
BASES = {
    "a grandparent in another module": (
        {
            "flows/base.py": "from flows.root import Root\n\n\nclass Base(Root):\n    pass\n",
            "flows/root.py": REGISTERING,
        },
        "flows.root.Root has an __init_subclass__ or a metaclass of its own",
    ),
    "through a re-export and a star": (
        {"flows/base.py": "from flows.more import *\n", "flows/more.py": REGISTERING.replace("Root", "Base")},
        "flows.more.Base has an __init_subclass__ or a metaclass of its own",
    ),
    "assigned": (
        {"flows/base.py": "class Base:\n    __init_subclass__ = classmethod(register)\n"},
        "flows.base.Base has an __init_subclass__ or a metaclass of its own",
    ),
    "a base that is not here": (
        {"flows/base.py": "from nowhere_installed.bases import Base\n"},
        "nowhere_installed.bases.Base may have an __init_subclass__ or a metaclass: its source is not here",
    ),
    "a base that is made": (
        {"flows/base.py": "Base = make()\n"},
        "flows.base.Base may have an __init_subclass__ or a metaclass: what it is bound to cannot be read",
    ),
    "asked for its subclasses": (
        {
            "flows/base.py": "class Base:\n    pass\n",
            "flows/find.py": "import flows.base as b\n\nb.Base.__subclasses__()\n",
        },
        "flows.base.Base is asked for its __subclasses__ in flows/find.py",
    ),
    "of an installed package": (
        {"flows/base.py": "from pluggy import PluginManager as Base\n"},
        None,
    ),
    "of an installed package that registers": (
        {"flows/base.py": "from libcst.codemod import CodemodCommand\n\n\nclass Base(CodemodCommand):\n    pass\n"},
        None,
    ),
    "of the standard library": ({"flows/base.py": "from collections import OrderedDict as Base\n"}, None),
    "of the standard library, with parents": (
        {"flows/base.py": "from http.server import SimpleHTTPRequestHandler as Base\n"},
        None,
    ),
    "generic": (
        {
            "flows/base.py": "from typing import Generic, TypeVar\n\nT = TypeVar('T')\n\n\nclass Base(Generic[T]):\n    pass\n"
        },
        None,
    ),
    "a protocol": ({"flows/base.py": "from typing_extensions import Protocol as Base\n"}, None),
    "an abstract class": ({"flows/base.py": "import abc\n\n\nclass Base(abc.ABC):\n    pass\n"}, None),
    "a model": ({"flows/base.py": "import pydantic\n\nBase = pydantic.BaseModel\n"}, None),
    "a circle": ({"flows/base.py": "from flows.walker import Base\n"}, None),
    "an exception": ({"flows/base.py": "class Base(RuntimeError):\n    pass\n"}, None),
}


@pytest.mark.parametrize("how", BASES)
def test_bases_are_followed_to_where_they_are(ready: Any, report: Any, how: str) -> None:
    files, told = BASES[how]
    text = ready.read("flows/walker.py").replace("class Walker:", "class Walker(Base):", 1)
    text = text.replace("import logging", "import logging\n\nfrom flows.base import Base", 1)
    ready.files({"flows/walker.py": text, **files})
    report(ready)
    line = text[: text.index("class Walker")].count("\n") + 1
    assert handed_on(ready) == (None if told is None else [f"flows/walker.py:{line}: {told}"])


def handed_on(repo: Any) -> list[str] | None:
    data = repo.run("retire", "--format", "json").json()
    return next((c["evidence"] for c in data["symbols"][0]["conditions"] if c["id"] == "registered"), None)
