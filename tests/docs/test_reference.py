"""The reference pages are what the code says, and everything a user can name is in them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("graphlift_docs_generate", ROOT / "docs" / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", sorted(set(generator().PAGES) - {"commands.md"}))
def test_a_page_is_what_the_code_says(page: str) -> None:
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == generator().PAGES[page](), "run: python docs/generate.py"


def options(page: str) -> dict[str, set[str]]:
    """By command, the options that its section of the page names."""
    sections = re.split(r"^#{2,3} (graphlift [\w -]+)$", page, flags=re.MULTILINE)
    return {
        name: set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        for name, text in zip(sections[1::2], sections[2::2], strict=True)
    }


def test_every_command_and_option_is_documented() -> None:
    # How help is laid out is the library's matter and differs between its versions; what it names is ours.
    written = options((ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))
    assert written == options(generator().PAGES["commands.md"]()), "run: python docs/generate.py"
    assert len(written) >= 20


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))):
        prose = re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", prose):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_names_every_page_and_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    from graphlift.migrate.commands import NAMES

    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"docs/{page.name}" not in text] == []
    assert [name for name in NAMES if f"graphlift {name}" not in text] == []
