"""Atomic operations, fences, and loads and stores with an ordering, under the name of the dialect that has them."""

from flydsl.expr.memory.atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_fmax,
    atomic_fmin,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xchg,
    atomic_xor,
    generic_load,
    generic_store,
    memory_fence,
)

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_fmax",
    "atomic_fmin",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xchg",
    "atomic_xor",
    "generic_load",
    "generic_store",
    "memory_fence",
]
