"""Which commit a check compares with: given, found (CI's variables, the remote's default branch, the upstream), or an error.

Never guesses: where nothing names a base, the check fails with the mend, since a check without a base proves too little.
On the default branch itself, where HEAD is its own base, what was pushed is compared with what was there before, which CI
knows; without that, the caps alone are judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...adapters.errors import EnvironmentProblem
from ..git import USUAL_BRANCHES, Git


def base_of_check(git: Git, given: str | None, environment: Mapping[str, str]) -> str | None:
    """The commit to compare with; None where HEAD is all there is: the default branch, with no change in the work tree.

    Raises `EnvironmentProblem` where it cannot be told.
    """
    found, head = merge_base(git, given, environment), git.revision("HEAD")
    if given is not None or found != head:
        return found
    before = before_push(git, environment)
    if before is not None and before != head:
        return before
    branch = git.branch or environment.get("CI_COMMIT_BRANCH") or environment.get("GITHUB_REF_NAME")
    is_default = branch is None or branch in USUAL_BRANCHES or branch == git.default_branch
    return None if is_default and head is not None and not git.differs(head) else found


def before_push(git: Git, environment: Mapping[str, str]) -> str | None:
    """The commit that a branch was at before the push that CI looks at; None where CI does not say, or it is gone for good.

    Raises `EnvironmentProblem` where a shallow clone lacks it.
    """
    # A pull request's event has a `before` too: what its own branch was at.
    event = _event(environment) if environment.get("GITHUB_EVENT_NAME", "push") == "push" else {}
    named = event.get("before") or environment.get("CI_COMMIT_BEFORE_SHA")
    if not isinstance(named, str) or not named.strip("0"):
        return None
    if git.revision(named) is None:
        if git.is_shallow:
            raise EnvironmentProblem(f"what was there before the push, {named[:10]}, is not here", mend=_deepen())
        return None  # a forced push threw it away
    return git.merge_base("HEAD", named)


def _event(environment: Mapping[str, str]) -> dict[str, Any]:
    """What GitHub says of the event that it runs for; empty elsewhere."""
    try:
        data = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    except (KeyError, OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def merge_base(git: Git, given: str | None, environment: Mapping[str, str]) -> str:
    """The commit where this branch left the base. Raises `EnvironmentProblem` where it cannot be told."""
    if git.revision("HEAD") is None:
        raise EnvironmentProblem("there is no commit yet", mend="commit first, or use --absolute")
    if given is not None:
        return _common(git, given, given)
    names = list(_candidates(git, environment))
    known = git.revisions(names)
    if name := next((name for name in names if name in known), None):
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
    queued = _event(environment).get("merge_group")
    if isinstance(queued, dict) and isinstance(queued.get("base_sha"), str):
        yield queued["base_sha"]
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
    yield from (f"origin/{name}" for name in USUAL_BRANCHES)
    if upstream and git.branch in USUAL_BRANCHES:
        yield upstream
    yield from (name for name in USUAL_BRANCHES if name != git.branch)
