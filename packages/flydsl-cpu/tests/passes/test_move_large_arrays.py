"""Which register tensors stay on the stack, and which go to the block's scratch memory."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl_cpu.pipeline import KERNELS
from flydsl_cpu.plugin import flydsl_compile_backends

KIB = 1 << 10


def body(*sizes: int, alignment: int = 16) -> str:
    """Arrays of these sizes in bytes, each written and read at a place of run time."""
    lines = ["%tx = gpu.thread_id x", "%t = arith.index_cast %tx : index to i32"]
    for i, size in enumerate(sizes):
        lines += [
            f"%n{i} = arith.constant {size // 4} : i32",
            f'%a{i} = "llvm.alloca"(%n{i}) <{{elem_type = i32, alignment = {alignment} : i64}}> : (i32) -> !llvm.ptr',
            f"%w{i} = llvm.getelementptr %a{i}[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32",
            f"llvm.store %t, %w{i} : i32, !llvm.ptr",
            f"%v{i} = llvm.load %w{i} : !llvm.ptr -> i32",
            f"%p{i} = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32",
            f"%o{i} = llvm.load %p{i} : !llvm.ptr -> i32",
            f"%s{i} = arith.addi %o{i}, %v{i} : i32",
            f"llvm.store %s{i}, %p{i} : i32, !llvm.ptr",
        ]
    return "\n".join(lines)


def info(kernel_module, *sizes: int, alignment: int = 16) -> list[int]:
    module = parse_module(kernel_module("%out: !llvm.ptr", body(*sizes, alignment=alignment)))
    run(module, KERNELS, extra=flydsl_compile_backends()[0].passes)
    (constant,) = [op for op in module.walk() if op.name == "llvm.mlir.global"]
    return list(constant.properties["value"].get_values())


@pytest.mark.parametrize(
    ("sizes", "scratch", "stack"),
    [
        ([4 * KIB], 0, 4 * KIB),
        ([64 * KIB] * 8, 0, 512 * KIB),
        ([64 * KIB + 4], 64 * KIB + 64, 0),
        ([64 * KIB] * 10, 128 * KIB, 512 * KIB),
        ([16 << 20, 4 * KIB, 16 << 20], 32 << 20, 4 * KIB),
    ],
)
def test_large_arrays_and_large_sums_leave_the_stack(kernel_module, sizes, scratch, stack):
    assert info(kernel_module, *sizes) == [0, 0, scratch, stack]


def test_arrays_that_left_the_stack_hold_their_values(compile_kernel, kernel_module):
    out = np.zeros(64, np.int32)
    launch = compile_kernel(kernel_module("%out: !llvm.ptr", body(1 << 20, 4 * KIB, 80 * KIB)))
    launch(out, block=(64, 1, 1))
    assert (out == 3 * np.arange(64)).all()


def test_an_alignment_beyond_that_of_scratch_memory_is_refused(kernel_module):
    with pytest.raises(IRError, match="aligned to 4096 bytes at most, found 8192"):
        info(kernel_module, 128 * KIB, alignment=8192)
