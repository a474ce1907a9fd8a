"""Kernel text (gpu.func on upstream dialects) in, a callable that runs a whole grid on NumPy arrays out; tests get the
functions as fixtures.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from support.device_modules import text_after

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.expand_math import ExpandMath
from flydsl.passes.registry import run
from flydsl.runtime.abi import FlyCpuBlock
from flydsl.toolchain.select import default_toolchain
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.dialect import CPU
from flydsl_cpu.pipeline import KERNELS, LOWERING
from flydsl_cpu.plugin import flydsl_compile_backends

sys.path.insert(0, str(Path(__file__).parent))  # for the helper module of this folder

Launch = Callable[..., None]


PASSES = flydsl_compile_backends()[0].passes
_SHORT = {
    r"gpu\.(thread_id|block_id|block_dim|grid_dim) (x|y|z)": r'"gpu.\1"() <{dimension = #gpu<dim \2>}> : () -> index',
    r"gpu\.(lane_id|subgroup_id|subgroup_size|num_subgroups)\b": r'"gpu.\1"() : () -> index',
    r"gpu\.barrier\b": '"gpu.barrier"() : () -> ()',
    r"gpu\.shuffle (\w+) (%\w+), (%\w+), (%\w+) : (\w+)": (
        r'"gpu.shuffle"(\2, \3, \4) {mode = #gpu<shuffle_mode \1>} : (\5, i32, i32) -> (\5, i1)'
    ),
}


def _kernel_module(arguments: str, body: str, *, block: Sequence[int] | None = None, symbols: str = "") -> str:
    """A module with the kernel `k`; index operations, barriers and shuffles in `body` may be written in MLIR's short
    form.
    """
    for short, generic in _SHORT.items():
        body = re.sub(short, generic, body)
    known = f"known_block_size = array<i32: {', '.join(map(str, block))}>," if block else ""
    types = ", ".join(argument.partition(":")[2].strip() for argument in arguments.split(", %") if argument)
    return f"""
      "builtin.module"() ({{
        "gpu.module"() <{{sym_name = "kernels"}}> ({{
          {symbols}
          "gpu.func"() <{{function_type = ({types}) -> ()}}> ({{
          ^bb0({arguments}):
            {body}
            "gpu.return"() : () -> ()
          }}) {{{known} gpu.kernel, sym_name = "k"}} : () -> ()
        }}) : () -> ()
      }}) {{gpu.container_module}} : () -> ()
    """


def _thread_loops(text: str, functions: str | None = None) -> str:
    """The module with native functions for kernels, as generic text."""
    context = create_context()
    module = parse_module(text, context, check=False)
    if functions is not None:
        if not functions:
            run(module, cpu_exponentials(), context=context, extra=PASSES)
        ExpandMath(functions).apply(context, module)
    run(module, KERNELS, context=context, extra=PASSES)
    return emit_generic(module)


def cpu_exponentials() -> str:
    """The pass as the machine that runs the tests has it."""
    fragments = CpuBackend().pipeline_fragments(arch=CpuBackend().default_arch())
    return next(fragment for fragment in fragments if fragment.startswith("cpu-exponentials"))


def _lower(text: str) -> str:
    """A Fly module after all passes that run in Python, as generic text."""
    context = create_context()
    module = parse_module(text, context, check=False)
    run(module, [*FLY_PIPELINE, *LOWERING], context=context, extra=PASSES)
    return emit_generic(module)


def _compile_kernel(text: str, name: str = "k", functions: str = "") -> Launch:
    """`launch(*args, grid=, block=, dynamic_shared=0)`: arrays are passed by pointer, ctypes scalars by value."""
    lowered = _lower(text) if "fly." in text else _thread_loops(text, functions)
    image = CpuBackend().emit_code_object(lowered, arch=CpuBackend().default_arch(), toolchain=default_toolchain())
    library = _load(image)
    info = (ctypes.c_int64 * 4).in_dll(library, f"{name}_info")
    function = library[name]
    function.restype = None

    def launch(
        *arguments: np.ndarray | ctypes._SimpleCData,  # type: ignore[type-arg]
        grid: Sequence[int] = (1, 1, 1),
        block: Sequence[int],
        dynamic_shared: int = 0,
    ) -> None:
        values = [_value(a) for a in arguments]
        params = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        scratch = _aligned(info[2] + int(np.prod(block)) * info[0] + 64, 64)
        shared = _aligned(info[1] + dynamic_shared, 16384)
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    where = FlyCpuBlock((x, y, z), tuple(grid), tuple(block), dynamic_shared)
                    function(params, ctypes.byref(where), _pointer(scratch), _pointer(shared))

    return launch


def _value(argument: object) -> object:
    return ctypes.c_void_p(argument.ctypes.data) if isinstance(argument, np.ndarray) else argument


def _aligned(size: int, alignment: int) -> np.ndarray:
    raw = np.full(size + alignment, 0xA5, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + size]


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _load(image: bytes) -> ctypes.CDLL:
    # The descriptor stays open: the loader takes two files of one path for the same library.
    handle = os.memfd_create("kernel")
    os.write(handle, image)
    return ctypes.CDLL(f"/proc/self/fd/{handle}")


@pytest.fixture(scope="session")
def kernel_module() -> Callable[..., str]:
    """`kernel_module(arguments, body, block=None, symbols="")`: a module with the kernel `k`."""
    return _kernel_module


@pytest.fixture(scope="session")
def thread_loops() -> Callable[[str], str]:
    """`thread_loops(module)`: its text with native functions for kernels."""
    return _thread_loops


@pytest.fixture(scope="session")
def after() -> Callable[..., str]:
    """`after(module, "cpu-lower-prints", "cpu-thread-loops")`: its text after these passes."""
    return text_after(CPU, PASSES)


@pytest.fixture(scope="session")
def compile_kernel() -> Callable[..., Launch]:
    """`compile_kernel(module)`: a launch function for the kernel `k`."""
    return _compile_kernel
