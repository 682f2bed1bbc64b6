"""This host: forked children where that is safe, else one worker process."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...adapters.errors import UsageError
from ..gate import MakePool
from ..isolation import isolated
from .executor import Plan


@dataclass(frozen=True)
class LocalExecutor:
    """See `isolation`."""

    id: str = "local"
    summary: str = "processes of this host, as many at once as --jobs says"

    def pool(self, address: str, plan: Plan) -> MakePool:
        """The pool; there is only one host that is this one, so an address is refused."""
        if address:
            raise UsageError(f"--executor: 'local' takes no address, not {address!r}", mend="write --executor local")
        jobs = plan.jobs or os.cpu_count() or 1
        return isolated(plan.load, jobs=jobs, timeout=plan.timeout, isolate=plan.isolate)
