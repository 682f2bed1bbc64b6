"""The ratchet's decision: what is wrong, given the rules, caps and numbers of now and of the merge base.

A number fails when it is above max(min(cap now, cap at the merge base or a new raise), number at the merge base). A cap
or a rule that got looser than at the merge base is itself a failure without a `[[raise]]` entry that is new since then.
Pure: what must be looked up in the merge base comes in as functions, and is looked up only for keys over their cap.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from shlex import quote

from .book import RULE_KEY, Book, Raise
from .findings import Finding
from .keys import Key, matches
from .lock import Lock
from .loosening import loosenings
from .measuring import ARMED, Measured, Measurement, Registry, cap_of, covering
from .moves import Transfer, transfer


@dataclass(frozen=True)
class Side:
    """The two files of the ratchet at one time; `waiting` are the ids of rules that were not armed."""

    book: Book
    lock: Lock
    waiting: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Past:
    """The merge base: its two files, and what can be asked about it.

    `renames` are new paths to old ones, `value` is a key's number there (None: the place did not exist), `exists` says
    whether a path did, `name` is what it is called in messages. `prepare` is told the paths that will be asked about.
    """

    side: Side
    renames: Mapping[str, str]
    value: Callable[[Key], int | None]
    exists: Callable[[str], bool]
    name: str = "the merge base"
    prepare: Callable[[Iterable[str]], object] = tuple


@dataclass(frozen=True)
class Facts:
    """Everything that a judgement needs; `past` is None for an absolute check, `partial` for one of some files only.

    `today` is the day by which raises count: one that has expired allows nothing. `is_opaque` says whether a path is a link or
    a submodule, or inside of one: its content is elsewhere, where no cap follows.
    """

    registry: Registry
    now: Side
    measurement: Measurement
    exists: Callable[[str], bool]
    past: Past | None = None
    partial: bool = False
    lock_name: str = "ratchet.lock"
    rules_name: str = "ratchet.toml"
    today: datetime.date = datetime.date.min
    is_opaque: Callable[[str], bool] = bool
    _cache: dict[Key, int | None] = field(default_factory=dict)

    @cached_property
    def new_raises(self) -> Mapping[str, Raise]:
        """The raises that the merge base does not have and that have not expired, by key."""
        old = set(map(repr, self.past.side.book.raises)) if self.past else set()
        new = (item for item in self.now.book.raises if repr(item) not in old)
        return {item.key: item for item in new if item.expires is None or item.expires >= self.today}

    @property
    def base(self) -> str:
        """What the base is called."""
        return self.past.name if self.past else ""

    @cached_property
    def transfer(self) -> Transfer:
        """What moves that are new since the merge base authorise."""
        if self.past is None:
            return Transfer({}, ())
        new = tuple(move for move in self.now.book.move if move not in self.past.side.book.move)
        return transfer(self.registry, new, self.past.side.lock, self.now.lock, self.measurement)

    def origin(self, key: Key) -> Key:
        """The key under which the merge base knows this number: that of the old path, after a rename that git sees."""
        if self.past is None or key in self.past.side.lock or not self.registry.by_file(key):
            return key
        old = self.past.renames.get(key.place)
        return key.at(old) if old is not None and not self.exists(old) else key

    def cap(self, key: Key) -> int | None:
        """The cap now."""
        return cap_of(self.registry, key, self.now.lock, covering(self.registry, self.now.book.rule, key))

    def past_cap(self, key: Key) -> int | None:
        """The cap at the merge base, None where there was none; a new raise and a new move count."""
        if self.past is None:
            return None
        if key in self.transfer.caps:
            return self.transfer.caps[key]
        origin, side = self.origin(key), self.past.side
        rules = tuple(r for r in covering(self.registry, side.book.rule, origin) if r.id not in side.waiting)
        cap = cap_of(self.registry, origin, side.lock, rules) if rules or origin in side.lock else None
        raised = self.new_raises.get(str(key))
        return max(cap, raised.to) if cap is not None and raised and raised.to is not None else cap

    def past_value(self, key: Key) -> int | None:
        """The number at the merge base."""
        if self.past is None:
            return None
        if key not in self._cache:
            self._cache[key] = self.past.value(self.origin(key))
        return self._cache[key]


def judge(facts: Facts) -> list[Finding]:
    """Every finding about numbers, caps and rules; goals and their days are in `deadlines.py`."""
    return [*_numbers(facts), *_caps(facts), *_rules(facts), *_rows(facts), *_escapes(facts), *facts.transfer.findings]


def judge_loosening(facts: Facts) -> list[Finding]:
    """Only what got looser since the base: caps, rules and files that left them, whatever the numbers are."""
    return [*_caps(facts, whatever=True), *_rules(facts), *_escapes(facts), *facts.transfer.findings]


def _numbers(facts: Facts) -> Iterator[Finding]:
    above: list[tuple[Key, Measured, int]] = []
    for key, measured in facts.measurement.values.items():
        cap, past_cap = facts.cap(key), facts.past_cap(key)
        if cap is None:
            yield _unrecorded(facts, key, measured)
            continue
        limit = cap if past_cap is None else min(cap, past_cap)
        if measured.value > limit:
            above.append((key, measured, limit))
    if facts.past is not None:
        facts.past.prepare(facts.origin(key).place for key, _, _ in above if facts.registry.by_file(key))
    for key, measured, limit in above:
        before = facts.past_value(key)
        if before is not None and measured.value <= before:
            message = f"{measured.value} is above the cap of {limit}, but was {before} at {facts.base}"
            yield _at(measured, Finding("over-base", "note", str(key), message))
        else:
            yield _grown(facts, key, measured, limit, before)


def _grown(facts: Facts, key: Key, measured: Measured, limit: int, before: int | None) -> Finding:
    cap = facts.cap(key) or 0
    was = "" if before is None else f", {before} at {facts.base}"
    edited = f"; the lock says {cap}, which no new [[raise]] allows" if cap > limit else ""
    mend = (
        f"bring it down to {max(limit, before or 0)}, or say why it may be more: {_raise_command(key, measured.value)}"
    )
    if before is None and (source := _taken_from(facts, key)):
        parts = (source, *((source,) if facts.exists(source) else ()), key.place)
        mend += f"; if it was taken out of {source}: `graphlift ratchet mv {' '.join(map(quote, parts))}`"
    owners = sorted({rule.owner for rule in measured.rules if rule.owner})
    owned = f" (owner: {', '.join(owners)})" if owners else ""
    message = f"{measured.value}, and the cap is {limit}{was}{edited}{owned}"
    return _at(measured, Finding("grown", "error", str(key), message, mend))


def _taken_from(facts: Facts, key: Key) -> str | None:
    """The capped file that a new one may have been taken out of: the one that lost most, if it lost about as much."""
    if facts.past is None or facts.partial or not facts.registry.by_file(key) or key.detail:
        return None
    lost: dict[str, int] = {}
    for old, cap in facts.past.side.lock.items():
        if (old.metric, old.detail) == (key.metric, "") and old.place != key.place:
            now = facts.measurement.values.get(old)
            lost[old.place] = cap - (now.value if now else 0)
    best = max(lost, key=lambda place: (lost[place], place), default=None)
    return best if best is not None and lost[best] * 2 >= facts.measurement.values[key].value else None


def _unrecorded(facts: Facts, key: Key, measured: Measured) -> Finding:
    followed = facts.origin(key)
    renamed = f"; it was {followed.place} at {facts.base}" if followed != key else ""
    mend = "`graphlift ratchet tighten` records it"
    if followed == key and facts.past is not None and key in facts.past.side.lock:
        return _loosened(facts, key, f"has lost the cap of {facts.past.side.lock[key]}", None)
    return _at(measured, Finding("unrecorded", "error", str(key), f"{measured.value} has no cap yet{renamed}", mend))


def _at(measured: Measured, finding: Finding) -> Finding:
    place = {"file": measured.reading.file, "line": measured.reading.line}
    return Finding(finding.code, finding.level, finding.key, finding.message, finding.mend, **place)  # type: ignore[arg-type]


def _raise_command(key: Key, value: int) -> str:
    return f"`graphlift ratchet raise {_quoted(str(key))} --to {value} --reason … --owner …`"


def _quoted(key: str) -> str:
    """A key as one word of a shell."""
    return quote(key) if "'" in key else f"'{key}'"


def _caps(facts: Facts, *, whatever: bool = False) -> Iterator[Finding]:
    """Caps that were loosened. A number above the old cap is `grown` already, and is told once, save for `whatever`."""
    if facts.past is None:
        return
    old, new = facts.past.side.lock, facts.now.lock
    for key in {*old, *new, *facts.measurement.values}:
        if key.metric == ARMED:
            if key in old and key not in new and facts.now.book.find(key.place):
                yield _loosened(facts, key, f"no longer remembers that rule {key.place!r} was armed", None)
            continue
        if key in old and old[key] == new.get(key):
            continue
        cap, past_cap = facts.cap(key), facts.past_cap(key)
        measured = facts.measurement.values.get(key)
        if cap is None or past_cap is None or cap <= past_cap or not covering(facts.registry, facts.now.book.rule, key):
            continue
        if whatever or measured is None or measured.value <= past_cap:
            yield _loosened(facts, key, f"caps it at {cap}; at {facts.base} the cap was {past_cap}", cap)


def _loosened(facts: Facts, key: Key, how: str, cap: int | None) -> Finding:
    mend = f"take the lock from {facts.base} and run `graphlift ratchet tighten`"
    mend += "" if cap is None else f", or {_raise_command(key, cap)}"
    return Finding("loosened-cap", "error", str(key), f"the lock {how}", mend, facts.lock_name)


def _rules(facts: Facts) -> Iterator[Finding]:
    if facts.past is None:
        return
    followed: dict[str, tuple[str, ...]] = {}
    for new, old in facts.past.renames.items():
        followed[old] = (*followed.get(old, ()), new)
    followed.update({move.source: move.to for move in facts.now.book.move})
    for item in loosenings(facts.past.side.book, facts.now.book, followed):
        key = f"{RULE_KEY}:{item.rule}"
        if key not in facts.new_raises:
            mend = f'undo it, or add a [[raise]] with key = "{key}", a reason and an owner'
            message = f"rule {item.rule!r} {item.how}"
            yield Finding("loosened-rule", "error", key, message, mend, facts.rules_name)


def _rows(facts: Facts) -> Iterator[Finding]:
    """Rows that cap nothing."""
    if facts.partial:
        return
    for key in facts.now.lock:
        if why := _why_stale(facts, key):
            caused = facts.past is not None and _caused(facts, key)
            mend = "`graphlift ratchet tighten` drops the row, or moves it along with a rename"
            message = f"the lock caps what is gone: {why}"
            yield Finding("stale", "error" if caused else "note", str(key), message, mend, facts.lock_name)


def _escapes(facts: Facts) -> Iterator[Finding]:
    """Files that were moved away from under their cap."""
    if facts.partial:
        return
    for key in facts.past.side.lock if facts.past else ():
        if (place := _escape(facts, key)) and str(key) not in facts.new_raises:
            mend = f'let a rule select {place}, or add a [[raise]] with key = "{key}"'
            message = f"{key.place} was capped and is {place} now, which no rule caps"
            if place == key.place:
                message = f"{place} was capped and is a link or a submodule now: what it holds is elsewhere, and nothing caps it"
                mend = f'make it a file again, or add a [[raise]] with key = "{key}"'
            yield Finding("escaped", "error", str(key), message, mend, place)


def _why_stale(facts: Facts, key: Key) -> str | None:
    if key.metric == ARMED:
        return None if facts.now.book.find(key.place) else f"there is no rule {key.place!r}"
    if key in facts.measurement.values:
        return None
    if not covering(facts.registry, facts.now.book.rule, key):
        return "no rule selects it"
    if facts.registry.by_file(key) and not facts.exists(key.place):
        return f"there is no {key.place}"
    return None


def _caused(facts: Facts, key: Key) -> bool:
    """Whether this change made a row stale: the merge base had no such row, or had what it caps."""
    assert facts.past is not None
    if key not in facts.past.side.lock:
        return True
    if key.metric == ARMED:
        return facts.past.side.book.find(key.place) is not None
    was_covered = bool(covering(facts.registry, facts.past.side.book.rule, key))
    return was_covered and (not facts.registry.by_file(key) or facts.past.exists(key.place))


def _escape(facts: Facts, key: Key) -> str | None:
    """Where the file of an old row is now, if no rule of its metric selects it there."""
    assert facts.past is not None
    if not facts.registry.by_file(key) or facts.exists(key.place):
        return None
    if facts.is_opaque(key.place):
        return key.place
    for new, old in sorted(facts.past.renames.items()):
        if old == key.place:
            rules = (rule for rule in facts.now.book.rule if rule.metric == key.metric)
            selected = any(matches(rule.paths, new) and not matches(rule.exclude, new) for rule in rules)
            return None if selected else new
    return None
