"""Conversions of 32 values with a scale, random numbers and LDS counters: instructions that only builtins reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.program import Program

from ..matrix.test_matrix_reference import as_rows, executed, packed
from ..reference.assembly import assemble, kernel
from ..reference.matrix import decoded


@pytest.mark.parametrize("kind", ["fp6", "bf6"])
def test_packed_six_bit_floats_to_f32_and_back(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    codes, scales = rng.integers(0, 64, (64, 32)), rng.integers(120, 135, 64)
    rows = [(2, packed(codes, 6)), (10, (scales << 23).reshape(1, 64))]
    found = executed(f"v_cvt_scalef32_pk32_f32_{kind} v[64:95], v[2:7], v10", "gfx950", rows, 32, tmp_path)
    expected = (decoded(codes, kind) * 2.0 ** (scales - 127)[:, None]).astype(np.float32)
    np.testing.assert_array_equal(found.T.copy().view(np.float32), expected)
    rows = [(2, as_rows(expected)), (48, (scales << 23).reshape(1, 64)), (49, np.zeros((1, 64), np.uint32))]
    for text in (
        f"2xpk16_{kind}_f32 v[64:69], v[2:17], v[18:33], v48",
        f"sr_pk32_{kind}_f32 v[64:69], v[2:33], v49, v48",
    ):
        back = executed(f"v_cvt_scalef32_{text}", "gfx950", rows, 6, tmp_path)
        np.testing.assert_array_equal(back, packed(codes, 6))


def test_a_random_number_follows_from_the_one_before(tmp_path: Path, rng: np.random.Generator) -> None:
    seeds = rng.integers(0, 1 << 32, (1, 64))
    found = executed("v_prng_b32 v64, v2", "gfx950", [(2, seeds)], 1, tmp_path)
    np.testing.assert_array_equal(found, (seeds << 1 & 0xFFFFFFFF) ^ np.where(seeds >> 31, 197, 0))


def test_a_counter_in_lds_grows_and_shrinks_by_the_active_lanes(tmp_path: Path) -> None:
    body = [
        "  v_mov_b32 v1, 16",
        "  v_mov_b32 v2, 100",
        "  ds_write_b32 v1, v2",
        "  s_mov_b32 m0, 8",
        "  s_mov_b64 exec, 0x1f",
        "  ds_append v3 offset:8",
        "  s_mov_b64 exec, 0x3",
        "  ds_consume v4 offset:8",
        "  s_mov_b64 exec, -1",
        "  ds_read_b32 v5, v1",
        "  s_waitcnt 0",
        *(f"  global_store_dword v40, v{k}, s[44:45] offset:{256 * (k - 3)}" for k in (3, 4, 5)),
    ]
    out = np.zeros((3, 64), np.uint32)
    with Program(assemble(kernel(body, "gfx942"), "gfx942", tmp_path)) as program:
        program.run("main", 1, 64, [out, out])
    assert (out[0, :5] == 100).all()
    assert (out[1, :2] == 105).all()
    assert (out[2] == 103).all()
