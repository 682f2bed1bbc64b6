"""Cassettes: what handlers with effects answered, recorded under one engine and replayed under the other.

An answer is found by case (two cases of a workflow may live in different worlds), node, activation and the digest of what the
activation saw, never by the order of calls. The file is JSON lines, one answer a line, without pickles: a value that JSON data cannot rebuild cannot be replayed, and is
refused when it is asked for.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..adapters.errors import ConfigurationError
from .plain import canonical, error_text, plain
from .recorded import Value
from .unplain import CannotRebuildError, rebuild
from .writing import replace_file

VERSION = 1
LARGEST = 1_000_000
"""Characters of JSON above which an answer is not kept."""

Mode = Literal["none", "once", "all"]
"""Under the engine that records: only replay; run and record what is not there yet; run and record everything."""

Key = tuple[str, str, int, str]


class CassetteMissError(Exception):
    """In a handler's place: there is no recording for this activation, or it cannot be replayed."""


@dataclass(frozen=True)
class Answer:
    """What a handler answered once: `returned` as plain data, or `raised` as the error's type and message."""

    case: str
    node: str
    activation: int
    saw: str
    returned: Any = None
    raised: tuple[str, str] | None = None
    lost: str | None = None

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.case, self.node, self.activation, self.saw

    def to_json(self) -> dict[str, Any]:
        """One line of the file."""
        told = {"returned": self.returned} if self.raised is None else {"raised": list(self.raised)}
        lost = {"lost": self.lost} if self.lost else {}
        place = {"case": self.case, "node": self.node, "activation": self.activation, "saw": self.saw}
        return {**place, **told, **lost}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answer:
        """The answer that a line tells. Raises KeyError, TypeError or ValueError for one that is none."""
        raised = data.get("raised")
        place = (str(data["case"]), str(data["node"]), int(data["activation"]), str(data["saw"]))
        return cls(*place, data.get("returned"), (raised[0], raised[1]) if raised else None, data.get("lost"))

    def give(self) -> Any:
        """Return or raise it in the handler's place."""
        if self.lost:
            raise CassetteMissError(f"what {self.node} answered cannot be replayed: {self.lost}")
        if self.raised is not None:
            raise _error(*self.raised)
        return rebuild(self.returned)


def answered(place: tuple[str, str, int], saw: Value, returned: Any, raised: BaseException | None) -> Answer:
    """The answer of a handler that ran: `place` is case, node and activation."""
    if raised is not None:
        message = str(raised.args[0]) if isinstance(raised, KeyError) and raised.args else str(raised)
        return Answer(*place, saw.digest, raised=(type(raised).__name__, message))
    data = plain(returned)
    try:
        rebuild(data)
    except CannotRebuildError as error:
        return Answer(*place, saw.digest, lost=str(error))
    if len(canonical(data)) > LARGEST:
        return Answer(*place, saw.digest, lost=f"it is larger than {LARGEST} characters")
    return Answer(*place, saw.digest, data)


def _error(name: str, message: str) -> BaseException:
    """An exception of the recorded type, if it is a builtin; else of a new type with its name."""
    kind: object = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and kind not in _NOT_FROM_A_MESSAGE:
        error: Exception = kind(message)
        return error
    replayed: type[Exception] = type(name, (Exception,), {"__doc__": "Replayed from a cassette."})
    return replayed(message)


_NOT_FROM_A_MESSAGE = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)


@dataclass(frozen=True)
class Tape:
    """What one run may replay, and whether it may record."""

    mode: Mode = "once"
    answers: tuple[Answer, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON data; `from_json` gives an equal object back."""
        return {"mode": self.mode, "answers": [answer.to_json() for answer in self.answers]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Tape:
        """The tape that `to_json` described."""
        return cls(data["mode"], tuple(Answer.from_json(item) for item in data["answers"]))


@dataclass
class Cassette:
    """Answers by key. Mutable: recordings are added as runs end."""

    answers: dict[Key, Answer] = field(default_factory=dict)
    changed: bool = False

    def add(self, answers: Iterable[Answer]) -> None:
        """Put answers in; one with the same key is replaced."""
        for answer in answers:
            self.changed |= self.answers.get(answer.key) != answer
            self.answers[answer.key] = answer

    def of(self, case: str) -> tuple[Answer, ...]:
        """The answers of one case."""
        return tuple(answer for answer in self.answers.values() if answer.case == case)

    def lines(self, redact: Mapping[str, Callable[[str, Any], Any]] | None = None) -> Iterator[str]:
        """The file's lines, sorted; `redact` has, by case, what gets a node and its answer (plain data) and gives what is kept."""
        yield json.dumps({"cassette": VERSION})
        for key in sorted(self.answers):
            line = self.answers[key].to_json()
            hide = (redact or {}).get(line["case"])
            if hide is not None and "returned" in line:
                line["returned"] = hide(line["node"], line["returned"])
            yield json.dumps(line, sort_keys=True, ensure_ascii=True)

    def save(self, path: Path, redact: Mapping[str, Callable[[str, Any], Any]] | None = None) -> None:
        """Write the file in one step; `redact` as in `lines`."""
        replace_file(path, "".join(f"{line}\n" for line in self.lines(redact)))


def load_cassette(path: Path, shown: str) -> Cassette:
    """The cassette in a file; an empty one where there is no file. Raises `ConfigurationError` with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Cassette()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot be read: {error}", where=shown) from None
    cassette = Cassette()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            data = json.loads(line)
            if number == 1:
                _check_version(data, shown)
            else:
                cassette.add([Answer.from_json(data)])
        except (ValueError, KeyError, TypeError, IndexError) as error:
            where = f"{shown}:{number}"
            mend = "delete the line, or record again with `--record all`"
            raise ConfigurationError(f"is no recording: {error_text(error)}", where=where, mend=mend) from None
    cassette.changed = False
    return cassette


def _check_version(head: Any, shown: str) -> None:
    version = head.get("cassette") if isinstance(head, dict) else None
    if version != VERSION:
        raise ConfigurationError(
            f"is a cassette of version {version!r}, not {VERSION}", where=f"{shown}:1", mend="record it again"
        )
