"""`python -m shop flows` and `python -m shop run FLOW key=value ...`."""

from __future__ import annotations

import asyncio
import sys

from shop.provider import ServiceProvider
from shop.workflows import available_workflows, load_workflow


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["flows"]:
        print("\n".join(available_workflows()))
        return 0
    if len(arguments) < 2 or arguments[0] != "run":
        print(__doc__)
        return 2
    data = dict(pair.split("=", 1) for pair in arguments[2:])
    executor = ServiceProvider(database="shop.sqlite").get("workflow_executor")
    result = asyncio.run(executor.execute(load_workflow(arguments[1]), data))
    print("done" if result.ok else f"failed: {result.error}")
    return 0 if result.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
