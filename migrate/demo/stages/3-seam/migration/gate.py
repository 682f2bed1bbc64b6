"""The parity gate: the walker and the graph on the same cases, each in a small world of its own.

A world is a fresh database with two orders and two articles, and what lies outside the shop: a card gateway that may be
busy, couriers that may be down, a supplier with a price. It is part of what is compared: at the end both engines must
have left the same rows. This package goes when the walker goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from graphlift.adapters import SuccessorWorkflow, WorkflowError
from graphlift.parity import Case, Outcome, Tap, Value, outcome_of
from graphlift.plugins import hookimpl

from shop.db import Database
from shop.handlers import HANDLERS
from shop.services import CourierDown, GatewayBusy, Services
from shop.workflows.definition import TaskNode, WorkflowDefinition, load_workflow
from shop.workflows.engine import ShopShape, create_engine, to_graph
from shop.workflows.walker import WorkflowWalker

TABLES = ("orders", "stock", "reviews", "payments", "shipments", "mails", "purchases")


@contextmanager
def world(
    *, busy: int = 0, down: tuple[str, ...] = (), on_hand: int = 12, on_shelf: int | None = None, price: float = 12.5
) -> Iterator[Services]:
    """`busy`: how often the gateway sends us away. `on_shelf`: what a count finds, where the books are wrong."""
    charged: list[str] = []

    def charge(order_id: str, amount: float) -> str:
        charged.append(order_id)
        if len(charged) <= busy:
            raise GatewayBusy("come back later")
        return f"PAY-{order_id}"

    def courier(name: str) -> Callable[[str, int], float]:
        def quote(sku: str, quantity: int) -> float:
            if name in down:
                raise CourierDown(name)
            return {"dhl": 5.5, "gls": 5.9}[name]

        return quote

    database = Database()
    database.add_order("A-1", "ada@example.org", "CH-11", 2, 89.0)
    database.add_order("A-2", "bob@example.org", "FR-58", 1, 1450.0)
    database.add_stock("CH-11", on_hand, on_shelf)
    database.add_stock("FR-58", 1)
    try:
        yield Services(database, charge, {name: courier(name) for name in ("dhl", "gls")}, lambda sku: price)
    finally:
        database.close()


@dataclass(frozen=True)
class ShopEngine:
    """Either engine: they are built and called alike, which is the point of the seam."""

    name: str
    side: Literal["legacy", "candidate"]
    sources: tuple[str, ...]
    build: Callable[[Mapping[str, Any], Services], Any]

    async def run(self, case: Case, tap: Tap) -> Outcome:
        workflow = load_workflow(case.workflow)
        tasks = [node for node in workflow.nodes.values() if isinstance(node, TaskNode)]
        handlers = {node.id: tap.wrap(node.id, HANDLERS[node.handler]) for node in tasks}
        with world(**case.options) as services:
            result = await self.build(handlers, services).execute(by_node(workflow), case.inputs)
            rows = {table: services.database.rows(f"SELECT * FROM {table}") for table in TABLES}
        outcome = outcome_of(ShopShape().read(result))
        return replace(outcome, data={**(outcome.data or {}), "(database)": Value.of(rows)})


def by_node(workflow: WorkflowDefinition) -> WorkflowDefinition:
    """The workflow with a handler name of its own for each task: a trace tells two nodes of one handler apart."""
    nodes = {
        node_id: replace(node, handler=node_id) if isinstance(node, TaskNode) else node
        for node_id, node in workflow.nodes.items()
    }
    return replace(workflow, nodes=nodes)


def graph_of(flow: str) -> SuccessorWorkflow | None:
    """What the gate may know of who waits for whom. A flow that the graph refuses is compared all the same."""
    try:
        return to_graph(load_workflow(flow))
    except WorkflowError:
        return None


def case(case_id: str, flow: str, inputs: Mapping[str, Any], **options: Any) -> Case:
    return Case(case_id, flow, graph_of(flow), inputs, options=options, files=(f"shop/flows/{flow}.yaml",))


@hookimpl
def graphlift_engines(project: Any) -> list[ShopEngine]:
    del project
    shared = ("shop/handlers.py", "shop/workflows/conditions.py", "shop/workflows/definition.py", "migration/gate.py")
    return [
        ShopEngine("walker", "legacy", ("shop/workflows/walker.py", *shared), WorkflowWalker),
        ShopEngine("graph", "candidate", ("shop/workflows/engine.py", *shared), create_engine),
    ]


@hookimpl
def graphlift_cases(project: Any) -> list[Case]:
    del project
    return [
        case("order-small", "order", {"order_id": "A-1"}),
        case("order-large", "order", {"order_id": "A-2"}),
        case("order-unknown", "order", {"order_id": "Z-9"}),
        case("order-out-of-stock", "order", {"order_id": "A-1"}, on_hand=1),
        case("order-gateway-busy-twice", "order", {"order_id": "A-1"}, busy=2),
        case("order-gateway-busy-for-long", "order", {"order_id": "A-1"}, busy=3),
        case("order-one-courier-down", "order", {"order_id": "A-1"}, down=("dhl",)),
        case("order-no-courier", "order", {"order_id": "A-1"}, down=("dhl", "gls")),
        case("refund-damaged", "refund", {"order_id": "A-1", "reason": "damaged"}),
        case("refund-late", "refund", {"order_id": "A-1", "reason": "late"}),
        case("refund-other", "refund", {"order_id": "A-1", "reason": "changed my mind"}),
        case("restock", "restock", {"sku": "CH-11"}),
        case("restock-enough", "restock", {"sku": "CH-11"}, on_hand=40),
        case("restock-expensive", "restock", {"sku": "CH-11"}, price=900.0),
        case("restock-books-are-wrong", "restock", {"sku": "CH-11"}, on_shelf=4),
    ]
