"""Instructions that RDNA4 adds, by clang's builtins, against NumPy; and what the simulator refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from flydsl_hipsim.errors import CodeObjectError
from flydsl_hipsim.program import Program

CHIPS = ("gfx1201",)
LEVELS = pytest.mark.parametrize("level", [0, 2])
OLD = 0xDEAD


@LEVELS
def test_eight_bit_floats_of_the_ocp(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a = (rng.standard_normal((64, 4)) * 10.0 ** rng.integers(-2, 3, (64, 4))).astype(np.float32)
    a = np.clip(a, -448, 448)
    codes, back = np.zeros((64, 4), np.uint8), np.zeros_like(a)
    kernels("rdna", level).run("eight_bits", 1, 64, [a, codes, back])
    expected = a.astype(ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(codes, expected.view(np.uint8))
    np.testing.assert_array_equal(back, expected.astype(np.float32))


@LEVELS
def test_every_lane_of_a_row_chooses_another(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, which = (rng.integers(0, 2**32, 64, dtype=np.uint32) for _ in range(2))
    found, lane = np.zeros((64, 2), np.uint32), np.arange(64)
    kernels("rdna", level).run("rows_each", 1, 64, [a, which, found])
    source = (lane & ~15) + (which & 15)
    np.testing.assert_array_equal(found, np.stack([a[source], a[source ^ 16]], 1))


REFUSED = {
    "gfx1201": ("buffer_load_format_x v1, v2, s[4:7], null idxen", "ds_param_load v1, attr0.x wait_va_vdst:15"),
    "gfx1250": ("tensor_save s[4:5]", "tensor_stop"),
}


@pytest.mark.parametrize(("chip", "text"), [(chip, text) for chip, texts in REFUSED.items() for text in texts])
def test_an_instruction_that_is_not_there_is_refused_by_name_when_code_is_loaded(
    tmp_path: Path, chip: str, text: str
) -> None:
    source, target = tmp_path / "kernel.c", tmp_path / "kernel.o"
    source.write_text(f'__attribute__((amdgpu_kernel)) void kernel(void) {{ __asm__ volatile("{text}"); }}')
    command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-nogpulib", str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    with pytest.raises(CodeObjectError, match=rf"cannot execute '{text.split()[0]}.*it has no such instruction"):
        Program(target.read_bytes())
