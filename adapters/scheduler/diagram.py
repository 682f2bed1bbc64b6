"""An explanation as a Mermaid diagram: one box a superstep, an arrow from the writers of a trigger to the node it started."""

from __future__ import annotations

from .explanation import Explanation
from .history import Activation
from .snapshots import START
from .text import node_name


def mermaid(explanation: Explanation) -> str:
    """A `flowchart LR` of the superstep table; dashed nodes are due next, a dotted arrow goes into a stalled join."""
    lines = ["flowchart LR"]
    latest: dict[str, str] = {}
    rows = [row for row in explanation.rows if row.ran and row.node != START]
    steps = sorted({(row.run, row.step) for row in rows})
    for run, step in steps:
        inside = [row for row in rows if (row.run, row.step) == (run, step)]
        names = {place: f"r{run}s{step}n{place}" for place in range(len(inside))}
        lines.append(f'  subgraph r{run}s{step}["superstep {step}"]')
        lines += [f'    {names[place]}["{_label(row.node)}"]' for place, row in enumerate(inside)]
        lines.append("  end")
        for place, row in enumerate(inside):
            lines += [f"  {source} --> {names[place]}" for source in _sources(row, latest)]
        latest |= {row.node: names[place] for place, row in enumerate(inside)}
    return "\n".join([*lines, *_next(explanation), *_waiting(explanation, latest)])


def _sources(row: Activation, latest: dict[str, str]) -> list[str]:
    writers = dict.fromkeys(name for fired in row.fired for name in fired.writers)
    return [latest[name] for name in writers if name in latest]


def _next(explanation: Explanation) -> list[str]:
    due = dict.fromkeys(state.node for state in explanation.due)
    return [f'  due{place}["{_label(node)}"]:::due' for place, node in enumerate(due)] + (
        ["  classDef due stroke-dasharray: 4 4"] if due else []
    )


def _waiting(explanation: Explanation, latest: dict[str, str]) -> list[str]:
    lines = []
    for place, edge in enumerate(edge for edge in explanation.waiting if edge.namespace == explanation.namespace):
        missing = ", ".join(_label(name) for name in edge.missing)
        lines.append(f'  wait{place}["{_label(edge.target)}<br/>missing {missing}"]:::waiting')
        lines += [f"  {latest[name]} -.-> wait{place}" for name in edge.arrived if name in latest]
    return [*lines, "  classDef waiting stroke:#c00"] if lines else []


def _label(name: str) -> str:
    return node_name(name).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
