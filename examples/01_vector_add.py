"""A predicated, vectorised 2-D add: C = A + B on 100 x 1000 floats, tiles of 8 x 64 that do not divide them.

Runs on the CPU (or what FLYDSL_COMPILE_BACKEND names), compiles the same function for two AMD GPUs without having one,
and starts a second process that finds everything in the cache.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

START = time.perf_counter()

import flydsl.compiler as flyc  # noqa: E402
import flydsl.expr as fx  # noqa: E402

IMPORTED = time.perf_counter()
SHAPE = (100, 1000)
TILE_M, TILE_N = 8, 64
VALUES = 4  # that a thread copies at a time


def add(atom: fx.CopyAtom, a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, pred: fx.Tensor | None = None) -> None:
    """c = a + b through registers, for the elements whose flag in `pred` is set."""
    frag_a, frag_b, frag_c = [fx.make_fragment_like(t) for t in (a, b, c)]
    fx.copy(atom, a, frag_a, pred=pred)
    fx.copy(atom, b, frag_b, pred=pred)
    frag_c.store(frag_a.load() + frag_b.load())
    fx.copy(atom, frag_c, c, pred=pred)


@flyc.kernel
def vector_add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_copy: fx.TiledCopy) -> None:
    # The tile of this block, in the three tensors and in the coordinates of C.
    tile = fx.make_tile(TILE_M, TILE_N)
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(c.shape))
    block_a, block_b, block_c, block_crd = [fx.flat_divide(t, tile)[block] for t in (a, b, c, coordinates)]

    # What this thread copies of it: four floats along a row.
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    thread_a, thread_b = thread.partition_S(block_a), thread.partition_S(block_b)
    thread_c, thread_crd = thread.partition_D(block_c), thread.partition_D(block_crd)

    if fx.elem_less(thread_crd[VALUES - 1, 0, 0], c.shape):  # all of them lie inside of C: one wide access
        add(tiled_copy.atom, thread_a, thread_b, thread_c)
    else:  # C ends among them, or before: one flag for each
        inside = fx.make_rmem_tensor((VALUES, 1, 1), fx.Boolean)
        for i in fx.range_constexpr(VALUES):
            inside[i, 0, 0] = fx.elem_less(thread_crd[i, 0, 0], c.shape)
        add(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), thread_a, thread_b, thread_c, inside)


@flyc.jit
def vector_add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    threads, values = fx.make_layout((8, 16), (16, 1)), fx.make_layout((1, VALUES), (VALUES, 1))
    tiled_copy = fx.make_tiled_copy_tv(atom, threads, values)
    blocks = fx.ceil_div(c.shape, (TILE_M, TILE_N))
    vector_add_kernel(a, b, c, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=(128, 1, 1), stream=stream)


def check(rng: Any, rows: int, columns: int) -> tuple[Any, Any, Any]:
    """One random sum against NumPy, equal to the bit; its three arrays."""
    import numpy as np

    a, b = (rng.standard_normal((rows, columns), dtype=np.float32) for _ in range(2))
    c = np.full_like(a, np.nan)
    vector_add(a, b, c)
    np.testing.assert_array_equal(c, a + b)
    return a, b, c


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="only run from the cache and print the times")
    again = parser.parse_args().again
    import numpy as np
    from workbench import choose_backend, odd

    choose_backend()
    rng = np.random.default_rng(0)
    a, b, c = (np.zeros(SHAPE, np.float32) for _ in range(3))
    first = timed(lambda: vector_add(a, b, c))
    a, b, c = check(rng, *SHAPE)
    if again:
        compilers = [name for name in ("xdsl", "flydsl.expr.values.emitter") if name in sys.modules]
        print(f"   import {ms(IMPORTED - START)}, first call {ms(first)}, compilers loaded: {compilers or 'none'}")
        return
    print(f"active pair: {flyc.active_pair()}")
    print(
        f"import {ms(IMPORTED - START)}, first call {ms(first)}, second call {ms(timed(lambda: vector_add(a, b, c)))}"
    )
    for rows, columns in (SHAPE, (odd(rng, 200), odd(rng, 2000))):
        check(rng, rows, columns)
        print(f"numpy {rows} x {columns}: equal to NumPy's A + B")
    run_torch(a, b)
    stages = compile_stages("", a, b, c)
    print(f"stages for {stages[-1].target}: {stages[0]}")
    for arch in ("gfx942", "gfx1100"):
        show_isa(arch, a, b, c)
    print(f"cache: {cache_folder()}\n-- a new process, from the cache:", flush=True)
    subprocess.run([sys.executable, __file__, "--again"], check=True)


def run_torch(a: Any, b: Any) -> None:
    """The same function on torch tensors, when torch and its adaptor are installed."""
    try:
        import torch

        import flydsl.torch
    except ImportError as error:
        print(f"torch: not run, {error}")
        return
    assert flydsl.torch
    x, y = torch.as_tensor(a), torch.as_tensor(b)
    z = torch.zeros_like(x)
    vector_add(x, y, z)
    assert torch.equal(z, x + y)
    print(f"torch {torch.__version__} on {z.device}: equal to NumPy's A + B")


def compile_stages(arch: str, *tensors: Any, backend: str | None = None) -> tuple[str, flyc.Artifact]:
    """The stages one by one: function -> Traced -> Lowered -> Artifact."""
    start = time.perf_counter()
    traced = vector_add.trace(*tensors, backend=backend, arch=arch)
    lowered_at = time.perf_counter()
    lowered = traced.lower()
    compiled_at = time.perf_counter()
    artifact = lowered.compile()
    end = time.perf_counter()
    times = f"trace {ms(lowered_at - start)}, lower {ms(compiled_at - lowered_at)}, compile {ms(end - compiled_at)}"
    return times, artifact


def show_isa(arch: str, *tensors: Any) -> None:
    """The same function for an AMD GPU that need not be here."""
    try:
        times, artifact = compile_stages(arch, *tensors, backend="rocm")
    except ValueError as error:  # the backend is not installed
        print(f"{arch}: not compiled, {error}")
        return
    print(f"{arch}: {len(artifact.device)} bytes of code object; {times}")
    for line in artifact.disassemble().splitlines()[:10]:
        print(f"    {line}")


def cache_folder() -> str:
    """Where compiled code is kept."""
    from flydsl.base import settings

    return str(settings.runtime.cache_dir)


def timed(function: Callable[[], None]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def ms(seconds: float) -> str:
    """Milliseconds, for people."""
    return f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main()
