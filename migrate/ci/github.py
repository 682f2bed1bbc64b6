"""The GitHub Actions workflow, as text: checks without the project's code, the gate with it, and the status on the pull request."""

from __future__ import annotations

import json
from collections.abc import Mapping

from . import steps
from .steps import indented
from .tuning import Tuning

PATH = ".github/workflows/graphlift.yml"

# Actions are named by major version: what a reader expects. A team that pins by digest has a tool for that.
CHECKOUT = "actions/checkout@v5"
PYTHON = "actions/setup-python@v6"
UPLOAD, DOWNLOAD = "actions/upload-artifact@v5", "actions/download-artifact@v6"
SARIF = "github/codeql-action/upload-sarif@v4"

TEMP = "${{ runner.temp }}"
# A pull request from a fork has a token that may only read; what needs more is left out there.
_OURS = "github.event.pull_request.head.repo.full_name == github.repository"
SAME_REPOSITORY = f"(github.event_name != 'pull_request' || {_OURS})"
PULL_REQUEST = f"github.event_name == 'pull_request' && {_OURS}"

HEAD = """\
# The gates of the migration. `graphlift ci github` wrote this; what it would write now, it prints.
name: graphlift

on:
  pull_request:
  merge_group:
  push:
    branches: [{branch}]

permissions:
  contents: read

concurrency:
  group: graphlift-${{{{ github.ref }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

defaults:
  run:
    shell: bash

jobs:
"""


def render(tuning: Tuning) -> str:
    """The workflow for a project."""
    jobs = [_checks(tuning), *([_gate(tuning)] if tuning.gate else []), _status(tuning)]
    return HEAD.format(branch=json.dumps(tuning.branch)) + "\n".join(jobs)


def _checks(tuning: Tuning) -> str:
    parts = [
        _job("checks", "ratchet and inventory", 10, {"security-events": "write"}),
        _begin(tuning, "the ratchet compares with the merge base"),
        _step("Install graphlift", f'python -m pip install --quiet "{tuning.tool}"\n'),
    ]
    if tuning.ratchet:
        parts.append(_step("Ratchet", "graphlift ratchet --format github\n"))
    else:
        parts.append("      # No ratchet yet: `graphlift ratchet init` begins one; then write this file again.\n")
    if tuning.symbols:
        files = {"SARIF": f"{TEMP}/inventory.sarif", "SUMMARY": f"{TEMP}/inventory.md"}
        show = 'cat "$SUMMARY" >> "$GITHUB_STEP_SUMMARY"\n'
        run = steps.INVENTORY.replace('exit "$code"\n', show + 'exit "$code"\n')
        parts.append(_step("Inventory", run, "!cancelled()", files))
        parts.append(
            _use("Show the inventory in code scanning", SARIF, f"!cancelled() && {SAME_REPOSITORY}",
                 {"sarif_file": f"{TEMP}/inventory.sarif", "category": "graphlift-inventory"})
        )  # fmt: skip
    return "".join(parts)


def _gate(tuning: Tuning) -> str:
    install = "".join(f"python -m pip install --quiet {arguments}\n" for arguments in tuning.install)
    reports = {"name": "graphlift-parity", "path": f"{TEMP}/parity", "if-no-files-found": "ignore"}
    evidence: dict[str, str | bool] = {
        "name": "graphlift-evidence",
        "path": tuning.report,
        "include-hidden-files": True,
    }
    return "".join(
        [
            # It runs the project's own code, so it gets no right to write anything.
            _job("parity", "parity gate", 30, {}),
            _begin(tuning, "", cached=True),
            _step("Install the project and graphlift", install),
            _step("Parity gate", steps.GITHUB_GATE, "", {"REPORTS": f"{TEMP}/parity"}),
            _use("Keep the reports", UPLOAD, "!cancelled()", reports),
            _use("Keep the evidence", UPLOAD, "!cancelled()", {**evidence, "if-no-files-found": "ignore"}),
        ]
    )


def _status(tuning: Tuning) -> str:
    parts = [
        _job("status", "status", 10, {"pull-requests": "write"}, needs="parity" if tuning.gate else ""),
        _begin(tuning, "what the ratchet's history is read from"),
    ]
    if tuning.gate:
        parts.append(
            _use("Fetch the evidence", DOWNLOAD, "", {"name": "graphlift-evidence", "path": tuning.report_folder})
            # Without it (the gate ended before it wrote any), the status says that the gate is open.
            + "        continue-on-error: true\n"
        )
    status = {"STATUS": f"{TEMP}/status.md"}
    pull = {"GH_TOKEN": "${{ github.token }}", "PULL_REQUEST": "${{ github.event.pull_request.number }}"}
    parts += [
        _step("Install graphlift", f'python -m pip install --quiet "{tuning.tool}"\n'),
        _step("Status", steps.STATUS + 'cat "$STATUS" >> "$GITHUB_STEP_SUMMARY"\n', "", status),
        _step("Comment on the pull request", steps.GITHUB_COMMENT, PULL_REQUEST, {**status, **pull}),
    ]
    return "".join(parts)


def _job(name: str, title: str, minutes: int, more: dict[str, str], needs: str = "") -> str:
    rights = "".join(f"      {key}: {value}\n" for key, value in {"contents": "read", **more}.items())
    after = f"    needs: [{needs}]\n    if: ${{{{ !cancelled() }}}}\n" if needs else ""
    return (
        f"  {name}:\n    name: {title}\n{after}    runs-on: ubuntu-latest\n    timeout-minutes: {minutes}\n"
        f"    permissions:\n{rights}    steps:\n"
    )


def _begin(tuning: Tuning, why_deep: str, *, cached: bool = False) -> str:
    deep = f"          fetch-depth: 0    # {why_deep}\n" if why_deep else ""
    cache = ""
    if cached and tuning.caches:
        cache = "          cache: pip\n          cache-dependency-path: |\n"
        cache += "".join(f"            {name}\n" for name in tuning.caches)
    return (
        f"      - uses: {CHECKOUT}\n        with:\n{deep}          persist-credentials: false\n"
        f'      - uses: {PYTHON}\n        with:\n          python-version: "{tuning.python}"\n{cache}'
    )


def _step(name: str, run: str, condition: str = "", environment: dict[str, str] | None = None) -> str:
    text = f"      - name: {name}\n"
    text += f"        if: ${{{{ {condition} }}}}\n" if condition else ""
    if environment:
        text += "        env:\n" + "".join(f"          {key}: {value}\n" for key, value in environment.items())
    if run.count("\n") == 1 and ": " not in run and " #" not in run:
        return f"{text}        run: {run}"
    return f"{text}        run: |\n{indented(run, 10)}"


def _use(name: str, action: str, condition: str, values: Mapping[str, str | bool]) -> str:
    text = f"      - name: {name}\n"
    text += f"        if: ${{{{ {condition} }}}}\n" if condition else ""
    rows = "".join(f"          {key}: {str(v).lower() if isinstance(v, bool) else v}\n" for key, v in values.items())
    return f"{text}        uses: {action}\n        with:\n{rows}"
