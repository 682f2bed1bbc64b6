"""The GitLab pipeline, as text: one job each for the ratchet, the inventory, the gate and the status."""

from __future__ import annotations

import json

from . import steps
from .steps import indented
from .tuning import Tuning

PATH = ".gitlab/graphlift.yml"
MAIN = ".gitlab-ci.yml"
INCLUDE = f"include:\n  - local: {PATH}\n"

HEAD = """\
# The gates of the migration. `graphlift ci gitlab` wrote this; what it would write now, it prints.
.graphlift:
  image: python:{python}
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    GIT_DEPTH: "0"    # the ratchet compares with the merge base, and the history is read from git
  before_script:
    - python -m pip install --quiet {tool}
"""


def render(tuning: Tuning) -> str:
    """The pipeline's file for a project, to be included in `.gitlab-ci.yml`."""
    jobs = [HEAD.format(python=tuning.python, tool=_quoted(tuning.tool))]
    if tuning.ratchet:
        jobs.append(_job("ratchet", "graphlift ratchet\n"))
    else:
        jobs.append("# No ratchet yet: `graphlift ratchet init` begins one; then write this file again.\n")
    if tuning.symbols:
        jobs.append(_inventory())
    if tuning.gate:
        jobs.append(_gate(tuning))
    jobs.append(_status(tuning))
    return "\n".join(jobs)


def _quoted(requirement: str) -> str:
    return f'"{requirement}"'


def _job(name: str, run: str, more: str = "") -> str:
    return f"graphlift-{name}:\n  extends: .graphlift\n{more}  script:\n    - |\n{indented(run, 6)}"


def _kept(paths: list[str], more: str = "") -> str:
    listed = "".join(f"      - {json.dumps(path)}\n" for path in paths)
    return f"  artifacts:\n    when: always\n    paths:\n{listed}{more}"


def _inventory() -> str:
    # Beside the checkout's own files, where the tool looks for none; artifacts must lie inside of the checkout.
    names = {"SARIF": ".graphlift/inventory.sarif", "SUMMARY": ".graphlift/inventory.md"}
    variables = "  variables:\n" + "".join(f"    {key}: {value}\n" for key, value in names.items())
    return _job("inventory", _FOLDER + steps.INVENTORY, variables + _kept(list(names.values())))


_FOLDER = "mkdir -p .graphlift\n"


def _gate(tuning: Tuning) -> str:
    install = "".join(f"    - python -m pip install --quiet {arguments}\n" for arguments in tuning.install)
    reports = "    reports:\n      junit: .graphlift/parity.xml\n"
    kept = _kept([tuning.report, ".graphlift/parity.md"], reports)
    return _job("parity", _FOLDER + steps.GITLAB_GATE, f"  before_script:\n{install}{kept}")


def _status(tuning: Tuning) -> str:
    # The status is told whatever the gate says, so the job runs after a red one, too.
    rules = (
        '  rules:\n    - if: $CI_PIPELINE_SOURCE == "merge_request_event"\n      when: always\n'
        "    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n      when: always\n"
    )
    needs = "  needs:\n    - job: graphlift-parity\n      artifacts: true\n" if tuning.gate else ""
    variables = "  variables:\n    STATUS: .graphlift/status.md\n"
    run = _FOLDER + steps.STATUS + 'cat "$STATUS"\n' + steps.GITLAB_COMMENT
    return _job("status", run, rules + needs + variables + _kept([".graphlift/status.md"]))
