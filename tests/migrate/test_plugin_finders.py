"""A project's own reference finder counts in every command that asks for references, not in the inventory alone."""

from __future__ import annotations

from typing import Any

import pytest

TOML = 'plugins = ["own_flow_finder"]\n[[symbol]]\nlegacy = "old.Walker"\ncalled = "eng.build"\ntype = "eng.Runner"\n'
RULES = '[[rule]]\nid = "walkers"\nmetric = "references"\npaths = ["**"]\nreason = "it goes away"\n'
FINDER = '''\
import re

from graphlift.migrate.ledger import model
from graphlift.migrate.ledger.mention import FileFindings, Mention
from graphlift.plugins import hookimpl


class FlowFinder:
    """Files of a language of our own, in which `walk with <dotted name>` makes a walker."""

    id = "flow"
    summary = "our flow files"
    suffixes = (".flow",)

    def find(self, file, search):
        found = FileFindings()
        for hit in re.finditer(rb"walk with ([\\w.]+)", file.text):
            resolution = search.resolver.resolve(hit[1].decode())
            if resolution:
                found.mentions.append(Mention(*hit.span(1), model.CALL, resolution, "live", "flow"))
        return found


@hookimpl
def graphlift_reference_finders():
    return [FlowFinder()]
'''


@pytest.fixture
def shop(repo: Any) -> Any:
    repo.files(
        {
            "graphlift.toml": TOML,
            "own_flow_finder.py": FINDER,
            "old.py": "class Walker:\n    pass\n",
            "eng.py": "class Runner: ...\n\n\ndef build():\n    return Runner()\n",
            "nightly.flow": "start\nwalk with old.Walker\n",
            "ratchet.toml": RULES,
        }
    )
    repo.commit()
    return repo


@pytest.mark.parametrize("off", [False, True])
def test_the_inventory(shop: Any, off: bool) -> None:
    options = ("--no-plugin", "own_flow_finder") if off else ()
    references = shop.run(*options, "inventory", "--format", "json").json()["references"]
    # Without the finder the place is text like any other.
    assert [(each["role"], each["context"]) for each in references if each["file"] == "nightly.flow"] == [
        ("prose", "prose") if off else ("call", "live")
    ]


@pytest.mark.parametrize("off", [False, True])
def test_retire_is_refused_for_what_only_the_finder_sees(shop: Any, off: bool) -> None:
    options = ("--no-plugin", "own_flow_finder") if off else ()
    said = shop.run(*options, "retire")
    assert said.code == 1
    assert ("nightly.flow:2" in said.out) is not off


@pytest.mark.parametrize("off", [False, True])
def test_status_counts_it_as_a_live_reference(shop: Any, off: bool) -> None:
    options = ("--no-plugin", "own_flow_finder") if off else ()
    stages = shop.run(*options, "status", "--format", "json").json()["stages"]
    sites = next(each for each in stages if each["id"] == "call-sites")
    assert sites["done"] is off


@pytest.mark.parametrize("off", [False, True])
def test_the_ratchet_caps_it(shop: Any, off: bool) -> None:
    options = ("--no-plugin", "own_flow_finder") if off else ()
    numbers = shop.run(*options, "ratchet", "check", "--absolute", "--format", "json").json()["numbers"]
    found = {each["key"]: each["value"] for each in numbers}
    assert found == ({} if off else {"references:nightly.flow::flow old.Walker": 1})
