"""What changes the two files: tighten, raise and mv, each from a measurement to written files."""

from __future__ import annotations

import datetime
import os
from dataclasses import replace

from ...adapters.errors import ConfigurationError, EnvironmentProblem, UsageError
from ..edits import places
from .bases import merge_base
from .book import RULE_KEY, Book, Move, Raise, parse_book
from .checking import Request, Workbench, check
from .editing import add_move, add_raise, follow
from .judge import Facts
from .keys import Key
from .moving import move_rows
from .tightening import Change, changes, tighten
from .writing import write, write_lock

_ANY_DAY = datetime.date.min


def base_or_none(bench: Workbench) -> str | None:
    """The merge base, else HEAD, else None: what renames are followed from."""
    if bench.git is None:
        return None
    try:
        return merge_base(bench.git, None, os.environ)
    except EnvironmentProblem:
        return bench.git.revision("HEAD")


def tighten_caps(bench: Workbench, *, record: bool = False) -> tuple[Change, ...]:
    """Lower the rows to today's numbers and write the lock; returns what changed."""
    facts = _facts(bench)
    before = dict(facts.now.lock)
    after = tighten(facts, record=record)
    _follow_renames(bench, facts, after)
    write_lock(bench.project.root, bench.lock_name, after)
    return changes(before, after)


def raise_cap(
    bench: Workbench, text: str, to: int | None, reason: str, owner: str, expires: datetime.date | None
) -> tuple[Change, ...]:
    """Record a raise, and let the row follow. Raises `UsageError` for a key that has no cap, or a raise without a reason."""
    if not reason.strip() or not owner.strip():
        raise UsageError("a raise needs a reason and an owner", mend="give --reason and --owner")
    if expires is not None and expires < datetime.date.today():
        raise UsageError(f"{expires} is past: such a raise allows nothing", mend="give a day to come with --expires")
    rule = text.removeprefix(f"{RULE_KEY}:") if text.startswith(f"{RULE_KEY}:") else None
    before, key = None, None
    if rule is not None:
        _require_rule(bench, rule)
    if rule is None:
        key = _key(text)
        before = _cap(bench, key)
        if to is None or to <= before:
            raise UsageError(
                f"{key} is capped at {before}", mend="give a higher cap with --to, or `tighten` to lower it"
            )
    item = Raise.model_validate(
        {"key": text, "to": to, "from": before, "reason": reason, "owner": owner, "expires": expires}
    )
    _rewrite(bench, add_raise(_rules_text(bench), item, bench.rules_name))
    if key is None or to is None:
        return ()
    write_lock(bench.project.root, bench.lock_name, {**bench.side.lock, key: to})
    return (Change(key, bench.side.lock.get(key), to),)


def move_caps(bench: Workbench, old: str, new: tuple[str, ...]) -> tuple[Change, ...]:
    """Hand the caps of `old` on to `new`, and record the move."""
    try:
        move = Move.model_validate({"from": old, "to": new})
    except ValueError as error:
        raise UsageError(f"not paths of the project: {', '.join((old, *new))}", mend="give relative paths") from error
    if missing := [path for path in new if path not in bench.tree.paths]:
        raise UsageError(f"there is no {missing[0]}", mend="move the file first, then its caps")
    if old in bench.tree.paths and old not in new:
        raise UsageError(f"{old} is still there", mend=f"list it too, if a part of it stays: mv {old} {old} …")
    text = add_move(_rules_text(bench), move, bench.rules_name)
    moved = _with_book(bench, text)
    rows = move_rows(_facts(moved), move)
    _rewrite(bench, text)
    write_lock(bench.project.root, bench.lock_name, rows)
    return changes(bench.side.lock, rows)


def _facts(bench: Workbench) -> Facts:
    _ = bench.side  # raises where there are no rules
    base = base_or_none(bench)
    report = check(bench, Request(_ANY_DAY, base, absolute=base is None))
    if gone := next((finding for finding in report.findings if finding.code == "removed"), None):
        # Such a report knows no caps; to write from it would be to begin anew, as loose as one likes.
        raise ConfigurationError(gone.message, where=gone.file, mend=gone.mend)
    return report.facts


def _key(text: str) -> Key:
    try:
        return Key.parse(text)
    except ValueError as error:
        raise UsageError(str(error), mend="`graphlift ratchet check --format json` lists the keys") from None


def _cap(bench: Workbench, key: Key) -> int:
    facts = _facts(bench)
    cap = facts.cap(key)
    if cap is None or (key not in facts.measurement.values and key not in facts.now.lock):
        raise UsageError(f"no rule measures {key}", mend="`graphlift ratchet check --format json` lists the keys")
    return cap


def _require_rule(bench: Workbench, rule: str) -> None:
    """Raise `UsageError` unless a rule of this name is there, or was at the merge base, at HEAD or before it."""
    facts = _facts(bench)
    known = {item.id for side in (facts.now, facts.past and facts.past.side) if side for item in side.book.rule}
    for revision in ("HEAD", "HEAD^") if bench.git and rule not in known else ():
        text = bench.git.show(revision, bench.rules_name) if bench.git else None
        book = parse_book(text.decode("utf-8-sig", "replace"), f"{bench.rules_name} at {revision}") if text else Book()
        known |= {item.id for item in book.rule}
    if rule not in known:
        raise UsageError(f"there is no rule {rule!r}", mend=f"rules are {', '.join(sorted(known)) or 'not there yet'}")


def _rules_text(bench: Workbench) -> str:
    content = places.read(bench.project.root, bench.rules_name)
    if content is None:
        raise ConfigurationError(
            "the ratchet has no rules", where=bench.rules_name, mend="run `graphlift ratchet init`"
        )
    return content.decode("utf-8-sig")


def _rewrite(bench: Workbench, text: str) -> None:
    write(bench.project.root, bench.rules_name, text.encode())


def _with_book(bench: Workbench, text: str) -> Workbench:
    """The same bench under other rules, before they are written."""
    moved = Workbench(bench.project, bench.registry, bench.tree, bench.git)
    moved.__dict__["side"] = replace(bench.side, book=parse_book(text, bench.rules_name))
    return moved


def _follow_renames(bench: Workbench, facts: Facts, rows: dict[Key, int]) -> None:
    """Let rules that list a renamed file by name list its new name."""
    if facts.past is None:
        return
    listed = {path for rule in facts.now.book.rule for path in rule.paths if path not in bench.tree.paths}
    renamed = {old: new for new, old in facts.past.renames.items()} if listed else {}
    text = None
    for old in sorted(listed & renamed.keys()):
        text = follow(text or _rules_text(bench), old, renamed[old], bench.rules_name)
    if text is not None:
        _rewrite(bench, text)
        rows.update(tighten(_facts(_with_book(bench, text))))
