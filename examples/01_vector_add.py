"""A predicated, vectorised 2-D add: C = A + B on 100 x 1000 floats, tiles of 8 x 64 that do not divide them.

Runs on the active backend (the CPU unless FLYDSL_COMPILE_BACKEND says otherwise), compiles the same function for two
AMD GPUs without having one, and starts a second process that finds everything in the cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("FLYDSL_COMPILE_BACKEND", "cpu")
START = time.perf_counter()

import flydsl.compiler as flyc  # noqa: E402
import flydsl.expr as fx  # noqa: E402

IMPORTED = time.perf_counter()
SHAPE = (100, 1000)
TILE_M, TILE_N = 8, 64


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

    # One predicate an atom: is the first of its elements inside C?
    pred = fx.make_rmem_tensor((1, 1, 1), fx.Boolean)
    pred[0, 0, 0] = fx.elem_less(thread_crd[0, 0, 0], c.shape)

    frag_a, frag_b, frag_c = [fx.make_fragment_like(t) for t in (thread_a, thread_b, thread_c)]
    fx.copy(tiled_copy.atom, thread_a, frag_a, pred=pred)
    fx.copy(tiled_copy.atom, thread_b, frag_b, pred=pred)
    frag_c.store(frag_a.load() + frag_b.load())
    fx.copy(tiled_copy.atom, frag_c, thread_c, pred=pred)


@flyc.jit
def vector_add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    threads, values = fx.make_layout((8, 16), (16, 1)), fx.make_layout((1, 4), (4, 1))
    tiled_copy = fx.make_tiled_copy_tv(atom, threads, values)
    blocks = fx.ceil_div(c.shape, (TILE_M, TILE_N))
    vector_add_kernel(a, b, c, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=(128, 1, 1), stream=stream)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="only run from the cache and print the times")
    again = parser.parse_args().again
    import numpy as np

    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(SHAPE, dtype=np.float32) for _ in range(2))
    c = np.zeros_like(a)
    first = timed(lambda: vector_add(a, b, c))
    check(c, a, b)
    if again:
        compilers = [name for name in ("xdsl", "flydsl.expr.emission") if name in sys.modules]
        print(f"   import {ms(IMPORTED - START)}, first call {ms(first)}, compilers loaded: {compilers or 'none'}")
        return
    print(f"active pair: {flyc.active_pair()}")
    print(
        f"import {ms(IMPORTED - START)}, first call {ms(first)}, second call {ms(timed(lambda: vector_add(a, b, c)))}"
    )
    print(f"numpy {SHAPE[0]} x {SHAPE[1]}: equal to NumPy's A + B")
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
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    z = torch.zeros_like(x)
    vector_add(x, y, z)
    check(z.numpy(), a, b)
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


def check(result: Any, a: Any, b: Any) -> None:
    """Against NumPy: one addition of float32 is exact to the bit."""
    import numpy as np

    np.testing.assert_array_equal(result, a + b)


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
