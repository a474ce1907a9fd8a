"""Fly operations on numbers: tuples, layouts, views and memory."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import i32

from flydsl.base.errors import IRError, OutOfBoundsError
from flydsl.ir.interpret import Address, Memory, Tensor, known, run
from flydsl.ir.interpret.fly_operations import shared_memory
from flydsl.ir.interpret.thread import Block
from flydsl.ir.parse import parse_module
from flydsl.layout import Layout, Swizzle


def called(arguments: str, body: str, result: str, *values: Any) -> Any:
    text = f"func.func @f({arguments}) -> {result} {{ {body} func.return %r : {result} }}"
    return run(next(op for op in parse_module(text).walk() if op.name == "func.func"), values)[0]


def integers(count: int) -> Address:
    data = bytearray(b"".join(i.to_bytes(4, "little") for i in range(count)))
    return Address(Memory(data), 0, i32)


def test_dynamic_leaves_take_the_operands_in_order() -> None:
    body = """
      %t = fly.make_int_tuple(%x, %y) : (i32, i32) -> !fly.int_tuple<(4,(?,?))>
      %g = fly.get(%t) {mode = array<i32: 1, 1>} : (!fly.int_tuple<(4,(?,?))>) -> !fly.int_tuple<?>
      %r = fly.get_scalar(%g) : (!fly.int_tuple<?>) -> i32
    """
    assert called("%x: i32, %y: i32", body, "i32", 7, 9) == 9


def test_a_layout_maps_coordinates_to_indices() -> None:
    body = """
      %c = fly.make_coord(%i, %j) : (i32, i32) -> !fly.int_tuple<(?,?)>
      %l = fly.static : !fly.layout<(4,6):(6,1)>
      %k = fly.crd2idx(%c, %l) : (!fly.int_tuple<(?,?)>, !fly.layout<(4,6):(6,1)>) -> !fly.int_tuple<?>
      %r = fly.get_scalar(%k) : (!fly.int_tuple<?>) -> i32
    """
    for i in range(4):
        for j in range(6):
            assert called("%i: i32, %j: i32", body, "i32", i, j) == 6 * i + j


TENSOR = "!fly.memref<i32, global, (4,6):(6,1)>"


def test_a_slice_moves_the_tensor() -> None:
    body = f"""
      %c = fly.make_coord(%i) : (i32) -> !fly.int_tuple<(?,*)>
      %s = fly.slice(%t, %c) : ({TENSOR}, !fly.int_tuple<(?,*)>) -> !fly.memref<i32, global, 6:1>
      %r = fly.memref.load_vec(%s) : (!fly.memref<i32, global, 6:1>) -> vector<6xi32>
    """
    tensor = Tensor(integers(24), Layout((4, 6), (6, 1)))
    assert called(f"%t: {TENSOR}, %i: i32", body, "vector<6xi32>", tensor, 2) == [12, 13, 14, 15, 16, 17]


def test_a_coordinate_tensor_is_read_by_arithmetic() -> None:
    body = """
      %t = fly.static : !fly.coord_tensor<(10,20), (4,6):(1E0,1E1)>
      %c = fly.make_coord(%i) : (i32) -> !fly.int_tuple<(1,?)>
      %e = fly.memref.load(%t, %c) : (!fly.coord_tensor<(10,20), (4,6):(1E0,1E1)>, !fly.int_tuple<(1,?)>)
        -> !fly.int_tuple<(11,?)>
      %g = fly.get(%e) {mode = array<i32: 1>} : (!fly.int_tuple<(11,?)>) -> !fly.int_tuple<?>
      %r = fly.get_scalar(%g) : (!fly.int_tuple<?>) -> i32
    """
    assert called("%i: i32", body, "i32", 3) == 23


def test_pointers_move_by_elements_and_swizzles_permute_addresses() -> None:
    pointer = "!fly.ptr<i32, shared>"
    swizzled = "!fly.ptr<i32, shared, S<1,2,2>>"
    body = f"""
      %s = fly.static : !fly.swizzle<S<1,2,2>>
      %q = fly.apply_swizzle(%p, %s) : ({pointer}, !fly.swizzle<S<1,2,2>>) -> {swizzled}
      %o = fly.make_int_tuple(%i) : (i32) -> !fly.int_tuple<?>
      %m = fly.add_offset(%q, %o) : ({swizzled}, !fly.int_tuple<?>) -> {swizzled}
      %r = fly.ptr.load(%m) : ({swizzled}) -> i32
    """
    swizzle = Swizzle(1, 2, 2)
    found = [called(f"%p: {pointer}, %i: i32", body, "i32", integers(8), i) for i in range(8)]
    assert found == [swizzle(4 * i) // 4 for i in range(8)] != list(range(8))


def test_registers_are_fresh_in_every_call() -> None:
    layout, tensor = "!fly.layout<4:1>", "!fly.memref<i32, register, 4:1>"
    body = f"""
      %l = fly.static : {layout}
      %t = fly.memref.alloca(%l) : ({layout}) -> {tensor}
      fly.memref.store_vec(%v, %t) : (vector<4xi32>, {tensor}) -> ()
      %r = fly.memref.load_vec(%t) : ({tensor}) -> vector<4xi32>
    """
    assert called("%v: vector<4xi32>", body, "vector<4xi32>", [4, 3, 2, 1]) == [4, 3, 2, 1]


def test_dynamic_shared_memory_must_be_launched_with() -> None:
    body = "%r = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>"
    with pytest.raises(
        OutOfBoundsError, match="uses dynamic shared memory, of which the launch gives none; pass smem="
    ):
        called("", body, "!fly.ptr<i8, shared, align<1024>>")


def test_a_pointer_of_a_target_is_refused() -> None:
    with pytest.raises(IRError, match=r"fly.make_ptr of !fly.ptr<f32, global> is a target's own pointer and cannot be"):
        called("", "%r = fly.make_ptr() : () -> !fly.ptr<f32, global>", "!fly.ptr<f32, global>")


def test_shared_allocations_are_apart_and_made_once() -> None:
    block = Block()
    op = parse_module("%r = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>").body.block.first_op
    dynamic, static = shared_memory(block, None, 1500), shared_memory(block, op, 4)
    assert shared_memory(block, None, 8) is dynamic
    assert (dynamic.base, static.base, block.next_address) == (1024, 1024 + 2048, 1024 + 3072)
    assert len(dynamic.data) == 1500


def test_promises_reach_the_value() -> None:
    body = """
      %s = fly.assume(%x, %x) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<?{div=4}>
      %r = fly.get_scalar(%s) : (!fly.int_tuple<?{div=4}>) -> i32
    """
    assert called("%x: !fly.int_tuple<?>", body, "i32", known(12, 32, 1)) == 12
