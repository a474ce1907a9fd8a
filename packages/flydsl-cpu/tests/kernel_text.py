"""Operands in, lines of MLIR text out: what tests of thread loops write their kernels with."""

from __future__ import annotations

import numpy as np

INDICES = """
  %tx = gpu.thread_id x
  %bx = gpu.block_id x
  %t = arith.index_cast %tx : index to i32
  %b = arith.index_cast %bx : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
"""
SHARED = """
  "llvm.mlir.global"() <{global_type = !llvm.array<4096 x i8>, sym_name = "tile", linkage = #llvm.linkage<"external">,
    addr_space = 0 : i32, alignment = 16 : i64}> ({}) {flydsl.shared} : () -> ()
"""


def at(name: str, base: str, index: str, element: str = "f32") -> str:
    """`%name` = address of element `index` of `base`."""
    return f"%{name} = llvm.getelementptr {base}[{index}] : (!llvm.ptr, i32) -> !llvm.ptr, {element}\n"


def load(name: str, base: str, index: str, element: str = "f32") -> str:
    """`%name` = base[index]."""
    return at(f"{name}_p", base, index, element) + f"%{name} = llvm.load %{name}_p : !llvm.ptr -> {element}\n"


def store(value: str, base: str, index: str, tag: str, element: str = "f32") -> str:
    """base[index] = value; `tag` makes the address name unique."""
    return at(f"{tag}_p", base, index, element) + f"llvm.store {value}, %{tag}_p : {element}, !llvm.ptr\n"


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)
