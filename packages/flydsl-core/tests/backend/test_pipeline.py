"""A predicated tiled vector add keeps its meaning through every pass and ends in pointer operations."""

from __future__ import annotations

import numpy as np
import pytest
from pass_programs import SURVIVORS, Kernel, contents, execute, kernel_of, op_names, stages_of, tensor
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, f32, i1, i32

import flydsl.layout as fl
from flydsl.backend.pipeline import with_options
from flydsl.ir import fly
from flydsl.ir.fly.attributes import GLOBAL, REGISTER
from flydsl.ir.fly.types import (
    CopyAtomType,
    LayoutType,
    MemRefType,
    TiledCopyType,
    TileType,
    UniversalCopyType,
)

TENSOR = MemRefType(f32, GLOBAL, fl.parse_layout("(?,?):(?{i64},1)"))
ATOM = CopyAtomType(UniversalCopyType(128), 32)
TILED = TiledCopyType(ATOM, LayoutType(fl.parse_layout("((4,8),4):((32,1),8)")), TileType(fl.parse_tile("[8|16]")))
FLAG = fl.parse_layout("(1,1,1):(0,0,0)")
STAR = fl.STAR


def vector_add() -> Kernel:
    k = Kernel(TENSOR, TENSOR, TENSOR, TILED)
    a, b, c, tiled = k.args
    shape = k.fly("get_shape", c)
    coords = k.fly("make_view", k.static((0, 0)), k.fly("make_identity_layout", shape))
    block = k.coord((STAR, STAR, fl.Dyn(), fl.Dyn()), k.index("block_id", "X"), k.index("block_id", "Y"))
    thread, tile = k.coord(fl.Dyn(), k.index("thread_id")), k.static(fl.parse_tile("[8|16]"))
    parts = []
    for name, whole in (("src", a), ("src", b), ("dst", c), ("src", coords)):
        mine = k.fly("slice", k.fly("flat_divide", whole, tile), block)
        parts.append(k.fly(f"tiled_copy.partition_{name}", tiled, mine, thread))
    part_a, part_b, part_c, part_coords = parts
    frag_a, frag_b, frag_c = (k.fly("make_fragment_like", part) for part in parts[:3])
    pred = k.op(fly.MemrefAllocaOp, [k.static(FLAG)], MemRefType(i1, REGISTER, FLAG))
    zero = k.static(0)
    inside = k.fly("elem_less", k.fly("memref.load", part_coords, zero), shape)
    k.effect("memref.store", inside, pred, zero)
    atom = k.op(fly.MakeCopyAtomOp, [], ATOM, attributes={"valBits": IntegerAttr(32, i32)})
    k.effect("copy", atom, part_a, frag_a, pred)
    k.effect("copy", atom, part_b, frag_b, pred)
    left, right = k.fly("memref.load_vec", frag_a), k.fly("memref.load_vec", frag_b)
    k.effect("memref.store_vec", k.op(arith.AddfOp, [left, right], left.type), frag_c)
    k.effect("copy", atom, frag_c, part_c, pred)
    return k


@pytest.fixture(scope="module")
def stages() -> dict[str, object]:
    return {f"{index} {name}": module for index, (name, module) in enumerate(stages_of(vector_add().module()))}


def test_every_stage_adds_what_is_inside_and_nothing_else(stages: dict[str, object]) -> None:
    rng = np.random.default_rng(5)
    rows, columns, pitch = 11, 20, 28
    layout = fl.Layout((rows, columns), (pitch, 1))
    for name, module in stages.items():
        arrays = [rng.standard_normal(rows * pitch).astype(np.float32) for _ in range(3)]
        arguments = [tensor(array, TENSOR, layout) for array in arrays]
        execute(module, [*arguments, (TILED, TILED)], threads=32, blocks=(2, 2))  # type: ignore[arg-type]
        expected = arrays[2].copy().reshape(rows, pitch)
        total = arrays[0].astype(np.float64) + arrays[1]
        expected[:, :columns] = total.astype(np.float32).reshape(rows, pitch)[:, :columns]
        np.testing.assert_array_equal(contents(arguments[2][0].iter, np.float32), expected.ravel(), err_msg=name)


def test_static_arguments_take_no_slot_and_tensors_take_two(stages: dict[str, object]) -> None:
    types = [str(arg.type) for arg in kernel_of(stages["1 fly-rewrite-func-signature"]).regions[0].block.args]  # type: ignore[arg-type]
    leaves = "!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>"
    assert types == ["!fly.ptr<f32, global>", leaves] * 3


def test_only_pointer_operations_remain(stages: dict[str, object]) -> None:
    *_, final = stages.values()
    names = op_names(final)  # type: ignore[arg-type]
    assert {name for name in names if name.startswith("fly.")} <= SURVIVORS
    assert "fly.make_ptr" not in names


def test_options_that_say_nothing_are_left_out() -> None:
    assert with_options("a-pass", {"one": 0, "two": 2, "three": "", "four": "x"}) == "a-pass{two=2 four=x}"
    assert with_options("a-pass", {"one": 0}) == "a-pass"
