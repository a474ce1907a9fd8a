"""Speed of the simulator of AMD GPUs on one thread: wave instructions and arithmetic a second, cost of loading.

Kernels are compiled with clang-22 for gfx942: an addition of a million numbers, and a tiled f16 product with MFMA.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from report import Row, main_options, report

from flydsl_hipsim.checks import CHECKS
from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program

SOURCE = r"""
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef float f16s __attribute__((ext_vector_type(16)));
typedef unsigned u32;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define LANE __builtin_amdgcn_workitem_id_x()
#define LDS __attribute__((loader_uninitialized)) __attribute__((address_space(3))) static
KERNEL add(float *a, float *b, float *c, u32 n) {
  u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + LANE;
  if (i < n) c[i] = a[i] + b[i];
}
LDS h4 rows[128], columns[128];
KERNEL gemm(h4 *a, h4 *b, float *c, u32 n, u32 k) {
  u32 lane = LANE, m0 = __builtin_amdgcn_workgroup_id_x() * 32, n0 = __builtin_amdgcn_workgroup_id_y() * 32;
  f16s sum = {};
  for (u32 kk = 0; kk < k; kk += 16) {
    u32 from = kk / 4 + (lane & 1) * 2, row = lane / 2;
    rows[lane] = a[(m0 + row) * k / 4 + from], rows[lane + 64] = a[(m0 + row) * k / 4 + from + 1];
    columns[lane] = b[(n0 + row) * k / 4 + from], columns[lane + 64] = b[(n0 + row) * k / 4 + from + 1];
    __builtin_amdgcn_s_barrier();
    for (u32 s = 0; s < 2; ++s) {
      u32 quad = s * 2 + lane / 32, at = (lane & 31) * 2 + (quad >> 1) + (quad & 1) * 64;
      sum = __builtin_amdgcn_mfma_f32_32x32x8f16(rows[at], columns[at], sum, 0, 0, 0);
    }
    __builtin_amdgcn_s_barrier();
  }
  for (int v = 0; v < 16; ++v) c[(m0 + 8 * (v / 4) + 4 * (lane / 32) + v % 4) * n + n0 + (lane & 31)] = sum[v];
}
"""


def compiled() -> bytes:
    """The code object of SOURCE."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernels.c"), Path(folder, "kernels.o")
        source.write_text(SOURCE)
        options = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O3"]
        subprocess.run(["clang-22", *options, str(source), "-o", str(target)], check=True)
        return target.read_bytes()


def measured(
    program: Program, kernel: str, grid: Any, block: int, args: Sequence[Any], check: str = ""
) -> tuple[float, float]:
    """(processor seconds, wave instructions) of the best of five runs on one thread."""
    counts, times = load_library().flysim_instruction_count, []
    for _ in range(5):
        before, begin = counts(), time.process_time()
        program.run(kernel, grid, block, args, threads=1, check=check)
        times.append(time.process_time() - begin)
    return min(times), counts() - before


def main() -> None:
    options = main_options(__doc__)
    random, data = np.random.default_rng(1), compiled()
    begin = time.perf_counter()
    program = Program(data)
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    Program(data).close()
    again = time.perf_counter() - begin
    n, size = 1 << 20, 256
    a, b = (random.standard_normal(n).astype(np.float32) for _ in range(2))
    seconds, instructions = measured(program, "add", n // 256, 256, [a, b, np.zeros_like(a), n])
    x, y = (random.integers(-4, 5, (size, size)).astype(np.float16) for _ in range(2))
    tiles, out = (size // 32, size // 32), np.zeros((size, size), np.float32)
    matrix_seconds, matrix_instructions = measured(program, "gemm", tiles, 64, [x, y, out, size, size])
    assert np.array_equal(out, x.astype(np.float32) @ y.astype(np.float32).T)
    rows = [
        Row("load a code object, first", first * 1e3, "ms"),
        Row("load a code object, again", again * 1e3, "ms"),
        Row("add: wave instructions", instructions / seconds / 1e6, "M/s"),
        Row("gemm: wave instructions", matrix_instructions / matrix_seconds / 1e6, "M/s"),
        Row("gemm: arithmetic", 2 * size**3 / matrix_seconds / 1e9, "GFLOP/s"),
    ]
    for check in (*CHECKS, "all"):
        for name, plain, call in (
            ("add", seconds, ("add", n // 256, 256, [a, b, np.zeros_like(a), n])),
            ("gemm", matrix_seconds, ("gemm", tiles, 64, [x, y, out, size, size])),
        ):
            rows.append(Row(f"{name}: time with check={check}", measured(program, *call, check)[0] / plain, "x"))
    report("Simulated gfx942 on one thread", rows, options)


if __name__ == "__main__":
    main()
