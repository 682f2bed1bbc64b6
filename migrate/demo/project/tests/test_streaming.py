from __future__ import annotations

import asyncio
from typing import Any

from shop.services import Services
from shop.streaming import Chunk, StreamingExecutor
from shop.workflows import load_workflow


def collect(streamer: StreamingExecutor, name: str, **data: Any) -> list[Chunk]:
    async def gather() -> list[Chunk]:
        return [chunk async for chunk in streamer.stream(load_workflow(name), data)]

    return asyncio.run(gather())


def test_a_chunk_a_node(services: Services) -> None:
    chunks = collect(StreamingExecutor(services), "refund", order_id="A-1", reason="late")
    assert [(chunk.kind, chunk.node_id) for chunk in chunks] == [
        ("started", None),
        ("node", "load_order"),
        ("node", "why"),
        ("node", "refund_postage"),
        ("node", "tell_customer"),
        ("finished", None),
    ]
    assert chunks[-1].payload["refunded"] == 8.9


def test_progress_never_falls(services: Services) -> None:
    progress = [chunk.progress for chunk in collect(StreamingExecutor(services), "order", order_id="A-1")]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0.0, 1.0)


def test_a_failure_ends_the_stream(services: Services) -> None:
    last = collect(StreamingExecutor(services), "order", order_id="Z-9")[-1]
    assert (last.kind, last.node_id, last.payload) == ("failed", "load_order", "HandlerError: no order Z-9")


def test_subscribers_hear_every_chunk(services: Services) -> None:
    heard: list[Chunk] = []
    streamer = StreamingExecutor(services)
    streamer.subscribe(heard.append)
    assert heard == [] and collect(streamer, "restock", sku="CH-11") == heard


def test_cancelling_stops_before_the_next_node(services: Services) -> None:
    streamer = StreamingExecutor(services)
    streamer.subscribe(lambda chunk: streamer.cancel() if chunk.node_id == "reserve_stock" else None)
    chunks = collect(streamer, "order", order_id="A-1")
    assert [chunk.node_id for chunk in chunks if chunk.kind == "node"] == ["load_order", "reserve_stock"]
    assert chunks[-1].kind == "cancelled"
    assert services.database.rows("SELECT * FROM payments") == []
