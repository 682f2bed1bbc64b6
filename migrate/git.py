"""The git command behind a few typed questions: merge base, a file at a revision, what is listed, what is dirty.

It only reads; nothing here writes to a repository. Paths go in and come out relative to `root`, with forward slashes, also
where `root` is a folder inside the repository. Errors are `EnvironmentProblem` with the mend.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..adapters.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

# A pre-commit hook names its index in the environment, so the caller's GIT_* variables stay.
# Replaced objects are this clone's alone: nobody else would see the history that they tell.
_FIXED = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}
USUAL_BRANCHES = ("main", "master", "trunk", "develop")
REGULAR_MODES = frozenset({"100644", "100755"})


@dataclass(frozen=True)
class Entry:
    """A regular file of a tree or of the index: its path and the id of its content."""

    path: str
    blob: str


@dataclass(frozen=True)
class Commit:
    """A commit: its id, its committer date as `YYYY-MM-DD`, and the first line of its message."""

    id: str
    date: str
    subject: str


@dataclass(frozen=True)
class Git:
    """A repository, asked from the folder `root` inside it."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> Git:
        """The repository that holds `root`. Raises `EnvironmentProblem` where there is none, or no git."""
        found = cls(root)
        if not found.is_work_tree:
            mend = "run `git init` and commit, or use a command that needs no history (`--absolute`)"
            raise EnvironmentProblem("this folder is not in a git work tree", mend=mend)
        return found

    @classmethod
    def find(cls, root: Path) -> Git | None:
        """The repository that holds `root`, or None, also where git is not installed."""
        try:
            return cls.open(root)
        except EnvironmentProblem:
            return None

    @cached_property
    def is_work_tree(self) -> bool:
        """Whether `root` is inside a work tree."""
        return self._run("rev-parse", "--is-inside-work-tree", check=False).strip() == b"true"

    def revision(self, name: str) -> str | None:
        """The commit id that a name stands for, or None."""
        found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
        return found.decode().strip() or None

    def revisions(self, names: Iterable[str]) -> dict[str, str]:
        """The commit ids of those names that stand for a commit, asked in one process."""
        wanted = [name for name in dict.fromkeys(names) if "\n" not in name]
        asked = "".join(f"{name}^{{commit}}\n" for name in wanted)
        rows = self._run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked.encode(), check=False)
        found = zip(wanted, rows.decode(errors="replace").splitlines(), strict=False)
        return {name: row.split()[0] for name, row in found if row.endswith(" commit")}

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, or None where they share no history (that is here)."""
        return self._run("merge-base", one, other, check=False).decode().strip() or None

    @cached_property
    def is_shallow(self) -> bool:
        """Whether history was cut off when this was cloned."""
        return self._run("rev-parse", "--is-shallow-repository").strip() == b"true"

    @cached_property
    def branch(self) -> str | None:
        """The name of the current branch, or None where HEAD is detached."""
        return self._run("symbolic-ref", "--quiet", "--short", "HEAD", check=False).decode().strip() or None

    @cached_property
    def default_branch(self) -> str | None:
        """The remote's default branch, such as `main`; without one, the current branch where it has a usual name."""
        named = (
            self._run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", check=False).decode().strip()
        )
        usual = self.branch if self.branch in USUAL_BRANCHES else None
        return named.partition("/")[2] or usual

    @cached_property
    def upstream(self) -> str | None:
        """The branch that the current one tracks, such as `origin/main`, or None."""
        arguments = ("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}")
        return self._run(*arguments, check=False).decode().strip() or None

    def files(self) -> tuple[str, ...]:
        """What is tracked or could be added (not ignored), sorted; a path that is gone from disk may be among them."""
        listed = self._run("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
        return tuple(sorted(_split(listed)))

    def staged(self) -> tuple[Entry, ...]:
        """The regular files of the index, sorted; those of an unfinished merge are left out."""
        rows = (row.partition("\t") for row in _split(self._run("ls-files", "-z", "--stage")))
        fields = ((*head.split(), path) for head, _, path in rows)
        return tuple(Entry(path, blob) for mode, blob, stage, path in fields if mode in REGULAR_MODES and stage == "0")

    def tree(self, revision: str) -> tuple[Entry, ...]:
        """The regular files of a commit, sorted."""
        rows = (row.partition("\t") for row in _split(self._run("ls-tree", "-r", "-z", revision)))
        fields = ((*head.split(), path) for head, _, path in rows)
        return tuple(Entry(path, blob) for mode, _, blob, path in fields if mode in REGULAR_MODES)

    def opaque(self, revision: str) -> frozenset[str]:
        """The links and submodules of a commit, or of the index (an empty `revision`)."""
        listed = self._run("ls-tree", "-r", "-z", revision) if revision else self._run("ls-files", "-z", "--stage")
        rows = (row.partition("\t") for row in _split(listed))
        return frozenset(path for head, _, path in rows if head.split()[0] not in REGULAR_MODES)

    def show(self, revision: str, path: str) -> bytes | None:
        """The content of a file at a commit, or None where it did not exist. An empty `revision` is the index."""
        done = self._start("cat-file", "blob", f"{revision}:./{path}")
        return done.stdout if done.returncode == 0 else None

    def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The contents of many blobs in one process, by id."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        answer = self._run("cat-file", "--batch", stdin="".join(f"{item}\n" for item in wanted).encode())
        found, position = {}, 0
        for item in wanted:
            end = answer.index(b"\n", position)
            size = int(answer[position:end].rsplit(b" ", 1)[1])
            found[item] = answer[end + 1 : end + 1 + size]
            position = end + 1 + size + 1
        return found

    def changed(self, base: str, *, staged: bool = False) -> frozenset[str]:
        """Paths that differ from a commit: the work tree's (untracked ones too), or the index's."""
        arguments = (
            "diff",
            "--name-only",
            "-z",
            "--relative",
            "--no-renames",
            *(("--cached",) if staged else ()),
            base,
        )
        found = set(_split(self._run(*arguments)))
        if not staged:
            found.update(_split(self._run("ls-files", "-z", "--others", "--exclude-standard")))
        return frozenset(found)

    def differs(self, base: str) -> bool:
        """Whether a tracked file of the work tree or the index differs from a commit."""
        return bool(self._run("diff", "--name-only", "-z", base))

    def renames(self, base: str, *, staged: bool = False) -> Mapping[str, str]:
        """New path to old path, of the files whose content git recognises since a commit."""
        arguments = ("-M", "--diff-filter=R", "--name-status", "-z", "--relative")
        fields = _split(self._run("diff", *(("--cached",) if staged else ()), *arguments, base))
        return {new: old for old, new in zip(fields[1::3], fields[2::3], strict=True)}

    def unstaged(self) -> frozenset[str]:
        """The tracked files that are not on disk as they are in the index."""
        return frozenset(_split(self._run("diff-files", "--name-only", "-z", "--relative")))

    def is_like_index(self) -> bool:
        """Whether the work tree holds exactly what the index holds, and nothing besides."""
        differs = self._run("diff-files", "--name-only", "-z")
        return not differs and not self._run("ls-files", "-z", "--others", "--exclude-standard")

    def is_dirty(self, *paths: str) -> bool:
        """Whether the work tree or the index differs from HEAD, untracked files included; only `paths`, if given."""
        arguments = ("status", "--porcelain", "-z", "--untracked-files=all", "--", *(paths or (".",)))
        return bool(self._run(*arguments))

    def uncommitted(self) -> frozenset[str]:
        """The tracked files below `root` whose work tree or index differs from HEAD."""
        arguments = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--", ".")
        return self._below(row[3:] for row in _split(self._run(*arguments)))

    def untracked(self, paths: Collection[str]) -> frozenset[str]:
        """Those of `paths` that git does not track, ignored ones too."""
        if not paths:
            return frozenset()
        # Thousands of paths do not fit on a command line.
        wanted = ("--", *paths) if len(paths) <= 500 else ()
        return frozenset(paths) & frozenset(
            _split(self._run("--literal-pathspecs", "ls-files", "-z", "--others", *wanted))
        )

    def _below(self, paths: Iterable[str]) -> frozenset[str]:
        """Paths from the top of the work tree, as `status` gives them, seen from `root`."""
        prefix = os.fsdecode(self._run("rev-parse", "--show-prefix")).removesuffix("\n")
        return frozenset(path.removeprefix(prefix) for path in paths)

    def log(self, *paths: str, since: str | None = None) -> tuple[Commit, ...]:
        """The first-parent commits that touched `paths` (all, if none is given), oldest first."""
        span = f"{since}..HEAD" if since else "HEAD"
        if self.revision("HEAD") is None:
            return ()
        form = ("--first-parent", "--reverse", "--date=short", "-z", "--format=%H%x09%cd%x09%s")
        rows = _split(self._run("log", *form, span, "--", *paths))
        return tuple(Commit(*row.split("\t", 2)) for row in rows)

    def _run(self, *arguments: str, stdin: bytes | None = None, check: bool = True) -> bytes:
        done = self._start(*arguments, stdin=stdin)
        if check and done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            reason = said[0].removeprefix("fatal: ") if said else f"exit code {done.returncode}"
            raise EnvironmentProblem(
                f"`git {arguments[0]}` failed: {reason}", mend=f"see what `git {' '.join(arguments)}` says"
            )
        return done.stdout if done.returncode == 0 else b""

    def _start(self, *arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "-c", "core.quotepath=off", "-c", "log.showSignature=false", *arguments]
        try:
            # An empty input, not ours: git must not read the terminal or a hook's pipe.
            return subprocess.run(
                command,
                cwd=self.root,
                env={**os.environ, **_FIXED},
                capture_output=True,
                check=False,
                input=stdin or b"",
            )
        except FileNotFoundError:
            raise EnvironmentProblem("git was not found", mend="install git and put it on PATH") from None


def merge_texts(ours: Path, base: Path, theirs: Path) -> bool:
    """Let git merge three files into `ours`, with its marks where they contradict each other; whether they do."""
    command = ["git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", str(ours), str(base), str(theirs)]
    done = subprocess.run(command, env={**os.environ, **_FIXED}, capture_output=True, check=False)
    return done.returncode != 0


def _split(listing: bytes) -> list[str]:
    """The fields of a listing that ends each with a NUL byte. Names that are no UTF-8 keep their bytes."""
    return [os.fsdecode(item) for item in listing.split(b"\0") if item]
