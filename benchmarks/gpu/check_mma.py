"""Products of warps on a GPU: every kind of element, and the ways in and out of shared memory, against float64.

    python benchmarks/gpu/check_mma.py                    # where FlyDSL is installed with a compiler
    python benchmarks/gpu/check_mma.py fill FOLDER        # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/check_mma.py run FOLDER         # which this runs where there is no compiler

Operands go by asynchronous copies to shared memory, from there by `ldmatrix` or plain loads to the registers; results
back by `stmatrix` or plain stores. Behind the table is the speed of the example against cuBLAS.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from offline import medians, parser, run_or_fill
from product_cases import Case, sums_of, wrong_cases

M, N, K, THREADS = 64, 64, 64, 128
CASES: tuple[Case, ...] = (
    *({"dtype": "float16", "k": k, "acc": acc} for k in (8, 16) for acc in ("float16", "float32")),
    *({"dtype": "bfloat16", "k": k} for k in (8, 16)),
    *({"dtype": "float32", "k": k} for k in (4, 8)),
    *({"dtype": "int8", "k": k} for k in (16, 32)),
    *(
        {"dtype": a, "b": b, "k": 32}
        for a in ("float8_e4m3fn", "float8_e5m2")
        for b in ("float8_e4m3fn", "float8_e5m2")
    ),
    *({"dtype": "float16", "k": 16, "copy": bits} for bits in (32, 64, 128)),
    *({"dtype": "bfloat16", "k": 16, "copy": 128, "load": num} for num in (1, 2, 4)),
    *({"dtype": "float16", "k": 16, "load": num, "majors": "mn"} for num in (1, 2, 4)),
    {"dtype": "int8", "k": 32, "copy": 128, "load": 4},
    {"dtype": "float8_e4m3fn", "k": 32, "copy": 128, "load": 4},
    *({"dtype": "float16", "k": 16, "acc": "float16", "store": num} for num in (1, 2, 4)),
    *({"dtype": "float16", "k": 16, "acc": "float16", "store": num, "across": True} for num in (1, 2, 4)),
)
"""`copy`: bits of an asynchronous copy; `load`, `store`: matrices of an `ldmatrix` or `stmatrix`, the latter `across`
for results in columns; `majors` "mn": neighbours in shared memory are along M or N.
"""
SIZES = ((1, 8, 8), (129, 264, 72), (1001, 776, 4104), (1024, 1024, 1024), (4096, 4096, 4096), (8192, 8192, 8192))
ROUNDS, LAUNCHES = 9, 4


def product(case: Case) -> Callable[..., None]:
    """The function that multiplies (64, 64) by (64, 64)."""
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    *kinds, acc = (element(name) for name in types_of(case))
    bits, load, store = case.get("copy", 0), case.get("load", 0), case.get("store", 0)
    by_columns, across = case.get("majors", "k") == "mn", case.get("across", False)

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        thread = fx.thread_idx.x
        tiles = [staged(source, dtype, bits, by_columns) for source, dtype in zip((a, b), kinds, strict=True)]
        fx.barrier()
        atom = fx.make_mma_atom(fx.nvvm.MMA(16, 8, case["k"], tuple(kinds), acc))
        mma = fx.make_tiled_mma(atom, fx.make_layout((2, 2, 1), (1, 2, 0)), fx.make_tile(32, 32, case["k"]))
        own = mma.get_slice(thread)
        held_a, held_b, sums = mma.make_fragment_A(a), mma.make_fragment_B(b), mma.make_fragment_C(c)
        sums.fill(0)
        if fx.const_expr(load):
            reads = [fx.make_copy_atom(fx.nvvm.LdMatrix(load, trans=by_columns), dtype) for dtype in kinds]
            copy_a = fx.make_tiled_copy_A(reads[0], mma).get_slice(thread)
            copy_b = fx.make_tiled_copy_B(reads[1], mma).get_slice(thread)
            fx.copy(reads[0], copy_a.partition_S(tiles[0]), copy_a.retile(held_a))
            fx.copy(reads[1], copy_b.partition_S(tiles[1]), copy_b.retile(held_b))
        else:
            fx.copy(fx.make_copy_atom(fx.UniversalCopy(kinds[0].width), kinds[0]), own.partition_A(tiles[0]), held_a)
            fx.copy(fx.make_copy_atom(fx.UniversalCopy(kinds[1].width), kinds[1]), own.partition_B(tiles[1]), held_b)
        fx.gemm(mma, sums, held_a, held_b, sums)
        if fx.const_expr(store):
            strides = (1, M) if across else (N, 1)
            tile = fx.SharedAllocator().allocate(fx.Array[acc, M * N, 128]).view(fx.make_layout((M, N), strides))
            write = fx.make_copy_atom(fx.nvvm.StMatrix(store, trans=across), acc)
            copy_c = fx.make_tiled_copy_C(write, mma).get_slice(thread)
            fx.copy(write, copy_c.retile(sums), copy_c.partition_D(tile))
            fx.barrier()
            for index in range(thread, M * N, THREADS):
                c[index // N, index % N] = tile[index // N, index % N]
        else:
            fx.copy(fx.make_copy_atom(fx.UniversalCopy(acc.width), acc), sums, own.partition_C(c))

    @flyc.jit
    def multiply(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        kernel(a, b, c).launch(grid=1, block=THREADS)

    return multiply


def element(name: str) -> Any:
    """The type of the language with one of torch's names."""
    import flydsl.expr as fx

    names = {"float8_e4m3fn": fx.Float8E4M3FN, "float8_e5m2": fx.Float8E5M2, "bfloat16": fx.BFloat16}
    names |= {"float16": fx.Float16, "float32": fx.Float32, "int8": fx.Int8, "int32": fx.Int32}
    return names[name]


