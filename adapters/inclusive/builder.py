"""`StateGraph` with inclusive waiting edges: `add_edge([...], target, inclusive=True)`.

Compiling puts graphlift's own barriers in the place of LangGraph's and lets a Send in flight count as work; the loop itself
is LangGraph's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self

from langgraph.channels.base import BaseChannel
from langgraph.channels.last_value import LastValueAfterFinish
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.typing import ContextT, InputT, OutputT, StateT

from ..errors import WorkflowError
from ..langgraph_private import TASKS
from .channels import DeferredBarrier, DeferredBranch, InclusiveBarrier, RoundChannel, WaitingBarrier
from .order import Edge, Placed, place_edges

ROUND = "__waiting_round__"


class CompiledInclusiveGraph(
    CompiledStateGraph[StateT, ContextT, InputT, OutputT], Generic[StateT, ContextT, InputT, OutputT]
):
    """A compiled graph in which a Send in flight keeps the run from settling."""

    def validate(self) -> Self:
        """Validate, and index the channel of the Sends, so that LangGraph does not finish a run over one in flight."""
        super().validate()
        self.trigger_to_nodes = {**self.trigger_to_nodes, TASKS: ()}
        return self


class InclusiveStateGraph(StateGraph[StateT, ContextT, InputT, OutputT], Generic[StateT, ContextT, InputT, OutputT]):
    """A `StateGraph` whose waiting edges can be inclusive.

    An inclusive edge waits while anything in its graph is running or scheduled, a Send in flight too. Once the run settles
    its target runs once, with those of the listed nodes that arrived; when none did, it stays silent. It re-arms in loops.
    Inside the target, `waiting_release()` says who arrived and who is missing.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.inclusive_edges: set[Edge] = set()

    def add_edge(self, start_key: str | Sequence[str], end_key: str, *, inclusive: bool = False) -> Self:
        """Add an edge; `inclusive` needs a list of start nodes, and adding the same edge again sets the option anew.

        Raises `WorkflowError` for an inclusive edge from a single name, and `ValueError` as `StateGraph.add_edge` does.
        """
        super().add_edge(start_key if isinstance(start_key, str) else list(start_key), end_key)
        if isinstance(start_key, str):
            if inclusive:
                raise WorkflowError(
                    f"an inclusive edge into {end_key!r} from one node", mend="give its start nodes as a list"
                )
            return self
        edge = (tuple(start_key), end_key)
        (self.inclusive_edges.add if inclusive else self.inclusive_edges.discard)(edge)
        return self

    def compile(self, *args: Any, **kwargs: Any) -> CompiledInclusiveGraph[StateT, ContextT, InputT, OutputT]:
        """Compile, with all the options of `StateGraph.compile`.

        Raises `WorkflowError` for an inclusive edge into a node with `defer=True`, which already waits for the end of the run.
        """
        for _, target in sorted(self.inclusive_edges):
            if target != END and self.nodes[target].defer:
                raise WorkflowError(
                    f"the edge into {target!r} is inclusive and the node has defer=True",
                    mend="drop one of them: defer already postpones the node to the end of the run",
                )
        compiled = super().compile(*args, **kwargs)
        channels = self._own_channels(compiled.channels)
        compiled.channels.clear()
        compiled.channels.update(channels)
        # StateGraph.compile names its own class; the subclass adds no state, and copies of it are made by class.
        compiled.__class__ = CompiledInclusiveGraph
        return compiled.validate()  # type: ignore[return-value]

    def _own_channels(self, stock: dict[str, Any]) -> dict[str, Any]:
        """The round first, then LangGraph's, then the waiting edges, upstream first: the order in which they finish."""
        edges = sorted(edge for edge in self.waiting_edges if edge[1] != END)
        placed = place_edges(self._successors(), edges)
        joins = {f"join:{'+'.join(one.edge[0])}:{one.edge[1]}": one for one in placed}
        channels: dict[str, Any] = {ROUND: RoundChannel(type(None))}
        for key, channel in stock.items():
            if key not in joins:
                channels[key] = DeferredBranch(channel.typ) if type(channel) is LastValueAfterFinish else channel
        # Plain edges before inclusive ones, so that the round knows every scheduled target when the first may release.
        for key, one in sorted(joins.items(), key=lambda item: item[1].edge in self.inclusive_edges):
            channels[key] = self._barrier(one)
        for key, channel in channels.items():
            if isinstance(channel, BaseChannel):
                channel.key = key
        return channels

    def _barrier(self, one: Placed) -> BaseChannel[Any, Any, Any]:
        names, target = set(one.edge[0]), one.edge[1]
        if one.edge in self.inclusive_edges:
            return InclusiveBarrier(names, one.bit, target, one.upstream)
        return DeferredBarrier(str, names) if self.nodes[target].defer else WaitingBarrier(names, one.bit)

    def _successors(self) -> dict[str, set[str]]:
        """Where each node can lead by edges, waiting edges, routers and declared destinations.

        A router without a path map can lead anywhere. A `Command(goto=…)` that the node does not declare is not seen.
        """
        found: dict[str, set[str]] = {name: set() for name in (START, *self.nodes)}
        for start, end in self.edges:
            found[start].add(end)
        for starts, end in self.waiting_edges:
            for start in starts:
                found[start].add(end)
        for start, branches in self.branches.items():
            for branch in branches.values():
                found[start].update(self.nodes if branch.ends is None else branch.ends.values())
        for start, spec in self.nodes.items():
            found[start].update(spec.ends or ())
            if spec.error_handler_node:
                found[start].add(spec.error_handler_node)
        return found
