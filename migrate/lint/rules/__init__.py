"""The rules, one file each, in the order in which they are listed."""

from __future__ import annotations

from . import (
    barrier_in_a_loop,
    defer_chain,
    edges_in_a_loop,
    empty_route,
    exclusive_barrier,
    full_state_return,
    loop_dependents,
    open_router,
    optional_barrier,
    ordered_reducer,
    parallel_interrupts,
    raising_router,
    same_key_writers,
    self_dependency,
    send_to_barrier,
    state_mutation,
    stock_barrier,
    uneven_fan_in,
    unknown_target,
)
from .rule import Hit, Rule

RULES: tuple[Rule, ...] = (
    uneven_fan_in.RULE,
    edges_in_a_loop.RULE,
    exclusive_barrier.RULE,
    optional_barrier.RULE,
    barrier_in_a_loop.RULE,
    raising_router.RULE,
    open_router.RULE,
    unknown_target.RULE,
    empty_route.RULE,
    loop_dependents.RULE,
    same_key_writers.RULE,
    ordered_reducer.RULE,
    state_mutation.RULE,
    full_state_return.RULE,
    self_dependency.RULE,
    defer_chain.RULE,
    send_to_barrier.RULE,
    parallel_interrupts.RULE,
    stock_barrier.RULE,
)

__all__ = ["RULES", "Hit", "Rule"]
