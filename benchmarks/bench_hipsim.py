"""Speed of the simulator of AMD GPUs on one thread: wave instructions and arithmetic a second, loads, launches.

Kernels are compiled with clang-22: an addition of a million numbers, and an f16 product with MFMA or WMMA.
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
#ifdef __GFX9__
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
#else
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef float f8 __attribute__((ext_vector_type(8)));
KERNEL gemm(h8 *a, h8 *b, float *c, u32 n, u32 k) {
  u32 lane = LANE, m0 = __builtin_amdgcn_workgroup_id_x() * 16, n0 = __builtin_amdgcn_workgroup_id_y() * 16;
  u32 row = lane & 15, half = lane / 16;
  f8 sum = {};
  for (u32 kk = half; kk < k / 8; kk += 2) {
    h8 x = a[(m0 + row) * k / 8 + kk], y = b[(n0 + row) * k / 8 + kk];
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x, y, sum);
  }
  for (int v = 0; v < 8; ++v) c[(m0 + v + 8 * half) * n + n0 + row] = sum[v];
}
#endif
"""

CHIPS = {"gfx942": (32, 64), "gfx1201": (16, 32)}
"""Of each chip: rows and columns that a workgroup of `gemm` makes, its threads."""


def compiled(chip: str) -> bytes:
    """The code object of SOURCE."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernels.c"), Path(folder, "kernels.o")
        source.write_text(SOURCE)
        options = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-nogpulib", "-O3"]
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


def shortest_launch(program: Program, threads: int) -> float:
    """Seconds of the shortest of many launches of four workgroups."""
    a, times = np.zeros(1024, np.float32), []
    for _ in range(300):
        begin = time.perf_counter()
        program.run("add", 4, 256, [a, a, a, a.size], threads=threads)
        times.append(time.perf_counter() - begin)
    return min(times)


def calls(chip: str, random: np.random.Generator) -> dict[str, tuple[str, Any, int, list[Any]]]:
    """By a name: kernel, grid, block and arguments."""
    n, size, (tile, threads) = 1 << 20, 256, CHIPS[chip]
    a, b = (random.standard_normal(n).astype(np.float32) for _ in range(2))
    x, y = (random.integers(-4, 5, (size, size)).astype(np.float16) for _ in range(2))
    tiles, out = (size // tile, size // tile), np.zeros((size, size), np.float32)
    return {
        "add": ("add", n // 256, 256, [a, b, np.zeros_like(a), n]),
        "gemm": ("gemm", tiles, threads, [x, y, out, size, size]),
    }


def speeds(program: Program, chip: str, random: np.random.Generator) -> tuple[list[Row], dict[str, float]]:
    """Rows of a chip's kernels, and the seconds of each."""
    rows, taken = [], {}
    for name, call in calls(chip, random).items():
        taken[name], instructions = measured(program, *call)
        rows.append(Row(f"{chip}, {name}: wave instructions", instructions / taken[name] / 1e6, "M/s"))
    x, y, out, size, _ = call[3]
    assert np.array_equal(out, x.astype(np.float32) @ y.astype(np.float32).T)
    rows.append(Row(f"{chip}, gemm: arithmetic", 2 * size**3 / taken["gemm"] / 1e9, "GFLOP/s"))
    return rows, taken


def main() -> None:
    options = main_options(__doc__)
    random, data = np.random.default_rng(1), compiled("gfx942")
    begin = time.perf_counter()
    program = Program(data)
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    Program(data).close()
    again = time.perf_counter() - begin
    rows = [
        Row("load a code object, first", first * 1e3, "ms"),
        Row("load a code object, again", again * 1e3, "ms"),
        Row("launch four small workgroups, one thread", shortest_launch(program, 1) * 1e6, "us"),
        Row("launch four small workgroups, all threads", shortest_launch(program, 0) * 1e6, "us"),
    ]
    made, plain = speeds(program, "gfx942", random)
    rows += made + speeds(Program(compiled("gfx1201")), "gfx1201", random)[0]
    for check in (*CHECKS, "all"):
        for name, call in calls("gfx942", random).items():
            taken = measured(program, *call, check)[0]
            rows.append(Row(f"gfx942, {name}: time with check={check}", taken / plain[name], "x"))
    report("Simulated GPUs on one thread", rows, options)


if __name__ == "__main__":
    main()
