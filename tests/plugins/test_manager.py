"""Plugins: who is loaded, and how a plugin that is wrong is named."""

from __future__ import annotations

import pytest

from graphlift.adapters.errors import PluginError
from graphlift.plugins import hookimpl
from graphlift.plugins.manager import HOOKS, Plugins

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


class Gives:
    @hookimpl
    def graphlift_codemods(self) -> list[Item]:
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
    with pytest.raises(PluginError, match=r"graphlift_cases returned str, not a list \(from one of: nothing\)"):
        plugins.gather("graphlift_cases", project=None)


def test_two_objects_with_one_id_are_refused() -> None:
    plugins = Plugins()
    plugins.register(Gives(), "one", "project")
    plugins.register(Gives(), "two", "project")
    with pytest.raises(PluginError, match="two plugins give the id 'same'"):
        plugins.gather("graphlift_codemods")


def test_a_name_that_is_taken_is_refused() -> None:
    plugins = Plugins()
    plugins.register(Gives(), "one", "project")
    with pytest.raises(PluginError, match="'one' is not valid"):
        plugins.register(Gives(), "one", "project")


def test_results_are_sorted_by_id_whatever_the_order_of_plugins() -> None:
    class Other(Gives):
        @hookimpl
        def graphlift_codemods(self) -> list[Item]:
            item = Item()
            item.id = "a-first"
            return [item]

    for order in ((Gives(), Other()), (Other(), Gives())):
        plugins = Plugins()
        for number, plugin in enumerate(order):
            plugins.register(plugin, str(number), "project")
        assert [item.id for item in plugins.gather("graphlift_codemods")] == ["a-first", "same"]


def test_a_command_that_needs_no_hook_of_a_module_does_not_import_it(sandbox) -> None:
    sandbox.files(
        {
            "graphlift.toml": CONFIG + '[[symbol]]\nlegacy = "app.Walker"\nto = "app.Other"\n',
            "app.py": "class Walker: ...\n",
            "mine.py": "raise SystemExit(77)\ndef graphlift_engines(project): return []\n",
        }
    )
    assert sandbox.run("inventory").code == 0
    assert sandbox.run("plugins").code == 77


def test_every_hook_says_when_it_is_called() -> None:
    from graphlift.plugins import hookspecs

    for name in HOOKS:
        assert "Called " in (getattr(hookspecs, name).__doc__ or ""), name
