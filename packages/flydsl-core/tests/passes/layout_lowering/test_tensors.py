"""Tensors without copies: coordinates, fragments, and what cannot be lowered."""

from __future__ import annotations

import numpy as np
import pytest
from pass_programs import Kernel, effect_of, memory
from xdsl.dialects.builtin import DenseArrayBase, i32

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout
STAR = fl.STAR


def test_register_tensors_need_a_static_layout() -> None:
    k = Kernel(memory(L("(4,?):(1,4)")))
    k.fly("make_fragment_like", k.args[0])
    with pytest.raises(IRError, match="static layout"):
        run_passes(k.module(), "fly-layout-lowering")


def test_fly_arguments_must_be_rewritten_first() -> None:
    k = Kernel(memory(L("(4,?):(1,4)")))
    k.fly("get_shape", k.args[0])
    module = k.module()
    with pytest.raises(IRError, match="run fly-rewrite-func-signature first"):
        run_passes(module, "fly-layout-lowering")


def test_coordinate_tensors_give_their_coordinates() -> None:
    k = Kernel(memory(L("2:1"), i32), i32, i32)
    coords = k.fly(
        "make_view", k.static((0, 0)), k.fly("make_identity_layout", k.coord((fl.Dyn(), fl.Dyn()), *k.args[1:]))
    )
    tile = k.fly(
        "slice",
        k.fly("flat_divide", coords, k.static(fl.parse_tile("[4|2]"))),
        k.coord((STAR, STAR, fl.Dyn(), fl.Dyn()), *k.args[1:]),
    )
    found = k.fly("memref.load", tile, k.static((3, 1)))
    for mode in range(2):
        part = k.fly("get_scalar", k.fly("get", found, mode=DenseArrayBase.from_list(i32, [mode])))
        k.effect("memref.store", part, k.args[0], k.static(mode))
    out = effect_of(k, [np.zeros(2, np.int32)], [L("2:1")], [(5, i32), (7, i32)])[0]
    assert out.tolist() == [5 * 4 + 3, 7 * 2 + 1]
