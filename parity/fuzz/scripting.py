"""A counterexample as a test file that a person can read, keep and run."""

from __future__ import annotations

import pprint
import textwrap
from typing import Any

from .searching import Counterexample

TEMPLATE = '''\
"""Found by `graphlift parity --fuzz`, and shrunk: {summary}."""

from __future__ import annotations

from graphlift.parity.fuzz import Draft
from graphlift.parity.fuzz.searching import differences
from graphlift.parity.gate import pick_engines
from graphlift.parity.rules import builtin_rules

{engines}

DRAFT = Draft(
    definition={definition},
    bodies={bodies},
    inputs={inputs},
    options={options},
)


def {name}() -> None:
    found = differences(pick_engines(ENGINES), builtin_rules(), DRAFT)
    assert not found, "\\n".join(f"{{item.key}}: {{item.cause}}" for item in found)
'''

DEFAULT_ENGINES = """\
from graphlift.parity.engines import CompiledEngine, ReferenceEngine

ENGINES = [ReferenceEngine(), CompiledEngine()]"""


def as_test(found: Counterexample, *, name: str = "test_fuzzed_workflow", engines: str = DEFAULT_ENGINES) -> str:
    """The file's text. `engines` is the source that defines ENGINES."""
    first = found.divergences[0]
    draft = found.draft
    return TEMPLATE.format(
        summary=f"{first.rule} at {first.node or 'the run'}",
        engines=engines,
        definition=_literal(draft.definition),
        bodies=_literal(draft.bodies),
        inputs=_literal(draft.inputs),
        options=_literal(draft.options),
        name=name,
    )


def _literal(value: Any) -> str:
    text = pprint.pformat(_data(value), width=108, sort_dicts=False)
    return textwrap.indent(text, "    ").lstrip()


def _data(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _data(item) for key, item in value.items()}
    return [_data(item) for item in value] if isinstance(value, (list, tuple)) else value
