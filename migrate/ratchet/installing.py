"""`graphlift ratchet init`: first rules for a project, and the merge driver for the lock."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path

from ...adapters.errors import EnvironmentProblem
from ...plugins.project import Project
from .book import parse_book
from .editing import add_rule
from .metrics.symbols import module_file
from .trees import Tree
from .writing import write

DRIVER, RULES_DRIVER = "graphlift-ratchet", "graphlift-ratchet-rules"

HEAD = """\
# What may not grow. `graphlift ratchet` compares it with the merge base; a cap rises only with a [[raise]] entry:
#   graphlift ratchet raise KEY --to N --reason … --owner …
"""


def first_rules(project: Project, tree: Tree) -> str:
    """Rules for the configured symbols: the size of their files, their live references, and, once they are gone, their return."""
    symbols = [symbol.legacy for symbol in project.settings.symbol]
    files = sorted({path for name in symbols if (path := _home(tree, name))})
    parts = [HEAD]
    if files:
        parts.append(_rule("legacy-files", "lines", paths=files))
    if symbols:
        parts.append(_rule("legacy-references", "references", symbols=symbols))
        parts += [_rule(rule_id, "absent", names=[name], waits=name) for name, rule_id in _ids(symbols, set()).items()]
    else:
        parts.append('\n# [[rule]]\n# id = "big-files"\n# metric = "lines"\n# paths = ["src/**/*.py"]\n# cap = 500\n')
    return "".join(parts)


def _home(tree: Tree, name: str) -> str | None:
    return module_file(tree, name) or module_file(tree, name.rpartition(".")[0])


def with_guards(project: Project, text: str, where: str) -> str:
    """Rules that are there already, with one more against the return of each configured symbol that none forbids."""
    book = parse_book(text, where)
    guarded = {name for rule in book.rule if rule.metric == "absent" for name in rule.names}
    missing = [symbol.legacy for symbol in project.settings.symbol if symbol.legacy not in guarded]
    for name, rule_id in _ids(missing, {rule.id for rule in book.rule}).items():
        rule = {"id": rule_id, "metric": "absent", "names": [name], "when-absent": name}
        text = add_rule(text, rule, where)
    return text


def _ids(names: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """A rule's id for each symbol: two of the same last name get their whole names."""
    last = [name.rpartition(".")[2] for name in names]
    short = {name: f"no-{own}" for name, own in zip(names, last, strict=True) if last.count(own) == 1}
    return {name: own if (own := short.get(name, "")) and own not in taken else f"no-{name}" for name in names}


def _rule(rule_id: str, metric: str, *, waits: str | None = None, **lists: list[str]) -> str:
    lines = ["", "[[rule]]", f'id = "{rule_id}"', f'metric = "{metric}"']
    lines += [f"{field} = [{', '.join(map(_quoted, items))}]" for field, items in lists.items()]
    lines += [f"when-absent = {_quoted(waits)}    # armed once it is gone"] if waits else []
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def install_merge_driver(root: Path, lock: str, rules: str) -> tuple[str, ...]:
    """Let git merge the two files with `graphlift ratchet merge-driver`; returns the files that were written.

    The attribute is for everybody, the command is set in this clone only: git never takes commands from a repository.
    """
    attributes = root / ".gitattributes"
    wanted = (f"{lock} merge={DRIVER} text eol=lf", f"{rules} merge={RULES_DRIVER}")
    before = attributes.read_text(encoding="utf-8") if attributes.is_file() else ""
    written: tuple[str, ...] = ()
    if missing := [line for line in wanted if line not in before.splitlines()]:
        text = before + ("" if not before or before.endswith("\n") else "\n") + "\n".join(missing) + "\n"
        write(root, ".gitattributes", text.encode())
        written = (".gitattributes",)
    _git_config(root, f"merge.{DRIVER}.name", "graphlift ratchet: the stricter cap wins")
    _git_config(root, f"merge.{DRIVER}.driver", "graphlift ratchet merge-driver %O %A %B")
    _git_config(root, f"merge.{RULES_DRIVER}.name", "graphlift ratchet: rules and raises, table by table")
    _git_config(root, f"merge.{RULES_DRIVER}.driver", "graphlift ratchet merge-driver --rules %O %A %B")
    return written


def _git_config(root: Path, key: str, value: str) -> None:
    try:
        done = subprocess.run(
            ["git", "config", "--local", key, value], cwd=root, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise EnvironmentProblem("git was not found", mend="install git and put it on PATH") from None
    if done.returncode != 0:
        raise EnvironmentProblem(f"`git config` failed: {done.stderr.strip()}", mend="run it inside a repository")
