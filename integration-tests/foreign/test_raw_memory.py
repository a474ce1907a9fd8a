"""Kernels that compute addresses and access memory by raw operations."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, fly, llvm, vector
from flydsl._mlir.extras import types as T

VECTOR = 4
THREADS = 64


@flyc.kernel
def reversed_vectors_kernel(x: fx.Tensor, y: fx.Tensor):
    pointer = ir.Type.parse("!llvm.ptr<1>")
    number = fx.block_idx.x * THREADS + fx.thread_idx.x
    source = fly.extract_aligned_pointer_as_index(pointer, x)
    target = fly.extract_aligned_pointer_as_index(pointer, y)
    address = llvm.ptrtoint(T.i64(), source) + fx.Int64(number) * (4 * VECTOR)
    kind = ir.VectorType.get([VECTOR], T.f32())
    loaded = llvm.load(kind, llvm.inttoptr(pointer, address), alignment=16, invariant=True)
    doubled = arith.mulf(loaded, 2.0)
    parts = [vector.extract(doubled, dynamic_position=[], static_position=[VECTOR - 1 - i]) for i in range(VECTOR)]
    place = llvm.GEPOp(pointer, target, [number * VECTOR], [-(2**31)], T.f32(), None).result
    llvm.StoreOp(vector.from_elements(kind, parts), place, alignment=16)


@flyc.jit
def reversed_vectors(x: fx.Tensor, y: fx.Tensor):
    reversed_vectors_kernel(x, y).launch(grid=x.shape[0] // (VECTOR * THREADS), block=THREADS)


def test_vectors_are_loaded_and_stored_by_addresses(rng: np.random.Generator) -> None:
    x = rng.standard_normal(3 * VECTOR * THREADS).astype(np.float32)
    y = np.zeros_like(x)
    reversed_vectors(x, y)
    np.testing.assert_array_equal(y.reshape(-1, VECTOR), 2 * x.reshape(-1, VECTOR)[:, ::-1])
