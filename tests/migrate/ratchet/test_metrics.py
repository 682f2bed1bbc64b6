"""What each metric counts, and what it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.ratchet.metrics.code_lines import by_text, by_tokens, count_code
from graphlift.migrate.ratchet.metrics.lines import count_lines

SYMBOLS = """\
[[symbol]]
legacy = "old.walker.Walker"
to = "new.engine.Engine"
"""

CODE = {
    "graphlift.toml": SYMBOLS,
    "old/__init__.py": "",
    "old/walker.py": "class Walker:\n    def run(self):\n        return 1\n",
    "new/__init__.py": "",
    "new/engine.py": "class Engine:\n    def run(self):\n        return 1\n",
    "app.py": "from old.walker import Walker\n\n\ndef one():\n    return Walker()\n\n\ndef two():\n    return 2\n",
}


def rule(metric: str, *more: str, name: str = "r") -> str:
    return "\n".join(["[[rule]]", f'id = "{name}"', f'metric = "{metric}"', *more, ""])


def numbers(said: Any) -> dict[str, int]:
    return {item["key"]: item["value"] for item in said.json()["numbers"]}


@pytest.mark.parametrize(
    ("content", "count"),
    [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"a\rb", 2), (b"a\n\f\nb\n", 3), (b"\n", 1)],
)
def test_lines(content: bytes, count: int) -> None:
    assert count_lines(content) == count


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_the_number_of_lines_does_not_depend_on_how_they_end(parts: list[str]) -> None:
    forms = [newline.join([*parts, ""]).encode() for newline in ("\n", "\r\n", "\r")]
    assert [count_lines(form) for form in forms] == [len(parts)] * 3


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x = 1\n", 1),
        ('"""Module."""\n\nx = 1  # why\n# a comment\n', 1),
        ("def f():\n    '''Doc\n\n    more'''\n    return 1\n", 2),
        ('x = """a\n\nb"""\n', 3),
        ("x = (\n    1,\n\n    # why\n    2,\n)\n", 4),
        ("if x:\n    'a string by itself'\n", 1),
        ("def broken(:\n\n    pass\n", 2),
    ],
)
def test_code_lines(source: str, count: int) -> None:
    assert count_code("a.py", source.encode()) == count


def test_deleting_docstrings_does_not_pay(repo: Any) -> None:
    repo.files(
        {"a.py": '"""Long.\n\nVery.\n"""\n\nx = 1\ny = 2\n', "ratchet.toml": rule("code-lines", 'paths = ["a.py"]')}
    )
    repo.run("ratchet", "tighten")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"a.py": "x = 1\ny = 2\nz = 3\n"})
    assert repo.check().codes == ["grown"]


def test_a_reference_removed_here_does_not_pay_for_a_new_one_there(repo: Any) -> None:
    repo.files({**CODE, "ratchet.toml": rule("references")})
    repo.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    swapped = "from old.walker import Walker\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return Walker()\n"
    repo.files({"app.py": swapped})
    said = repo.check()
    assert [(f["code"], f["key"]) for f in said.json()["findings"]] == [
        ("grown", "references:app.py::two old.walker.Walker")
    ]


def test_references_fall_silently_and_tighten_forgets_them(repo: Any) -> None:
    repo.files({**CODE, "ratchet.toml": rule("references")})
    repo.run("ratchet", "init")
    assert numbers(repo.check("--absolute")) == {
        "references:app.py::<module> old.walker.Walker": 1,
        "references:app.py::one old.walker.Walker": 1,
    }
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"app.py": "def one():\n    return 1\n"})
    assert repo.check().code == 0
    repo.run("ratchet", "tighten")
    assert "references" not in repo.read("ratchet.lock")


def test_an_exclusion_in_the_configuration_that_hides_a_call_is_red(repo: Any) -> None:
    repo.files({**CODE, "ratchet.toml": rule("references")})
    repo.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"graphlift.toml": 'exclude = ["hidden.py"]\n' + SYMBOLS, "hidden.py": CODE["app.py"]})
    said = repo.check()
    assert said.codes == ["settings"]
    assert "`exclude` has a new entry 'hidden.py'" in said.out


def test_an_exception_that_an_exclusion_lost_is_red(repo: Any) -> None:
    lines = 'exclude = ["gen/*", "!gen/shown.py"]\n' + SYMBOLS
    repo.files({**CODE, "ratchet.toml": rule("references"), "graphlift.toml": lines, "gen/shown.py": CODE["app.py"]})
    repo.run("ratchet", "init")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"graphlift.toml": 'exclude = ["gen/*"]\n' + SYMBOLS})
    said = repo.check()
    assert said.codes == ["settings"]
    assert "`exclude` lost the exception '!gen/shown.py'" in said.out


@pytest.mark.parametrize(
    "line",
    [
        "import old.walker",
        "import old.walker as w",
        "from old.walker import Walker",
        "from old import walker",
        "from old import walker as w",
        "from old.walker import *",
        "__import__('old.walker')",
        "importlib.import_module('old.walker')",
        "mock.patch('old.walker.Walker.run')",
        "target = 'old.walker:Walker'",
        "import old\nold.walker.Walker()",
        "def f():\n    from old.walker import Walker",
    ],
)
def test_every_form_of_a_banned_import_counts(repo: Any, line: str) -> None:
    repo.files({"app.py": line + "\n", "ratchet.toml": rule("import-ban", 'names = ["old.walker"]')})
    assert numbers(repo.check("--absolute")) == {"import-ban:app.py::old.walker": 1}
    assert repo.check("--absolute").codes == ["grown"]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('import_module(".walker", "old")', 1),
        ('importlib.import_module("..walker", package="old.sub")', 1),
        ('import_module(".walker", __package__)', 1),
        ('import_module(".other", "old")', 0),
        ('import_module(".walker", "new")', 0),
        ("import_module(name, __package__)", 0),
    ],
)
def test_relative_look_ups_of_a_banned_module_count(repo: Any, line: str, count: int) -> None:
    repo.files({"old/app.py": line + "\n", "ratchet.toml": rule("import-ban", 'names = ["old.walker"]')})
    assert sum(numbers(repo.check("--absolute")).values()) == count


def test_a_file_that_this_python_cannot_read_is_not_passed_over(repo: Any) -> None:
    files = {
        "app.py": "x = 1\nfrom old import walker\nimport old.walker.x as y\nmatch x = 3\nold.walkers\nfrom older import walker\n"
    }
    repo.files({**files, "ratchet.toml": rule("import-ban", 'names = ["old.walker"]')})
    assert numbers(repo.check("--absolute")) == {"import-ban:app.py::old.walker": 2}
    assert repo.check("--absolute").json()["findings"][0]["line"] == 2


def test_relative_imports_of_a_banned_module_count(repo: Any) -> None:
    files = {
        "old/__init__.py": "from .walker import Walker\n",
        "old/sub/x.py": "from .. import walker\nfrom ..walker import Y\n",
    }
    repo.files({**files, "ratchet.toml": rule("import-ban", 'names = ["old.walker"]')})
    assert numbers(repo.check("--absolute")) == {
        "import-ban:old/__init__.py::old.walker": 1,
        "import-ban:old/sub/x.py::old.walker": 2,
    }


@pytest.mark.parametrize(
    "line", ["from old.walkers import x", "from new import walker", "text = 'see old.walker for more'", "import old"]
)
def test_what_only_reads_like_a_banned_import_does_not_count(repo: Any, line: str) -> None:
    repo.files({"app.py": line + "\n", "ratchet.toml": rule("import-ban", 'names = ["old.walker"]')})
    assert numbers(repo.check("--absolute")) == {}


@pytest.mark.parametrize(
    ("names", "files", "is_there"),
    [
        ('"old/walker.py"', {"old/walker.py": ""}, True),
        ('"old/"', {"old/other.py": ""}, True),
        ('"old.walker.Walker"', {"old/walker.py": "class Walker: ...\n"}, True),
        ('"old.walker.Walker.run"', {"old/walker.py": "class Walker:\n    def run(self): ...\n"}, True),
        ('"old.walker"', {"old/walker/__init__.py": ""}, True),
        ('"Walker"', {"anywhere/x.py": "if True:\n    class Walker: ...\n"}, True),
        ('"old.walker.Walker"', {"old/walker.py": "from new import Engine as Walker\n"}, False),
        ('"old.walker.Walker"', {"old/walker.py": "# class Walker\n"}, False),
        ('"old/walker.py"', {"old/walkers.py": ""}, False),
        (
            '"old.walker"',
            {"old/walker.py": '"""Old name."""\n\nfrom new import Engine\n\n__all__ = ["Engine"]\n'},
            False,
        ),
        ('"old.walker"', {"old/walker.py": "from new import Engine\n\n\ndef more(): ...\n"}, True),
        ('"old.walker"', {"old/walker.py": "from new import Engine\nLIMIT = 3\n"}, True),
        ('"old"', {"old/__init__.py": "from new import Engine\n", "old/walker.py": ""}, True),
    ],
)
def test_absent(repo: Any, names: str, files: dict[str, str], is_there: bool) -> None:
    repo.files({**files, "ratchet.toml": rule("absent", f"names = [{names}]")})
    assert repo.check("--absolute").codes == (["grown"] if is_there else [])


def test_a_rule_waits_for_its_condition_and_stays_armed_after_it(repo: Any) -> None:
    waits = 'when-absent = "old.walker.Walker"'
    ban = rule("import-ban", 'names = ["old.walker.Walker"]', waits, name="ban")
    repo.files({**CODE, "ratchet.toml": ban + rule("absent", 'names = ["old.walker.Walker"]', waits)})
    repo.run("ratchet", "tighten")
    assert repo.check("--absolute").json()["waiting"] == ["ban", "r"]
    repo.files({"old/walker.py": "", "app.py": ""})
    repo.run("ratchet", "tighten")
    assert repo.read("ratchet.lock").splitlines()[2::2] == ["0 armed:ban", "0 armed:r"]
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"old/walker.py": CODE["old/walker.py"], "app.py": CODE["app.py"]})
    assert repo.check().codes == ["grown", "grown"]
    assert repo.check("--absolute").codes == ["grown", "grown"]
    rows = "".join(line for line in repo.read("ratchet.lock").splitlines(keepends=True) if "armed" not in line)
    repo.files({"ratchet.lock": rows})
    assert sorted(repo.check().codes) == ["grown", "grown", "loosened-cap", "loosened-cap"]


def test_known_divergences(repo: Any) -> None:
    entry = '[[divergence]]\nrule = "GL101"\ncase = "order"\nat_most = 2\n'
    repo.files({"graphlift-divergences.toml": entry, "ratchet.toml": rule("divergences")})
    repo.run("ratchet", "init")
    assert repo.read("ratchet.lock").splitlines()[-1] == "2 divergences:GL101::order"
    repo.commit()
    repo.git("switch", "--quiet", "--create", "branch")
    repo.files({"graphlift-divergences.toml": entry + '\n[[divergence]]\nrule = "GL102"\ncase = "order"\n'})
    assert repo.check().codes == ["grown"]


def test_a_metric_of_the_projects_own(repo: Any) -> None:
    plugin = """
