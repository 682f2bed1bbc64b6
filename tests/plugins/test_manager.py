"""Plugins: who is loaded, and how a plugin that is wrong is named."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

from graphlift.adapters.errors import PluginError, UsageError
from graphlift.plugins import hookimpl
from graphlift.plugins.manager import HOOKS, Plugins
from graphlift.plugins.types import PARTS

CONFIG = 'plugins = ["mine"]\n'


def test_the_builtins_come_through_the_entry_points(sandbox) -> None:
    listed = sandbox.run("plugins", "--format", "json").json()["plugins"]
    assert {row["origin"] for row in listed} == {"built-in"}
    assert {row["name"] for row in listed} >= {"codemods", "ledger", "metrics", "rules"}
    assert all(row["provides"] for row in listed)


def test_a_project_module_is_loaded_by_name(sandbox) -> None:
    sandbox.files(
        {
            "graphlift.toml": CONFIG,
            "mine.py": "from graphlift.plugins import hookimpl\n@hookimpl\ndef graphlift_cases(project):\n    return []\n",
        }
    )
    rows = {row["name"]: row for row in sandbox.run("plugins", "--format", "json").json()["plugins"]}
    assert rows["mine"]["origin"] == "project"
    assert rows["mine"]["provides"] == ["graphlift_cases"]


def test_a_module_in_a_source_root_is_found(sandbox) -> None:
    sandbox.files({"graphlift.toml": 'source = ["src"]\nplugins = ["mine"]\n', "src/mine.py": ""})
    assert "mine" in sandbox.run("plugins").out


def test_no_plugin_leaves_one_out_and_refuses_a_name_that_does_not_exist(sandbox) -> None:
    assert "codemods" not in sandbox.run("--no-plugin", "codemods", "plugins").out
    wrong = sandbox.run("--no-plugin", "codmods", "plugins")
    assert wrong.code == 2
    assert "no plugin is named 'codmods'" in wrong.err


@pytest.mark.parametrize(
    ("source", "code", "expected"),
    [
        (
            "@hookimpl\ndef graphlift_cass(project): return []\n",
            3,
            "plugin 'mine' is not valid: unknown hook 'graphlift_cass'",
        ),
        ("@hookimpl\ndef graphlift_cases(projct): return []\n", 3, "plugin 'mine' is not valid"),
        ("1 / 0\n", 3, "plugin 'mine' cannot be imported: ZeroDivisionError: division by zero"),
        ("import absent_thing\n", 3, "plugin 'mine' cannot be imported: ModuleNotFoundError"),
        ("def broken(:\n", 3, "plugin 'mine' cannot be imported: SyntaxError"),
    ],
)
def test_a_wrong_plugin_is_named_without_a_trace(sandbox, source: str, code: int, expected: str) -> None:
    sandbox.files({"graphlift.toml": CONFIG, "mine.py": "from graphlift.plugins import hookimpl\n" + source})
    ran = sandbox.run("plugins")
    assert ran.code == code
    assert expected in ran.err
    assert "Traceback" not in ran.err


def test_a_module_that_is_not_there_is_a_configuration_error(sandbox) -> None:
    sandbox.files({"graphlift.toml": CONFIG})
    ran = sandbox.run("plugins")
    assert ran.code == 2
    assert "graphlift.toml: plugins: there is no module 'mine' in ." in ran.err


class Raises:
    @hookimpl
    def graphlift_cases(self, project: object) -> list[object]:
        raise LookupError("no such table")


class Nothing:
    @hookimpl
    def graphlift_cases(self, project: object) -> str:
        return "abc"


class Item:
    id = "same"
    summary = ""
    pool = None


class Gives:
    @hookimpl
    def graphlift_executors(self) -> list[Item]:
        return [Item()]


def test_a_hook_that_raises_is_named_with_plugin_hook_and_definition() -> None:
    plugins = Plugins()
    plugins.register(Raises(), "raises", "project")
    with pytest.raises(PluginError) as caught:
        plugins.gather("graphlift_cases", project=None)
    assert "plugin 'raises' failed in graphlift_cases: LookupError: no such table" in str(caught.value)
    assert str(caught.value.where).split(":")[0].endswith("test_manager.py")
    assert "--no-plugin raises" in str(caught.value)


def test_a_hook_that_returns_no_list_is_named() -> None:
    plugins = Plugins()
    plugins.register(Nothing(), "nothing", "project")
    with pytest.raises(PluginError, match=r"plugin 'nothing', graphlift_cases: it returned str, not a list"):
        plugins.gather("graphlift_cases", project=None)


def test_two_objects_with_one_id_are_refused() -> None:
    plugins = Plugins()
    plugins.register(Gives(), "one", "project")
    plugins.register(Gives(), "two", "project")
    with pytest.raises(PluginError, match="two plugins give the id 'same'"):
        plugins.gather("graphlift_executors")


def test_a_name_that_is_taken_is_refused() -> None:
    plugins = Plugins()
    plugins.register(Gives(), "one", "project")
    with pytest.raises(PluginError, match="'one' is not valid"):
        plugins.register(Gives(), "one", "project")


def test_results_are_sorted_by_id_whatever_the_order_of_plugins() -> None:
    class Other(Gives):
        @hookimpl
        def graphlift_executors(self) -> list[Item]:
            item = Item()
            item.id = "a-first"
            return [item]

    for order in ((Gives(), Other()), (Other(), Gives())):
        plugins = Plugins()
        for number, plugin in enumerate(order):
            plugins.register(plugin, str(number), "project")
        assert [item.id for item in plugins.gather("graphlift_executors")] == ["a-first", "same"]


def test_a_command_that_needs_no_hook_of_a_module_does_not_import_it(sandbox) -> None:
    sandbox.files(
        {
            "graphlift.toml": CONFIG + '[[symbol]]\nlegacy = "app.Walker"\nto = "app.Other"\n',
            "app.py": "class Walker: ...\nclass Other: ...\n",
            "mine.py": "raise SystemExit(77)\ndef graphlift_engines(project): return []\n",
        }
    )
    assert sandbox.run("inventory").code == 0
    asked = sandbox.run("plugins")
    assert asked.code == 3
    assert "plugin 'mine' cannot be imported: SystemExit: 77" in asked.err


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    raise ValueError('boom')\n", "failed in graphlift_reference_finders: ValueError: boom"),
        ("    raise ValueError('boom')\n    yield\n", "failed in graphlift_reference_finders: ValueError: boom"),
        ("    raise SystemExit(0)\n", "failed in graphlift_reference_finders: SystemExit: 0"),
        ("    return 7\n", ", graphlift_reference_finders: it returned int, not a list"),
        ("    return [7]\n", ", graphlift_reference_finders: it returned an object of type int without id, summary"),
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        "@hookimpl\ndef graphlift_reference_finders():\n",
        "@hookimpl(specname='graphlift_reference_finders')\ndef mine():\n",
    ],
)
def test_whatever_a_hook_does_wrong_is_told_with_plugin_hook_and_definition(sandbox, head, body, message) -> None:
    sandbox.files(
        {
            "graphlift.toml": CONFIG + '[[symbol]]\nlegacy = "app.Walker"\nto = "app.Other"\n',
            "app.py": "class Walker: ...\nclass Other: ...\n",
            "mine.py": "from graphlift.plugins import hookimpl\n\n" + head + body,
        }
    )
    ran = sandbox.run("inventory")
    assert ran.code == 3
    assert ran.out == ""
    assert f"mine.py:3: plugin 'mine'{' ' if message[0] == 'f' else ''}{message}" in ran.err
    assert "Traceback" not in ran.err


def test_a_mistake_that_a_hook_explains_keeps_its_exit_code_and_names_the_hook() -> None:
    class Explains:
        @hookimpl
        def graphlift_cases(self) -> list[object]:
            raise UsageError("no such flow", mend="name one")

    plugins = Plugins()
    plugins.register(Explains(), "explains", "project")
    with pytest.raises(UsageError, match=r"plugin 'explains', graphlift_cases: no such flow\n  mend: name one"):
        plugins.gather("graphlift_cases", project=None)


@pytest.mark.parametrize(
    "source",
    ["@hookimpl\ndef graphlit_engines(): return []\n", "graphlift_enginez = hookimpl(lambda: [])\n"],
)
def test_a_misspelt_hook_is_an_error_in_every_command_also_where_the_prefix_is_wrong(sandbox, source) -> None:
    symbol = '[[symbol]]\nlegacy = "app.Walker"\nto = "app.Other"\n'
    mine = "from graphlift.plugins import hookimpl\n" + source
    sandbox.files(
        {"graphlift.toml": CONFIG + symbol, "app.py": "class Walker: ...\nclass Other: ...\n", "mine.py": mine}
    )
    ran = sandbox.run("inventory")
    assert ran.code == 3
    assert "plugin 'mine' is not valid: unknown hook" in ran.err


def test_what_a_plugin_prints_stays_out_of_standard_output(sandbox) -> None:
    mine = "from graphlift.plugins import hookimpl\nprint('at import')\n"
    mine += "@hookimpl\ndef graphlift_codemods():\n    print('in the hook')\n    return []\n"
    sandbox.files({"graphlift.toml": CONFIG, "mine.py": mine})
    ran = sandbox.run("codemod", "--list", "--format", "json")
    assert ran.json()["codemods"]
    assert ran.err.split("\n")[:2] == ["at import", "in the hook"]


def test_the_parts_that_are_asked_of_an_object_are_those_of_its_protocol() -> None:
    from graphlift.migrate.codemods.model import Codemod
    from graphlift.migrate.ledger.finders import ReferenceFinder
    from graphlift.migrate.ratchet.metrics.base import Metric
    from graphlift.parity.engine import Engine

    protocols = {
        "graphlift_codemods": Codemod,
        "graphlift_engines": Engine,
        "graphlift_ratchet_metrics": Metric,
        "graphlift_reference_finders": ReferenceFinder,
    }
    for hook, protocol in protocols.items():
        assert set(PARTS[hook]) == {name for name in dir(protocol) if not name.startswith("_")}, hook


def test_every_hook_says_when_it_is_called() -> None:
    from graphlift.plugins import hookspecs

    for name in HOOKS:
        assert "Called " in (getattr(hookspecs, name).__doc__ or ""), name


def test_a_folder_on_the_path_with_the_beginning_of_another_cuts_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("app", "apples"):
        (tmp_path / name).mkdir()
    file = tmp_path / "apples" / "own.py"
    monkeypatch.setattr("sys.path", [str(tmp_path / "app")])
    plugin = types.ModuleType("own")
    plugin.__file__ = str(file)
    plugin.graphlift_cases = hookimpl(lambda wrong: [])  # type: ignore[attr-defined]
    with pytest.raises(PluginError) as caught:
        Plugins().register(plugin, "own", "project")
    assert caught.value.where == "own.py"
