"""Shards: which cases run where, stable by content of the id, and the reports of all shards as one."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..adapters.errors import UsageError
from .baseline import Known, judge
from .coverage import coverage_from_json, merge_coverages
from .divergence import Divergence, Flaky
from .evidence import Evidence
from .report import SCHEMA, Finding, Report
from .traces import CaseTrace, traces_from_json
from .tracing import pick_traces


@dataclass(frozen=True)
class Shard:
    """Part `index` (from 1) of `count`."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A shard from `1/8`. Raises UsageError for anything else."""
        index, slash, count = text.partition("/")
        if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
            return cls(int(index), int(count))
        raise UsageError(f"{text!r} is no shard", mend="write it as 1/8: the first of eight")

    def has(self, case: str) -> bool:
        """Whether a case runs in this shard; other cases that come or go do not move it."""
        number = int.from_bytes(hashlib.sha256(case.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        return number % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def merge_reports(parts: Sequence[Mapping[str, Any]], baseline: Iterable[Known], today: dt.date) -> Report:
    """One report of the JSON reports of all shards, judged by the baseline as a whole.

    Raises UsageError for reports of different evidence or of another schema, a shard that is there twice, and one that is not
    there: what did not run proves nothing.
    """
    _check(parts)
    found = [_divergence(item) for part in parts for item in part["divergences"]]
    found.sort(key=lambda item: item.case)
    entries = tuple(baseline)
    verdict = judge(found, entries, today)
    return Report(
        cases=tuple(sorted(name for part in parts for name in part["case_ids"])),
        families=tuple(dict.fromkeys(family for part in parts for family in part["families"])),
        findings=tuple(Finding(item, known) for item, known in verdict.divergences),
        problems=verdict.problems,
        flaky=tuple(sorted((_flaky(item) for part in parts for item in part["flaky"]), key=lambda item: item.case)),
        unseen=tuple(sorted({text for part in parts for text in part["unseen"]})),
        evidence=_evidence(parts),
        stopped=any(part.get("stopped") for part in parts),
        partial=any(part.get("stopped") for part in parts),
        traces=pick_traces(_traces(parts), found, entries),
        coverage=merge_coverages(coverage_from_json(part["coverage"]) for part in parts if "coverage" in part),
    )


def _are_of_one_code(found: Sequence[Mapping[str, Any]]) -> bool:
    """Whether they say the same, files included where several name one."""
    if any({**evidence, "files": None} != {**found[0], "files": None} for evidence in found):
        return False
    files: dict[str, str] = {}
    return all(files.setdefault(name, digest) == digest for one in found for name, digest in one["files"].items())


def _evidence(parts: Sequence[Mapping[str, Any]]) -> Evidence:
    """The first one's, with the files of all: what a shard loads depends on its cases."""
    files = {name: digest for part in parts for name, digest in part["evidence"]["files"].items()}
    first = parts[0]["evidence"]
    return Evidence(first["definitions"], first["engines"], files, first.get("folders", {}))


def _traces(parts: Sequence[Mapping[str, Any]]) -> tuple[CaseTrace, ...]:
    return traces_from_json(item for part in parts for item in part.get("traces", ()))


def _check(parts: Sequence[Mapping[str, Any]]) -> None:
    if not parts:
        raise UsageError("no report to merge", mend="give the JSON reports of all shards")
    if any(part.get("schema") != SCHEMA for part in parts):
        raise UsageError("a report has another schema", mend="run every shard with one version of graphlift")
    if not _are_of_one_code([part["evidence"] for part in parts]):
        raise UsageError("the reports are not of the same code and cases", mend="run every shard on one commit")
    shards = [part.get("shard") for part in parts]
    whole = {str(Shard(index, len(parts))) for index in range(1, len(parts) + 1)}
    if set(shards) != whole or len(set(shards)) != len(shards):
        told = ", ".join(sorted(str(shard) for shard in shards))
        mend = "give each shard's report once, of runs with --shard and without --case"
        raise UsageError(f"these are not all shards of one run: {told}", mend=mend)


_SAME = (
    *("rule", "family", "case", "node", "activation", "subject"),
    *("legacy", "candidate", "cause", "mend", "schedule"),
)


def _divergence(item: Mapping[str, Any]) -> Divergence:
    return Divergence(**{name: item[name] for name in _SAME}, paths=tuple(item["paths"]), under=item["follows"])


def _flaky(item: Mapping[str, Any]) -> Flaky:
    return Flaky(item["case"], item["side"], item["family"], item["node"], "", item["what"])
