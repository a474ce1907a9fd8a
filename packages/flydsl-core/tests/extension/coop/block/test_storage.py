"""Records in shared memory."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of
from flydsl.extension.coop.block.storage import array_of, raking_storage, warp_storage


def test_sizes_are_those_of_the_arrays() -> None:
    assert dsl_size_of(warp_storage(fx.Float32, 256, 64)) == 4 * 4
    raking = raking_storage(fx.Float64, 128, 32)
    assert (dsl_size_of(raking), dsl_align_of(raking)) == (129 * 8, 8)
    assert dsl_size_of(raking_storage(fx.Int16, 32, 32)) == 2 * 2


def test_what_is_no_storage_is_refused() -> None:
    for given in (None, 3, object()):
        with pytest.raises(TypeError, match="storage= is shared memory"):
            array_of(given, "slots", warp_storage(fx.Float32, 256, 64))
