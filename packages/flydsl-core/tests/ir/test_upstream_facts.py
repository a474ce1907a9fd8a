"""The table of upstream operations names operations that exist, and says nothing that a class says already."""

from __future__ import annotations

import pytest
from effects_cases import last_op
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind

from flydsl.ir.context import create_context
from flydsl.ir.fly.effects import OUTSIDE
from flydsl.ir.upstream_facts import DEVICE_ONLY, PURE_OPERATIONS, is_pure_name, upstream_effects

READ, WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@pytest.mark.parametrize("name", DEVICE_ONLY)
def test_device_only_operations_exist(name: str) -> None:
    assert create_context().get_op(name).name == name


@pytest.mark.parametrize("name", sorted(PURE_OPERATIONS))
def test_pure_operations_exist_and_their_classes_do_not_say_it(name: str) -> None:
    op_class = create_context().get_op(name)
    assert not any(isinstance(trait, MemoryEffect) for trait in op_class.traits)
    assert is_pure_name(name)
    assert upstream_effects(name) is not None


@pytest.mark.parametrize(
    "name", ["gpu.shuffle", "llvm.intr.assume", "llvm.anything", "vector.anything", "arith.anything"]
)
def test_effects_of_operations_that_nobody_describes_are_unknown(name: str) -> None:
    assert not is_pure_name(name)
    assert upstream_effects(name) is None


@pytest.mark.parametrize(
    "text, types, expected",
    [
        ('"llvm.store"(%1, %0) : (i32, !llvm.ptr) -> ()', ["!llvm.ptr", "i32"], [WRITE]),
        ('%r = "llvm.atomicrmw"(%0, %1) : (!llvm.ptr, i32) -> i32', ["!llvm.ptr", "i32"], [READ, WRITE]),
        ('%r = "llvm.cmpxchg"(%0, %1, %1) : (!llvm.ptr, i32, i32) -> i32', ["!llvm.ptr", "i32"], [READ, WRITE]),
        ('%r = "llvm.load"(%0) {ordering = 0 : i64} : (!llvm.ptr) -> i32', ["!llvm.ptr"], [READ]),
        ('%r = "llvm.load"(%0) {ordering = 5 : i64} : (!llvm.ptr) -> i32', ["!llvm.ptr"], [READ, None]),
        ('%r = "llvm.load"(%0) {volatile_} : (!llvm.ptr) -> i32', ["!llvm.ptr"], [READ, None]),
    ],
)
def test_memory_operations_name_the_address(
    text: str, types: list[str], expected: list[MemoryEffectKind | None]
) -> None:
    op = last_op(text, *types)
    address = next(value for value in op.operands if str(value.type) == "!llvm.ptr")
    tell = upstream_effects(op.name)
    assert tell is not None
    assert tell(op) == {OUTSIDE if kind is None else EffectInstance(kind, address) for kind in expected}
