"""Stage 3: the seam, both engines side by side, and what is done about each difference.

Three kinds are found, and settled in three ways: a mistake in the seam and a dead name in a flow are mended, and a bug of
the walker that the graph does not have is listed, with a reason, an owner and an expiry.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

from ..journey import Settled
from ..shell import StageError
from .names import LISTED_CASE

if TYPE_CHECKING:
    from ..journey import Journey

REPORT = ".graphlift/parity.json"


def run(journey: Journey) -> None:
    """Leaves the seam, the gate and a baseline of known divergences; the gate ends green."""
    journey.write("stages/3-seam", "written by hand: the seam, and the gate's engines and cases")
    journey.commit("The seam to the graph engine, and the parity gate")
    before = _gate(journey, red=True)
    journey.edit(
        "shop/workflows/engine.py",
        "retries=node.attempts,",
        "retries=node.attempts - 1,",
        "our mistake: attempts count the first try too, retries do not",
    )
    after = _settle(journey, before, "mended in the seam")
    journey.commit("Seam: attempts count the first try")
    journey.edit(
        "shop/flows/refund.yaml",
        "[tell_customer, update_crm]",
        "[tell_customer]",
        "the step went with the old CRM; the walker skipped it with a warning, the graph refuses to compile",
    )
    left = _settle(journey, after, "mended in the definition")
    journey.commit("Refund: no step update_crm")
    _list(journey, left)
    journey.commit("Parity: list the walker's lost update")


def _list(journey: Journey, left: dict[str, list[str]]) -> None:
    """List what is left: one entry a rule, as many as were found."""
    if set(left) != {LISTED_CASE}:
        raise StageError(f"parity: expected only {LISTED_CASE} to differ, found {sorted(left)}")
    expires = (dt.date.today() + dt.timedelta(days=90)).isoformat()
    reason = "the walker merges whole copies of the data, so that the counted stock is lost"
    for rule in sorted(set(left[LISTED_CASE])):
        journey.shell.graphlift(
            *("parity", "--accept", rule, "--case", LISTED_CASE, "--at-most", str(left[LISTED_CASE].count(rule))),
            *("--verdict", "legacy bug", "--owner", "warehouse", "--expires", expires, "--reason", reason),
        )
    _gate(journey, red=False)
    _note(journey, left, f"listed as a bug of the walker, until {expires}")


def _settle(journey: Journey, before: dict[str, list[str]], how: str) -> dict[str, list[str]]:
    """Run the gate again: the cases that no longer differ were settled by what was just done."""
    after = _gate(journey, red=True)
    gone = {case: rules for case, rules in before.items() if case not in after}
    if not gone or set(after) - set(before):
        raise StageError(f"parity: what was done settled nothing, or broke {sorted(set(after) - set(before))}")
    _note(journey, gone, how)
    return after


def _note(journey: Journey, cases: dict[str, list[str]], how: str) -> None:
    journey.figures.divergences.append(Settled(next(iter(cases.values()))[0], tuple(sorted(cases)), how))


def _gate(journey: Journey, *, red: bool) -> dict[str, list[str]]:
    """Run the gate; gives the unlisted divergences as rule ids by case, the first divergence of a case first."""
    journey.shell.graphlift("parity", expect=1 if red else 0, lines=16)
    report = json.loads((journey.folder / REPORT).read_text(encoding="utf-8"))
    journey.figures.cases = report["cases"]
    found: dict[str, list[str]] = {}
    for item in sorted(report["divergences"], key=lambda item: item["follows"] is not None):
        if not item["known"]:
            found.setdefault(item["case"], []).append(item["rule"])
    return found
