"""Names in files that are no Python: configuration (dotted paths) and documents (text and code blocks)."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import PurePosixPath

from . import model
from .contexts import context_of
from .mention import Explained, FileFindings, Mention
from .prose import path_around
from .resolve import Resolution, Resolver
from .text import TextFile, is_config
from .vocabulary import Vocabulary

OWN_FILES = frozenset({"graphlift.toml", "graphlift-divergences.toml", "ratchet.toml", "ratchet.lock"})
LANGUAGES = {
    **dict.fromkeys((".pyx", ".pxd", ".pxi"), "Cython"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".fish", ".ps1", ".bat", ".cmd"), "a shell script"),
    **dict.fromkeys((".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".in", ".mako", ".cookiecutter"), "a template"),
    **dict.fromkeys((".mk", ".just", ".nix", ".bzl", ".bazel", ".groovy", ".cmake"), "a build file"),
    **dict.fromkeys((".wsgi", ".cgi", ".spec", ".pth", ".smk"), "a script"),
    ".robot": "a Robot Framework suite",
}
NAMED = (
    ("Makefile", "a makefile"), ("makefile", "a makefile"), ("GNUmakefile", "a makefile"), ("justfile", "a build file"),
    ("Justfile", "a build file"), ("Dockerfile", "a Dockerfile"), ("Containerfile", "a Dockerfile"),
    ("Jenkinsfile", "a build file"), ("Procfile", "a list of commands"), ("Snakefile", "a build file"),
    ("SConstruct", "a build file"), ("SConscript", "a build file"), ("BUILD", "a build file"),
)  # fmt: skip
_PYTHON_COMMAND = re.compile(rb"\b(?:python|pypy|ipython)[\d.]*w?\b[^\r\n]*[ \t,'\"]-[a-zA-Z]*c\b")
_IMPORTS = re.compile(rb"[ \t\->|]*(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w)")
_FENCE = re.compile(rb"(?m)^[ \t>]*(```+|~~~+)[^\r\n`]*$")
_TABLE = re.compile(rb"(?m)^[ \t]*\[+[ \t]*([^\]\r\n]+?)[ \t]*\]+")


def find_in_document(file: TextFile, resolver: Resolver, vocabulary: Vocabulary) -> FileFindings:
    """References in one file that is no Python."""
    found = FileFindings()
    config = is_config(file.path)
    language = other_code(file)
    blocks = [] if config else _code_blocks(file.text)
    for hit in chain(vocabulary.word_pattern.finditer(file.text), vocabulary.spelled_out(file.text)):
        if is_own_configuration(file, hit.start()):
            found.explained.append(Explained(*hit.span(), "graphlift's own configuration"))
            continue
        start, end = path_around(file.text, *hit.span())
        path = file.text[start:end].decode("utf-8", "replace")
        name = hit.group().decode()
        resolution = _resolution(path, name, resolver, vocabulary)
        if resolution is None:
            found.explained.append(Explained(*hit.span(), f"another object: {path}"))
        elif (config or language) and _is_comment(file, hit.start()):
            found.mentions.append(Mention(start, end, model.COMMENT, resolution, "prose"))
        elif language or (config and _is_code(file, start, end)):
            reason = f"{language or 'code in a configuration file'} is not read as Python; it is not rewritten"
            context = context_of(file.path, model.SCRIPT)
            found.mentions.append(Mention(start, end, model.SCRIPT, resolution, context, reason=reason, flag=True))
        elif config:
            reason = "" if resolution.certain else "a bare name in a configuration file; it may mean the symbol"
            context = context_of(file.path, model.CONFIG)
            found.mentions.append(
                Mention(start, end, model.CONFIG, resolution, context, reason=reason, flag=bool(reason))
            )
        else:
            inside = any(first <= start < last for first, last in blocks)
            role = model.DOCSTRING_EXAMPLE if inside else model.PROSE
            found.mentions.append(Mention(start, end, role, resolution, "prose"))
    return found


def other_code(file: TextFile) -> str:
    """The language of a file that is code of another kind, "" for any other text."""
    path = PurePosixPath(file.path)
    named = LANGUAGES.get(path.suffix.lower()) or next((what for name, what in NAMED if path.name.startswith(name)), "")
    return named or ("a script" if file.text.startswith(b"#!") else "")


def _is_code(file: TextFile, start: int, end: int) -> bool:
    """Whether a place in a configuration file is in code: a command that runs Python, an import, a call."""
    line = file.line_text(start)
    return bool(_PYTHON_COMMAND.search(line) or _IMPORTS.match(line) or file.text[end : end + 1] == b"(")


def _resolution(path: str, name: str, resolver: Resolver, vocabulary: Vocabulary) -> Resolution | None:
    dotted = path.replace(":", ".")
    if found := resolver.resolve(dotted):
        return found
    symbol = vocabulary.symbol_of(name)
    if symbol is None:
        return None
    first = dotted.partition(".")[0]
    # A bare name, with or without a member; or a path in the symbol's own package that leads nowhere.
    if first in (name, symbol.partition(".")[0]) or first in symbol.split("."):
        return Resolution(symbol, (), (path, symbol), certain=False)
    return None


def _is_comment(file: TextFile, offset: int) -> bool:
    line = file.line_text(offset)
    return line.lstrip().startswith((b"#", b";", b"//")) or b" #" in line[: offset - _line_start(file, offset)]


def _line_start(file: TextFile, offset: int) -> int:
    return file.line_starts[file.line(offset) - 1]


def is_own_configuration(file: TextFile, offset: int) -> bool:
    """Whether a place stands in graphlift's own configuration."""
    name = PurePosixPath(file.path).name
    if name in OWN_FILES:
        return True
    if name != "pyproject.toml":
        return False
    tables = list(_TABLE.finditer(file.text, 0, offset))
    return bool(tables) and tables[-1][1].replace(b" ", b"").startswith(b"tool.graphlift")


def _code_blocks(text: bytes) -> list[tuple[int, int]]:
    """The spans between fences, of Markdown; an unclosed fence reaches to the end."""
    fences = [found.span() for found in _FENCE.finditer(text)]
    blocks = []
    for index in range(0, len(fences), 2):
        last = fences[index + 1][0] if index + 1 < len(fences) else len(text)
        blocks.append((fences[index][1], last))
    return blocks
