"""A generated code base for the inventory and the codemods: N modules in packages, a few of which name a legacy symbol.

The same arguments give the same bytes. Module bodies are varied but plain: classes with typed methods, loops,
comprehensions, docstrings, f-strings; about 360 lines and 13 kB each, as in the trees that the figures are quoted for.
"""

from __future__ import annotations

import random
from pathlib import Path

SYMBOL = "legacy.walker.GraphWalker"
CONFIG = f"""source = ["src"]
[[symbol]]
legacy = "{SYMBOL}"
called = "flows.engine.build_graph"
type = "flows.engine.GraphRunner"
"""
WALKER = '''"""The walker."""


class GraphWalker:
    """Walks."""

    def __init__(self, handlers: dict[str, object], *, max_depth: int = 10) -> None:
        self.handlers = handlers
        self.max_depth = max_depth

    def _next_nodes(self, node: str) -> list[str]:
        return [node]

    def execute(self, workflow: object) -> object:
        return workflow


Walker = GraphWalker
'''
USES = (
    "from legacy.walker import GraphWalker\n\n\ndef run(n: GraphWalker) -> object:\n    return GraphWalker({}).execute(n)\n",
    "from legacy import GraphWalker as W\n\n\ndef run(n: object) -> object:\n    w = W({})\n    return w._next_nodes('a')\n",
    "import legacy.walker as lw\n\n\ndef run(n: 'lw.GraphWalker') -> object:\n    return lw.GraphWalker({}, max_depth=3)\n",
    "from legacy.walker import Walker\n\n\nclass Slow(Walker):\n    pass\n",
    "TARGET = 'legacy.walker.GraphWalker'\n\n\ndef name() -> str:  # as GraphWalker has it\n    return TARGET\n",
    "from legacy import *\n\n\ndef run(n: object) -> object:\n    return isinstance(n, GraphWalker)\n",
)
NOUNS = (
    "order",
    "invoice",
    "stock",
    "price",
    "route",
    "parcel",
    "refund",
    "batch",
    "ledger",
    "shelf",
    "worker",
    "token",
)
VERBS = (
    "load",
    "merge",
    "check",
    "split",
    "count",
    "render",
    "parse",
    "store",
    "match",
    "filter",
    "schedule",
    "notify",
)


def write_tree(root: Path, files: int, *, uses: int = 30, seed: int = 7) -> int:
    """Write the code base under `root`; its size in bytes. `uses` of its `files` modules name the symbol."""
    rng = random.Random(seed)
    (root / "graphlift.toml").write_text(CONFIG)
    source = root / "src"
    legacy = source / "legacy"
    legacy.mkdir(parents=True)
    (legacy / "__init__.py").write_text("from .walker import GraphWalker\n")
    (legacy / "walker.py").write_text(WALKER)
    using = set(rng.sample(range(files), min(uses, files)))
    total = 0
    for index in range(files):
        folder = source / f"pkg{index // 100:04}" / f"part{index // 20 % 5}"
        if index % 20 == 0:
            folder.mkdir(parents=True)
            (folder / "__init__.py").touch()
            (folder.parent / "__init__.py").touch()
        text = USES[index % len(USES)] if index in using else ""
        text += _module(rng)
        (folder / f"{rng.choice(NOUNS)}_{index:05}.py").write_text(text)
        total += len(text)
    return total


def _module(rng: random.Random) -> str:
    parts = [
        '"""Generated."""\n\nfrom __future__ import annotations\n\nimport json\nimport logging\nfrom typing import Any\n'
    ]
    parts += [_class(rng, number) for number in range(6)]
    return "\n\n".join(parts)


def _class(rng: random.Random, number: int) -> str:
    name = f"{rng.choice(NOUNS).title()}{rng.choice(VERBS).title()}{number}"
    lines = [f"class {name}:", f'    """Keeps what is known of one {rng.choice(NOUNS)}."""', ""]
    for step in range(5):
        verb, noun, other = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(NOUNS)
        lines += [
            f"    def {verb}_{noun}_{step}(self, {noun}: dict[str, Any], limit: int = {rng.randrange(9)}) -> list[str]:",
            f'        """Give the {other} of a {noun}, at most `limit` of them."""',
            f"        found = [str(key) for key, value in {noun}.items() if value is not None]",
            f"        for {other}_id in found[: limit + {rng.randrange(99)}]:",
            f'            logging.debug(f"{{{other}_id}} of {{len(found)}} in {name.lower()}")  # {rng.choice(VERBS)}',
            f"        return sorted(found, key=lambda item: (len(item), json.dumps(item)))[:{rng.randrange(2, 50)}]",
            "",
        ]
    return "\n".join(lines)
