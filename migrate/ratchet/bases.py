"""Which commit a check compares with: given, found (CI's variables, the remote's default branch, the upstream), or an error.

Never guesses: where nothing names a base, the check fails with the mend, since a check without a base proves too little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...adapters.errors import EnvironmentProblem
from ..git import Git

DEFAULTS = ("main", "master", "trunk", "develop")


def merge_base(git: Git, given: str | None, environment: Mapping[str, str]) -> str:
    """The commit where this branch left the base. Raises `EnvironmentProblem` where it cannot be told."""
    if git.revision("HEAD") is None:
        raise EnvironmentProblem("there is no commit yet", mend="commit first, or use --absolute")
    if given is not None:
        return _common(git, given, given)
    for name in _candidates(git, environment):
        if git.revision(name):
            return _common(git, name, name)
    mend = "name it with --base REF, or check without history with --absolute"
    if git.is_shallow:
        mend = f"{_deepen()}; or {mend}"
    raise EnvironmentProblem("no merge base: nothing says which branch this one goes into", mend=mend)


def _common(git: Git, name: str, shown: str) -> str:
    if git.revision(name) is None:
        mend = _deepen() if git.is_shallow else "fetch it, or name another with --base REF"
        raise EnvironmentProblem(f"there is no revision {shown!r}", mend=mend)
    found = git.merge_base("HEAD", name)
    if found is None:
        mend = _deepen() if git.is_shallow else "name a base that this branch grew from with --base REF"
        why = "this clone is shallow" if git.is_shallow else "they share no history"
        raise EnvironmentProblem(f"no merge base of HEAD and {shown}: {why}", mend=mend)
    return found


def _deepen() -> str:
    return "fetch the history: `git fetch --unshallow` (GitHub: `fetch-depth: 0`; GitLab: `GIT_DEPTH: 0`)"


def _candidates(git: Git, environment: Mapping[str, str]) -> Iterator[str]:
    """Names to try, the most telling first."""
    if found := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        yield found
    for variable in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        if found := environment.get(variable):
            yield f"origin/{found}"
            yield found
    # The upstream of a pushed branch is that branch: what was pushed before would count as the base. So it is only
    # believed where it has another name, or is the default branch itself.
    upstream = git.upstream
    if upstream and upstream.partition("/")[2] != git.branch:
        yield upstream
    yield "origin/HEAD"
    yield from (f"origin/{name}" for name in DEFAULTS)
    if upstream and git.branch in DEFAULTS:
        yield upstream
    yield from (name for name in DEFAULTS if name != git.branch)
