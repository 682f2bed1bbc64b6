"""The configuration: what is read, and what an error says."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphlift.adapters.errors import ConfigurationError
from graphlift.plugins.configuration import Settings, find_config, load_settings


def read(root: Path, text: str, name: str = "graphlift.toml") -> Settings:
    (root / name).write_text(text, encoding="utf-8")
    return load_settings(root / name, root)


FULL = """
source = ["src", "tests"]
exclude = ["*_pb2.py"]
plugins = ["shop_parity"]
[[symbol]]
legacy = "legacy.walker.BFSWalker"
called = "flows.engine.build_graph"
type = "flows.engine.GraphRunner"
arguments = { rename = { max_depth = "recursion_limit" }, drop = ["trace"], add = { strict = "False" } }
"""


def test_every_key_of_the_symbol_table_is_read(tmp_path: Path) -> None:
    settings = read(tmp_path, FULL)
    (symbol,) = settings.symbol
    assert settings.source == ("src", "tests")
    assert (symbol.call_target, symbol.type_target) == ("flows.engine.build_graph", "flows.engine.GraphRunner")
    assert symbol.alias_target == "flows.engine.GraphRunner"
    assert symbol.arguments.rename == {"max_depth": "recursion_limit"}
    assert symbol.arguments.drop == ("trace",)
    assert symbol.arguments.add == {"strict": "False"}


def test_pyproject_holds_the_same_keys_under_tool_graphlift(tmp_path: Path) -> None:
    text = FULL.replace("source", "[tool.graphlift]\nsource", 1).replace("[[symbol]]", "[[tool.graphlift.symbol]]")
    assert read(tmp_path, text, "pyproject.toml") == read(tmp_path, FULL)


def test_to_is_short_for_one_target_in_every_role(tmp_path: Path) -> None:
    (symbol,) = read(tmp_path, '[[symbol]]\nlegacy = "a.B"\nto = "c.D"\n').symbol
    assert (symbol.call_target, symbol.type_target, symbol.alias_target) == ("c.D", "c.D", "c.D")


def test_graphlift_toml_wins_and_a_pyproject_without_the_table_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert find_config(tmp_path) is None
    (tmp_path / "pyproject.toml").write_text("[tool.graphlift]\n", encoding="utf-8")
    assert find_config(tmp_path) == tmp_path / "pyproject.toml"
    (tmp_path / "graphlift.toml").write_text("", encoding="utf-8")
    assert find_config(tmp_path) == tmp_path / "graphlift.toml"


@pytest.mark.parametrize("tool", ["3", '"graphlift"', '["graphlift"]'])
def test_a_tool_key_that_is_no_table_configures_nothing(tmp_path: Path, tool: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"tool = {tool}\n", encoding="utf-8")
    assert find_config(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sorce = []\n", "graphlift.toml:1: sorce: unknown key\n  mend: did you mean `source`?"),
        (
            '[[symbol]]\nlegacy = "a.B"\n\n[[symbol]]\nlegacy = "a.C"\ncaled = "x.y"\n',
            "graphlift.toml:6: symbol.1.caled: unknown key",
        ),
        (
            '[[symbol]]\ncalled = "a.b"\n',
            "graphlift.toml:1: symbol.0.legacy: Field required\n  mend: add `legacy = …` to this table",
        ),
        (
            '[[symbol]]\nlegacy = "not dotted!"\n',
            "graphlift.toml:2: symbol.0.legacy: 'not dotted!' is not a dotted Python name",
        ),
        (
            '[[symbol]]\nlegacy = "a.class"\n',
            "graphlift.toml:2: symbol.0.legacy: 'a.class' is not a dotted Python name",
        ),
        ('source = ["../other"]\n', "graphlift.toml:1: source.0: '../other' must be a path inside the project"),
        ("[parity]\ntimeout = 0\n", "graphlift.toml:2: parity.timeout: Input should be greater than 0"),
        ("source = [\n", "graphlift.toml:1: is not valid TOML"),
        ("a = 1\nb = = 2\n", "graphlift.toml:2: is not valid TOML"),
        ('[[symbol]]\nlegacy = "a.B"\nto = "c.D"\ncalled = "e.F"\n', "graphlift.toml:1: symbol.0: `to` is short for"),
        ('[[symbol]]\nlegacy = "a.B"\n[[symbol]]\nlegacy = "a.B"\n', "the symbol 'a.B' is configured twice"),
        ('exclude = ["ok", "!"]\n', "graphlift.toml:1: exclude.1: '!' is not a pattern as in a .gitignore"),
        (
            '[[symbol]]\nlegacy = "a.B"\narguments = { rename = { a = "b c" } }\n',
            "graphlift.toml:3: symbol.0.arguments.rename.a: 'b c' is not the name of an argument",
        ),
        (
            '[[symbol]]\nlegacy = "a.B"\narguments = { add = { strict = "(" } }\n',
            "graphlift.toml:3: symbol.0.arguments.add.strict: '(' is not a Python expression",
        ),
    ],
)
def test_an_error_says_file_line_key_and_mend(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_lines_are_found_in_pyproject_too(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n\n[tool.graphlift]\nsource = ["."]\n\n[[tool.graphlift.symbol]]\nlegacy = 3\n'
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text, "pyproject.toml")
    assert caught.value.where == "pyproject.toml:8"


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "graphlift.toml").write_bytes(b'source = ["\xff"]\n')
    with pytest.raises(ConfigurationError, match=r"graphlift\.toml: is not UTF-8"):
        load_settings(tmp_path / "graphlift.toml", tmp_path)


def test_the_published_schema_is_that_of_the_models() -> None:
    import graphlift.plugins.configuration as module

    published = Path(str(module.__file__)).with_name("graphlift.schema.json")
    assert published.read_text(encoding="utf-8") == module.schema()
