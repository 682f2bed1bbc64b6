"""Run the benchmarks and write `benchmarks/RESULTS.md`: `python -m benchmarks [--quick] [MODULE ...]`.

A module `bench_NAME.py` has a `section(quick: bool) -> str`, one Markdown section. `--quick` leaves the long cases out and
prints instead of writing. Sections of modules that were not run stay as they are.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import re
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
HEAD = """# Benchmarks

Written by `nox -s bench`. Medians of runs that alternate with their peers in one process; a ratio is what counts, times are
this machine's.
"""


def main() -> None:
    """Run what was asked for and keep the other sections."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    sections = _sections()
    for name in given.modules or known:
        body = importlib.import_module(f"{__package__}.bench_{name}").section(given.quick)
        sections[name] = f"<!-- {name} -->\n{body.strip()}\n\n{_machine()}\n"
        print(sections[name])
    if not given.quick:
        RESULTS.write_text("\n".join([HEAD, *(sections[name] for name in sorted(sections))]), encoding="utf-8")


def _sections() -> dict[str, str]:
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = re.split(r"^<!-- (\w+) -->\n", text, flags=re.MULTILINE)
    return {name: f"<!-- {name} -->\n{body}" for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def _machine() -> str:
    python, langgraph = platform.python_version(), version("langgraph")
    return f"Python {python}, langgraph {langgraph}, {platform.system()} {platform.machine()}."


if __name__ == "__main__":
    main()
