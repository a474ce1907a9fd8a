"""What the host does for a launch on an NVIDIA GPU, in microseconds: a small sum of three torch tensors, by whom.

    python benchmarks/gpu/bench_launch.py                     # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_launch.py fill FOLDER         # where there is no GPU: compiles into FOLDER,
    python benchmarks/gpu/bench_launch.py run FOLDER          # which this runs where there is no compiler

The floor is the driver's own cuLaunchKernel, called in a loop of C where there is a compiler of C, and by ctypes. Each
number is the least of many batches of calls; a batch is short enough that no call waits for the GPU.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import OWN, record
from offline import parser, run_or_fill

BATCH, BATCHES, SIZE, BLOCK = 200, 100, 1024, 256
PTX = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d1, %r4, 4;
  ld.param.u64 %d2, [a]; ld.param.u64 %d3, [b]; ld.param.u64 %d4, [c];
  add.s64 %d5, %d2, %d1; add.s64 %d6, %d3, %d1; add.s64 %d7, %d4, %d1;
  ld.global.f32 %f1, [%d5]; ld.global.f32 %f2, [%d6]; add.f32 %f3, %f1, %f2; st.global.f32 [%d7], %f3;
  ret;
}
"""
LOOP = r"""
#include <time.h>
typedef unsigned u;
typedef int (*launch_t)(void *, u, u, u, u, u, u, u, void *, void **, void **);
double microseconds(launch_t launch, void *f, u grid, u block, void *stream, void **args, int count) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < count; i++)
    if (launch(f, grid, 1, 1, block, 1, 1, 0, stream, args, 0)) return -1;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 1e3 / count;
}
"""


def main() -> int:
    return run_or_fill(parser(__doc__), run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """The kernel, with and without a stream."""
    from launch_kernel import add
    from memory import Memory

    tensors = [Memory((SIZE,), "float32") for _ in range(3)]
    add(*tensors)
    add(*tensors, stream=0)


def run(given: argparse.Namespace) -> int:
    """Print the table; 1 when a sum is wrong."""
    import torch

    a, b, c = (torch.randn(SIZE, device="cuda") for _ in range(3))
    torch.cuda.synchronize()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, reader: {reader()}")
    wrong, took = 0, {}
    for name, call in {**ours(a, b, c), **peers(a, b, c)}.items():
        c.fill_(float("nan"))
        try:
            call()
        except Exception as error:
            print(f"left out: {name}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
            continue
        torch.cuda.synchronize()
        is_right = torch.equal(c, a + b)
        wrong += not is_right
        took[name] = least(call)
        print(f"{name:<44} {took[name]:>7.2f} us{'' if is_right else '  WRONG'}", flush=True)
    for name, microseconds in driver(a, b, c).items():
        took[name] = microseconds
        print(f"{name:<44} {microseconds:>7.2f} us", flush=True)
    record("launch", "add(a, b, c)", "us", {OWN: took["FlyDSL, add(a, b, c)"], **took})
    return min(wrong, 1)


def least(call: Callable[[], Any]) -> float:
    """Microseconds of a call: the least of many batches."""
    import torch

    for _ in range(20):
        call()
    best = float("inf")
    for _ in range(BATCHES):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        best = min(best, time.perf_counter() - start)
    return best / BATCH * 1e6


def reader() -> str:
    """Whether calls are read in C."""
    try:
        import flydsl_reader

        return str(getattr(flydsl_reader, "__version__", "installed"))
    except ImportError:
        return "not installed"


def ours(a: Any, b: Any, c: Any) -> dict[str, Callable[[], Any]]:
    """FlyDSL's calls: as they are written, with a stream, and prepared."""
    import torch
    from launch_kernel import add

    import flydsl.compiler as flyc

    stream = torch.cuda.current_stream()
    calls: dict[str, Callable[[], Any]] = {
        "FlyDSL, add(a, b, c)": lambda: add(a, b, c),
        "FlyDSL, add(a, b, c, stream=...)": lambda: add(a, b, c, stream=stream),
    }
    try:
        prepared = flyc.compile(add, a, b, c, stream)
        calls["FlyDSL, flyc.compile(add, ...)(a, b, c, stream)"] = lambda: prepared(a, b, c, stream)
    except Exception as error:
        print(f"left out: flyc.compile: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    return calls


def peers(a: Any, b: Any, c: Any) -> dict[str, Callable[[], Any]]:
    """Triton's launch of such a kernel, and torch's own addition."""
    import torch
    from memory_triton import add_kernel

    return {
        "Triton, add_kernel[grid](a, b, c, n)": lambda: add_kernel[(SIZE // BLOCK,)](a, b, c, SIZE, BLOCK=BLOCK),
        "torch.add(a, b, out=c)": lambda: torch.add(a, b, out=c),
    }


def driver(a: Any, b: Any, c: Any) -> dict[str, float]:
    """cuLaunchKernel itself: in a loop of C, and by ctypes with arrays that are there."""
    import torch

    cuda = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    if code := cuda.cuModuleLoadData(ctypes.byref(module), PTX.encode()):
        raise RuntimeError(f"cuModuleLoadData gives {code}")
    if code := cuda.cuModuleGetFunction(ctypes.byref(function), module, b"add"):
        raise RuntimeError(f"cuModuleGetFunction gives {code}")
    pointers = (ctypes.c_uint64 * 3)(a.data_ptr(), b.data_ptr(), c.data_ptr())
    size = ctypes.sizeof(ctypes.c_uint64)
    arguments = (ctypes.c_void_p * 3)(*[ctypes.addressof(pointers) + i * size for i in range(3)])
    grid, block = SIZE // BLOCK, BLOCK
    launch = cuda.cuLaunchKernel
    launch.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    found = {
        "driver, cuLaunchKernel by ctypes": least(
            lambda: launch(function, grid, 1, 1, block, 1, 1, 0, None, arguments, None)
        )
    }
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "loop.c", Path(folder) / "loop.so"
        source.write_text(LOOP)
        try:
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"left out: a loop of C: {error}")
            return found
        loop = ctypes.CDLL(str(library)).microseconds
        loop.restype = ctypes.c_double
        times = []
        for _ in range(BATCHES):
            torch.cuda.synchronize()
            times.append(loop(launch, function, grid, block, None, arguments, BATCH))
        found["driver, cuLaunchKernel from C"] = min(times)
    return found


if __name__ == "__main__":
    sys.exit(main())
