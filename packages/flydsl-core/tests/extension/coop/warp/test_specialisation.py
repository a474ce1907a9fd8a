"""The facts of algorithms of warps."""

from __future__ import annotations

from typing import Any

import flydsl.expr as fx
from flydsl.extension.coop.warp.specialisation import WarpSpecialisation


def test_facts_are_attributes_of_the_class() -> None:
    assert WarpSpecialisation(dtype=fx.Int32, width=8).attributes == {
        "dtype": fx.Int32,
        "width": 8,
        "items": 1,
        "value_dtype": None,
        "algorithm": None,
    }
    P: Any = fx.coop.WarpMergeSort[(fx.Int32, fx.Float32), 16, 4]
    assert (P.dtype, P.value_dtype, P.width, P.items) == (fx.Int32, fx.Float32, 16, 4)
    assert fx.coop.WarpReduceBatched[fx.Int32, 8, 3].batches == 3
    assert fx.coop.WarpReduce[fx.Int32] is fx.coop.WarpReduce[fx.Int32, None]