from graphlift.migrate.ratchet.keys import Key
from graphlift.migrate.ratchet.metrics import Reading
from graphlift.plugins import hookimpl


class Todos:
    id = "todos"
    summary = "TODO comments"
    default_cap = 0
    by_file = True

    def needs(self):
        return ()

    def measure(self, scope):
        counts = {path: scope.tree.read(path).count(b"TODO") for path in scope.paths if path.endswith(".py")}
        return {Key("todos", path): Reading(count, path) for path, count in counts.items() if count}

    def grow(self, scope):
        return {"app.py": b"# TODO\\n" * (scope.limit + 1)}


@hookimpl
def graphlift_ratchet_metrics():
    return [Todos()]
"""
    repo.files(
        {
            "graphlift.toml": 'exclude = []\nplugins = ["own_todo_metric"]\n',
            "own_todo_metric.py": plugin.replace('b"TODO"', 'b"TO" b"DO"').replace("# TODO", '# TO" b"DO'),
            "app.py": "# TODO one\n",
            "ratchet.toml": rule("todos", 'paths = ["app.py"]'),
        }
    )
    assert repo.check("--absolute").codes == ["grown"]
    repo.run("ratchet", "init")
    assert repo.check("--absolute").code == 0
    assert repo.run("ratchet", "prove", "--format", "json").json()["proofs"][0]["outcome"] == "red"


SNIPPETS = (
    "", "\n", "\f\n", "# note\n", "x = 1\n", "    # indented\n", "x = 1  # why\n", '"""Doc."""\n', "'doc'\n",
    '"""Long.\n\n# no comment\n"""\n', 'x = """a\n\nb"""\n', 'x = (\n    "a"\n    # between\n    "b"\n)\n',
    'x = (\n    "a"\n    "b"\n)\n', '"doc"; x = 1\n', '("doc")\n', 'r"""raw"""\n', "b'bytes'\n", "x = 1 + \\\n    2\n",
    "def f():\n    '''Doc.\n    More.'''\n    return [\n        1,\n\n        # two\n        2,\n    ]\n",
    "class A:\n    'doc'\n\n    y: int\n    'about y'\n", "if x:\n    '''text''' ; y = 1\n", "f(\n    'a',\n    'b'\n)\n",
    '"doc"  # note\n', "'a' 'b'\n", "x = 'a' \\\n    'b'\n", "lambda: 'x'\n", "'%s' % x\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(SNIPPETS), max_size=6).map("".join), st.sampled_from(["\n", "\r\n", "\r"]))
def test_texts_and_comments_tell_what_the_tokenizer_does(text: str, newline: str) -> None:
    content = text.encode()
    found, lines = by_text(content), by_tokens(content)
    assert found is None or found == len(lines)
    assert count_code("a.py", text.replace("\n", newline).encode()) == len(lines)


def test_they_tell_nearly_always() -> None:
    contents = [path.read_bytes() for path in sorted((Path(__file__).parents[3] / "migrate" / "ratchet").rglob("*.py"))]
    found = [(by_text(content), len(by_tokens(content))) for content in contents]
    assert [one for one, other in found if one not in (None, other)] == []
    assert sum(1 for one, _ in found if one is not None) > 0.9 * len(found)
