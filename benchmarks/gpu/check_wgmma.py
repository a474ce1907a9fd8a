"""Products of warp groups on a GPU of sm_90a: every kind of element, majors, swizzles and places of A, against float64.

python benchmarks/gpu/check_wgmma.py                    # where FlyDSL is installed with a compiler
python benchmarks/gpu/check_wgmma.py fill FOLDER        # where there is no GPU: compiles everything into FOLDER,
python benchmarks/gpu/check_wgmma.py run FOLDER         # which this runs where there is no compiler
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from offline import parser, run_or_fill
from product_cases import Case, sums_of, wrong_cases

ROWS, THREADS = 64, 128
CASES: tuple[Case, ...] = (
    *({"dtype": "bfloat16", "n": n, "depth": 64} for n in (8, 64, 256)),
    *({"dtype": "float16", "n": 64, "depth": depth} for depth in (16, 32, 48, 128, 192)),  # rows of 32 to 128 bytes
    *({"dtype": "bfloat16", "n": n, "depth": 48, "majors": "mn"} for n in (256, 96, 48, 24)),
    {"dtype": "bfloat16", "n": 40, "depth": 32, "majors": "mn", "a": "reg"},
    {"dtype": "float16", "n": 128, "depth": 64, "acc": "float16"},
    {"dtype": "float16", "n": 128, "depth": 64, "acc": "float16", "a": "reg"},
    {"dtype": "bfloat16", "n": 64, "depth": 80, "a": "reg"},
    *({"dtype": "float32", "n": 96, "depth": depth} for depth in (8, 32, 64)),
    {"dtype": "float32", "n": 96, "depth": 32, "a": "reg"},
    *({"dtype": kind, "n": 64, "depth": 128} for kind in ("float8_e4m3fn", "float8_e5m2", "int8")),
    *({"dtype": kind, "n": 64, "depth": 96, "a": "reg"} for kind in ("float8_e4m3fn", "float8_e5m2", "int8")),
    {"dtype": "float8_e4m3fn", "n": 32, "depth": 64, "acc": "float16"},
)


def product(case: Case) -> Callable[..., None]:
    """The function that multiplies (64, depth) by (n, depth)."""
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    kinds = {
        "bfloat16": fx.BFloat16,
        "float16": fx.Float16,
        "float32": fx.Float32,
        "float8_e4m3fn": fx.Float8E4M3FN,
        "float8_e5m2": fx.Float8E5M2,
        "int8": fx.Int8,
        "int32": fx.Int32,
    }
    dtype, n, depth = kinds[case["dtype"]], case["n"], case["depth"]
    acc, a_from, majors = kinds[sums_of(case)], case.get("a", "smem"), case.get("majors", "k")
    major_a = "k" if a_from == "reg" else majors

    def staged(source: fx.Tensor, major: str, rows: int) -> fx.Tensor:
        memory = fx.SharedAllocator().allocate(fx.Array[dtype, rows * depth, 1024])
        shared = memory.view(fx.nvvm.smem_layout(major, dtype, (rows, depth)))
        for index in range(fx.thread_idx.x, rows * depth, THREADS):
            shared[index // depth, index % depth] = source[index // depth, index % depth]
        return shared

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        shared_a, shared_b = staged(a, major_a, ROWS), staged(b, majors, n)
        fx.nvvm.fence_proxy_async()
        fx.barrier()
        atom = fx.nvvm.sm90.WGMMA(n, 256 // dtype.width, dtype, acc, a=a_from, major_a=major_a, major_b=majors)
        mma = fx.make_tiled_mma(fx.make_mma_atom(atom), fx.make_layout((1, 1, 1)))
        thread = mma.get_slice(fx.thread_idx.x)
        tile = fx.flat_divide(c, (ROWS, n))[None, None, 0, 0]
        part_a, part_b, part_c = thread.partition_A(shared_a), thread.partition_B(shared_b), thread.partition_C(tile)
        sums = mma.make_fragment_C(part_c)
        sums.fill(0)
        if fx.const_expr(a_from == "reg"):
            registers = mma.make_fragment_A(part_a)
            registers.store(part_a.load())
            part_a = registers
        fx.gemm(mma, sums, part_a, part_b, sums)
        fx.nvvm.sm90.wgmma_commit()
        fx.nvvm.sm90.wgmma_wait()
        part_c.store(sums.load())

    @flyc.jit
    def multiply(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        kernel(a, b, c).launch(grid=1, block=THREADS)

    return multiply


def shapes(case: Case) -> tuple[tuple[int, int], ...]:
    """Of A, B and C."""
    return (ROWS, case["depth"]), (case["n"], case["depth"]), (ROWS, case["n"])


def main() -> int:
    return run_or_fill(parser(__doc__), run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every case."""
    from memory import Memory

    for case in CASES:
        kinds = (case["dtype"], case["dtype"], sums_of(case))
        product(case)(*(Memory(shape, kind) for shape, kind in zip(shapes(case), kinds, strict=True)))
        print(f"compiled {case}", flush=True)


def run(given: argparse.Namespace) -> int:
    """Run every case; the number of those that are wrong."""
    return min(wrong_cases(CASES, error_of), 100)


def error_of(case: Case) -> float:
    """The relative error against float64; that of NaN where something is not written."""
    import torch
    from memory import Memory

    torch.manual_seed(case["n"] + case["depth"])
    a, b, c = (torch.empty(shape, device="cuda") for shape in shapes(case))
    dtype, acc = getattr(torch, case["dtype"]), getattr(torch, sums_of(case))
    if dtype is torch.int8:
        a, b = (torch.randint(-128, 128, matrix.shape, device="cuda").to(dtype) for matrix in (a, b))
        c = torch.full_like(c, -1).to(acc)
    else:
        a, b = (torch.randn(matrix.shape, device="cuda").to(dtype) for matrix in (a, b))
        c = torch.full_like(c, float("nan")).to(acc)
    product(case)(*(Memory.of(matrix) for matrix in (a, b, c)))
    torch.cuda.synchronize()
    expected = a.double() @ b.double().t()
    return float((c.double() - expected).norm() / expected.norm())


if __name__ == "__main__":
    sys.exit(main())
