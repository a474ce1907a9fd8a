"""Atomic operations and fences by raw operations."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, fly, llvm
from flydsl._mlir.extras import types as T

BLOCK = 64


def address_of(tensor, byte_offset):
    """The address of a byte of a tensor, as an address in global memory."""
    pointer = ir.Type.parse("!llvm.ptr<1>")
    base = fly.extract_aligned_pointer_as_index(pointer, tensor)
    return llvm.IntToPtrOp(pointer, llvm.PtrToIntOp(T.i64(), base).result + fx.Int64(byte_offset)).result


@flyc.kernel
def histogram_kernel(x: fx.Tensor, counts: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < x.shape[0]:
        one = arith.ConstantOp(T.i32(), ir.IntegerAttr.get(T.i32(), 1)).result
        place = address_of(counts, x[i] * 4)
        llvm.AtomicRMWOp(
            llvm.AtomicBinOp.add, place, one, llvm.AtomicOrdering.monotonic, syncscope="agent", alignment=4
        )


@flyc.jit
def histogram(x: fx.Tensor, counts: fx.Tensor):
    histogram_kernel(x, counts).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)


@flyc.kernel
def column_sums_kernel(x: fx.Tensor, sums: fx.Tensor):
    """Each row adds itself to the sums: rows are blocks."""
    i = fx.thread_idx.x
    value = x[fx.block_idx.x, i].ir_value()
    llvm.AtomicRMWOp(
        llvm.AtomicBinOp.fadd, address_of(sums, i * 4), value, llvm.AtomicOrdering.monotonic, syncscope="agent"
    )


@flyc.jit
def column_sums(x: fx.Tensor, sums: fx.Tensor):
    column_sums_kernel(x, sums).launch(grid=x.shape[0], block=x.shape[1])


@flyc.kernel
def exchanged_kernel(places: fx.Tensor, seen: fx.Tensor):
    """Each thread puts its number and takes what was there, between fences."""
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    llvm.FenceOp(llvm.AtomicOrdering.release, syncscope="agent")
    old = llvm.AtomicRMWOp(
        llvm.AtomicBinOp.xchg, address_of(places, 0), fx.Int32(i + 1).ir_value(), llvm.AtomicOrdering.monotonic
    ).result
    llvm.FenceOp(llvm.AtomicOrdering.acquire, syncscope="agent")
    seen[i] = old


@flyc.jit
def exchanged(places: fx.Tensor, seen: fx.Tensor):
    exchanged_kernel(places, seen).launch(grid=seen.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def last_block_kernel(x: fx.Tensor, parts: fx.Tensor, ticket: fx.Tensor, total: fx.Tensor):
    """The block that comes last adds up what all have left."""
    row = fx.block_idx.x
    if fx.thread_idx.x == 0:
        part = fx.Float32(0.0)
        for _, state in range(0, x.shape[1], 1, init=[part]):
            part = yield [state[0] + x[row, _]]
        parts[row] = part
        llvm.FenceOp(llvm.AtomicOrdering.release, syncscope="agent")
        before = llvm.AtomicRMWOp(
            llvm.AtomicBinOp.add, address_of(ticket, 0), fx.Int32(1), llvm.AtomicOrdering.acq_rel, syncscope="agent"
        ).result
        if before == x.shape[0] - 1:
            llvm.FenceOp(llvm.AtomicOrdering.acquire, syncscope="agent")
            whole = fx.Float32(0.0)
            for i in range(x.shape[0]):
                whole += llvm.LoadOp(T.f32(), address_of(parts, i * 4), volatile_=True, alignment=4).result
            total[0] = whole


@flyc.jit
def last_block(x: fx.Tensor, parts: fx.Tensor, ticket: fx.Tensor, total: fx.Tensor):
    last_block_kernel(x, parts, ticket, total).launch(grid=x.shape[0], block=32)
