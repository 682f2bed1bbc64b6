"""Write the reference pages from the code: `python docs/generate.py`. A test fails when a page is not what this writes.

Pages written: commands.md (every command's help), configuration.md (every key), hooks.md (every hook), registry.md (every
divergence rule, codemod and ratchet metric that graphlift ships).
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from graphlift.migrate.commands import NAMES
from graphlift.migrate.lint.rules import RULES as LINT_RULES
from graphlift.plugins import hookspecs
from graphlift.plugins.configuration import Settings
from graphlift.plugins.manager import HOOKS, load_plugins
from graphlift.plugins.project import Project

HERE = Path(__file__).parent
MADE = "<!-- Written by docs/generate.py; change the code, not this page. -->\n"


def help_of(*words: str) -> str:
    """What `graphlift WORDS --help` prints, 100 columns wide."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    arguments = [sys.executable, "-m", "graphlift.migrate", *words, "--help"]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout.replace("python -m graphlift.migrate", "graphlift").rstrip()


def subcommands(text: str) -> list[str]:
    """The names under "Commands:" in a help text."""
    _, found, rest = text.partition("\nCommands:\n")
    lines = rest.split("\n\n")[0].splitlines() if found else []
    return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]


def commands() -> str:
    """The help of every command and subcommand."""
    parts = [MADE, "# Commands\n", "Every command takes the options before its name, too.\n", _block(help_of())]
    for name in NAMES:
        text = help_of(name)
        parts.append(f"## graphlift {name}\n\n{_block(text)}")
        parts.extend(f"### graphlift {name} {sub}\n\n{_block(help_of(name, sub))}" for sub in subcommands(text))
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"


def configuration() -> str:
    """Every key, its type, default and meaning, from the schema."""
    schema = Settings.model_json_schema()
    intro = (
        "graphlift reads `graphlift.toml`, or `[tool.graphlift]` in `pyproject.toml`. "
        "The JSON schema is `graphlift/plugins/graphlift.schema.json`.\n"
    )
    parts = [MADE, "# Configuration\n", intro, _table(schema, schema)]
    for key, name in (
        ("[[symbol]]", "Symbol"),
        ("arguments", "Arguments"),
        ("[parity]", "ParitySettings"),
        ("[ratchet]", "RatchetSettings"),
    ):
        part = schema["$defs"][name]
        parts.append(f"## {key}\n\n{part['description']}\n\n{_table(part, schema)}")
    return "\n".join(parts)


def _table(part: dict[str, Any], schema: dict[str, Any]) -> str:
    rows = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for key, value in part["properties"].items():
        described = value.get("description") or schema["$defs"].get(_reference(value), {}).get("description", "")
        default = (
            "required" if key in part.get("required", ()) else f"`{value['default']!r}`" if "default" in value else ""
        )
        rows.append(f"| `{key}` | {_kind(value)} | {default} | {described} |")
    return "\n".join(rows) + "\n"


def _kind(value: dict[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(_kind(item) for item in value["anyOf"] if item.get("type") != "null")
    if value.get("type") == "array":
        return f"array of {_kind(value['items'])}"
    return "table" if _reference(value) or value.get("type") == "object" else str(value.get("type"))


def _reference(value: dict[str, Any]) -> str:
    return str(value.get("$ref", "")).rsplit("/", 1)[-1]


def hooks() -> str:
    """Every hook, its signature and when it is called."""
    intro = inspect.getdoc(hookspecs) or ""
    parts = [MADE, "# Hooks\n", intro + "\n", "```python\nfrom graphlift.plugins import hookimpl\n```\n"]
    for name in HOOKS:
        function = getattr(hookspecs, name)
        parts.append(
            f"## {name}\n\n```python\n{name}{inspect.signature(function)}\n```\n\n{inspect.getdoc(function)}\n"
        )
    return "\n".join(parts)


def registry() -> str:
    """Every object that a built-in plugin registers, by id."""
    plugins = load_plugins(Project(HERE))
    parts = [
        MADE,
        "# What graphlift ships\n",
        "Every id is stable; it is what a baseline, `--only` or `--skip` names.\n",
    ]
    for title, hook in (
        ("Divergence rules", "graphlift_rules"),
        ("Codemods", "graphlift_codemods"),
        ("Reference finders", "graphlift_reference_finders"),
        ("Ratchet metrics", "graphlift_ratchet_metrics"),
        ("Reporters", "graphlift_reporters"),
    ):
        rows = [f"| `{item.id}` | {item.summary} |" for item in plugins.gather(hook)]
        parts.append("\n".join([f"## {title}\n", "| id | what it does |", "| --- | --- |", *rows]) + "\n")
    rows = [f"| `{rule.id}` | {rule.level} | {rule.summary} |" for rule in LINT_RULES]
    head = [
        "## Lint rules\n",
        "What `graphlift lint` finds in LangGraph wiring; each finding says why, and the mend.\n",
    ]
    parts.append("\n".join([*head, "| id | level | what it finds |", "| --- | --- | --- |", *rows]) + "\n")
    return "\n".join(parts)


PAGES = {"commands.md": commands, "configuration.md": configuration, "hooks.md": hooks, "registry.md": registry}

if __name__ == "__main__":
    for page, write in PAGES.items():
        (HERE / page).write_text(write(), encoding="utf-8", newline="\n")
