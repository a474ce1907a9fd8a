"""IR types by their parameters, and their parameters by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

import flydsl.expr as fx
import flydsl.layout as fl
from flydsl.base.errors import FrontendError, IRError
from flydsl.expr.targets.ir_types import IR_TYPES

CASES = [
    (lambda: fx.IntTupleType.get((4, (2, None))), "!fly.int_tuple<(4,(2,*))>", {"rank": 2, "depth": 2}),
    (lambda: fx.IntTupleType.get(7), "!fly.int_tuple<7>", {"is_leaf_int": True, "get_static_leaf_int": 7}),
    (lambda: fx.IntTupleType.get(fx.E(1)), "!fly.int_tuple<1E1>", {"is_leaf_basis": True, "is_leaf_int": False}),
    (lambda: fx.IntTupleType.get(fx.E(1)).get_leaf_as_basis, "!fly.basis<1E1>", {"modes": (1,), "is_static": True}),
    (lambda: fx.LayoutType.get((4, 8)), "!fly.layout<(4,8):(1,4)>", {"is_leaf": False, "is_static_shape": True}),
    (lambda: fx.LayoutType.get((4, 8), (8, 1)).stride, "!fly.int_tuple<(8,1)>", {"is_static": True}),
    (lambda: fx.SwizzleType.get(3, 4, 3), "!fly.swizzle<S<3,4,3>>", {"mask": 3, "base": 4, "shift": 3}),
    (
        lambda: fx.CoordSwizzleType.get(2, 0, 0, 1, (1, 0)),
        "!fly.coord_swizzle<CS<2,0,[0],1,[1, 0]>>",
        {"mode_row": (0,), "mode_col": (1, 0), "base_row": 0, "base_col": 1, "mask": 2},
    ),
    (
        lambda: fx.ComposedLayoutType.get(fx.SwizzleType.get(2, 0, 3), 5, fl.Layout((8, 8), (8, 1))),
        "!fly.composed_layout<S<2,0,3> o 5 o (8,8):(8,1)>",
        {"is_static_inner": True, "is_static_offset": True, "is_static_outer": True, "rank": 2},
    ),
    (lambda: fx.TileType.get([4, None, fl.Layout(4, 2)]), "!fly.tile<[4|*|4:2]>", {"rank": 3, "is_leaf": False}),
    (
        lambda: fx.PointerType.get(fx.BFloat16, fx.AddressSpace.Shared, 16, fx.SwizzleType.get(3, 4, 3)),
        "!fly.ptr<bf16, shared, align<16>, S<3,4,3>>",
        {"alignment": 16, "typeid": "fly.ptr", "static_typeid": "fly.ptr"},
    ),
    (
        lambda: fx.MemRefType.get(fx.T.f32, fx.LayoutType.get((2, 4), (4, 1)), fx.AddressSpace.Register),
        "!fly.memref<f32, register, (2,4):(4,1)>",
        {"leading_dim": 1, "alignment": 4},
    ),
    (
        lambda: fx.CoordTensorType.get((0, 0), fl.make_identity_layout((4, 8))),
        "!fly.coord_tensor<(0,0), (4,8):(1E0,1E1)>",
        {"rank": 2, "depth": 1, "is_static": True, "is_leaf": False},
    ),
    (lambda: fx.MmaOpUniversalFMAType.get(fx.Float32), "!fly.universal_fma<1x1x1, (f32, f32) -> f32>", {}),
]


@pytest.mark.parametrize("make, text, members", CASES, ids=[text for _, text, _ in CASES])
def test_types_by_parameters(make, text, members):
    kind = make()
    assert str(kind) == text
    assert {name: getattr(kind, name) for name in members} == members


def test_modes_of_types():
    assert fx.IntTupleType.get((4, (2, 3))).at(1) == fx.IntTupleType.get((2, 3))
    assert fx.TileType.get([4, fl.Layout(4, 2)]).at(1) == fx.LayoutType.get(4, 2)


def test_atoms_of_types():
    copy = fx.CopyAtomType.get(fx.CopyOpUniversalCopyType.get(128), 32)
    assert (str(copy.copy_op), copy.val_bits) == ("!fly.universal_copy<128>", 32)
    assert copy.tv_layout_src == copy.tv_layout_dst == copy.tv_layout_ref == fx.LayoutType.get((1, 4), (1, 1))
    mma = fx.MmaAtomType.get(fx.MmaOpUniversalFMAType.get(fx.Float64))
    assert mma.shape_mnk == fx.IntTupleType.get((1, 1, 1))
    assert mma.thr_layout == fx.LayoutType.get(1, 1)
    assert mma.tv_layout_a == mma.tv_layout_b == mma.tv_layout_c
    assert str(mma.mma_op.elem_ty) == "f64"
    tiled = fx.TiledMmaType(mma, fx.LayoutType.get((4, 2, 1), (1, 4, 0)))
    assert tiled.tile_size_mnk == fx.IntTupleType.get((4, 2, 1))
    assert tiled.permutation is None
    assert fl.size(tiled.thr_layout_vmnk.value) == 8
    assert {tiled.tiled_tv_layout_a.rank, tiled.tiled_tv_layout_b.rank, tiled.tiled_tv_layout_c.rank} == {2}
    made = fx.TiledCopyType(copy, fx.LayoutType.get((8, 4), (4, 1)), fx.TileType.get([32]))
    assert made.copy_atom == copy
    assert made.tiled_tv_layout_src == made.tiled_tv_layout_dst
    assert fl.size(made.tiled_tv_layout_src.value) == 32


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: fx.PointerType.get("f32"), "numeric type"),
        (lambda: fx.PointerType.get(fx.Float32, "somewhere"), "no address space"),
        (lambda: fx.PointerType.get(fx.Float32, fx.AddressSpace.Global, 6), "multiple of 4 bytes"),
        (lambda: fx.IntTupleType.get((1, 2)).get_static_leaf_int, "no static integer"),
        (lambda: fx.IntTupleType.get(3).get_leaf_as_basis, "no basis element"),
    ],
)
def test_what_types_refuse(make, message):
    with pytest.raises((FrontendError, IRError), match=message):
        make()


def test_address_spaces():
    shared = fx.PointerType.get(fx.Int8, fx.AddressSpace.Shared).address_space
    assert fx.typing.is_generic_address_space(shared, fx.AddressSpace.Shared)
    assert not fx.typing.is_generic_address_space(shared, fx.AddressSpace.Global)
    assert not fx.typing.is_target_address_space(shared, fx.AddressSpace.Shared)
    assert fx.typing.is_target_address_space(fx.T.i32, type(fx.T.i32))


def test_types_by_name():
    assert str(fx.T.vec(3, fx.Uint16)) == "vector<3xi16>"
    assert [str(getattr(fx.T, name)) for name in ("bf16", "index", "i128", "i8x16", "f16x2")] == [
        *("bf16", "index", "i128", "vector<16xi8>", "vector<2xf16>")
    ]
    assert {str(kind.ir_type) for kind in (fx.Int32, fx.Uint32)} == {"i32"}
    assert fx.Numeric.from_ir_type(fx.T.i64) is fx.Int64
    with pytest.raises(FrontendError, match="abstract"):
        _ = fx.Integer.ir_type


def test_names_of_types_are_there_without_the_ir():
    code = "import sys, flydsl.expr as fx, flydsl.expr.primitive as p; assert 'xdsl' not in sys.modules; "
    code += f"assert all(getattr(fx, n) is getattr(p, n) for n in {sorted(IR_TYPES)!r}); assert 'xdsl' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