def staged(source: Any, dtype: Any, bits: int, by_columns: bool) -> Any:
    """An operand in shared memory, by asynchronous copies of `bits`, if any."""
    import flydsl.expr as fx

    thread, strides = fx.thread_idx.x, (1, M) if by_columns else (K, 1)
    tile = fx.SharedAllocator().allocate(fx.Array[dtype, M * K, 128]).view(fx.make_layout((M, K), strides))
    if fx.const_expr(bits):
        atom, vector = fx.make_copy_atom(fx.nvvm.CpAsync(bits), dtype), bits // dtype.width
        threads = fx.make_layout((THREADS * vector // K, K // vector), (K // vector, 1))
        copy = fx.make_tiled_copy_tv(atom, threads, fx.make_layout((1, vector), (vector, 1))).get_slice(thread)
        fx.copy(atom, copy.partition_S(source), copy.partition_D(tile))
        fx.nvvm.cp_async_commit_group()
        fx.nvvm.cp_async_wait_group(0)
    else:
        for index in range(thread, M * K, THREADS):
            tile[index // K, index % K] = source[index // K, index % K]
    return tile


def types_of(case: Case) -> tuple[str, str, str]:
    """Of A, B and C."""
    return case["dtype"], case.get("b", case["dtype"]), sums_of(case)


def marked(memory: Any) -> Any:
    """A matrix as an argument whose rows begin at multiples of 16 bytes."""
    import flydsl.compiler as flyc

    return flyc.from_dlpack(memory, assumed_align=16)


def main() -> int:
    return run_or_fill(parser(__doc__), run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every case, and the example."""
    from memory import Memory
    from run_examples import load_example

    for case in CASES:
        product(case)(*(marked(Memory((M, K), kind)) for kind in types_of(case)))
        print(f"compiled {case}", flush=True)
    example = load_example("cuda_07_gemm_sm80")
    example.gemm(*(example.marked(Memory((M, K), "bfloat16")) for _ in range(3)))


def run(given: argparse.Namespace) -> int:
    """Run every case; the number of those that are wrong."""
    return min(wrong_cases(CASES, error_of) + sum(speed(*size) for size in SIZES), 100)


def error_of(case: Case) -> float:
    """The relative error against float64; that of NaN where something is not written."""
    import torch
    from memory import Memory

    torch.manual_seed(CASES.index(case))
    a, b = (operand((M, K), getattr(torch, kind)) for kind in types_of(case)[:2])
    is_whole = sums_of(case) == "int32"
    c = torch.full((M, N), -1 if is_whole else float("nan"), device="cuda", dtype=getattr(torch, sums_of(case)))
    product(case)(*(marked(Memory.of(matrix)) for matrix in (a, b, c)))
    torch.cuda.synchronize()
    expected = a.double() @ b.double().t()
    return float((c.double() - expected).norm() / expected.norm())


def operand(shape: tuple[int, int], dtype: Any) -> Any:
    """A random matrix."""
    import torch

    if dtype is torch.int8:
        return torch.randint(-128, 128, shape, device="cuda").to(dtype)
    return torch.randn(shape, device="cuda").to(dtype)


def speed(m: int, n: int, k: int) -> bool:
    """Print TFLOP/s of the example and of torch; whether the product is wrong."""

    import torch
    from memory import Memory
    from run_examples import load_example

    example = load_example("cuda_07_gemm_sm80")
    a, b = (operand(shape, torch.bfloat16) for shape in ((m, k), (n, k)))
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    given, other = [example.marked(Memory.of(matrix)) for matrix in (a, b, c)], torch.empty_like(c)
    example.gemm(*given)
    rows = torch.cat([torch.arange(max(m - 64, 0), m), torch.randint(0, m, (64,))]).cuda()
    expected = a[rows].double() @ b.double().t()
    error = float((c[rows].double() - expected).norm() / expected.norm())
    calls = {"FlyDSL": lambda: example.gemm(*given), "torch": lambda: torch.matmul(a, b.t(), out=other)}
    ours, theirs = (2 * m * n * k / taken / 1e9 for taken in medians(calls, ROUNDS, LAUNCHES).values())
    is_wrong = not error < 5e-3
    found = f"{ours:.0f} TFLOP/s, torch {theirs:.0f}, ratio {ours / theirs:.2f}, error {error:.1e}"
    print(f"product of warps, {m} x {n} x {k} bf16: {found}{'  WRONG' * is_wrong}", flush=True)
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
