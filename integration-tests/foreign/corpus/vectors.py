"""Vectors that are loaded, changed and stored by raw operations."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, fly, llvm, math, vector
from flydsl._mlir.extras import types as T

VECTOR = 4
THREADS = 64


def global_pointer():
    return ir.Type.parse("!llvm.ptr<1>")


def element_address(tensor, index, element):
    """The address of an element of a tensor."""
    base = fly.extract_aligned_pointer_as_index(global_pointer(), tensor)
    return llvm.GEPOp(global_pointer(), base, [fx.Int32(index).ir_value()], [-(2**31)], element, None).result


@flyc.kernel
def reversed_vectors_kernel(x: fx.Tensor, y: fx.Tensor):
    pointer = global_pointer()
    number = fx.block_idx.x * THREADS + fx.thread_idx.x
    source = fly.extract_aligned_pointer_as_index(pointer, x)
    address = llvm.ptrtoint(T.i64(), source) + fx.Int64(number) * (4 * VECTOR)
    kind = ir.VectorType.get([VECTOR], T.f32())
    loaded = llvm.load(kind, llvm.inttoptr(pointer, address), alignment=16, invariant=True)
    doubled = arith.mulf(loaded, 2.0)
    parts = [vector.extract(doubled, dynamic_position=[], static_position=[VECTOR - 1 - i]) for i in range(VECTOR)]
    place = element_address(y, number * VECTOR, T.f32())
    llvm.StoreOp(vector.from_elements(kind, parts), place, alignment=16)


@flyc.jit
def reversed_vectors(x: fx.Tensor, y: fx.Tensor):
    reversed_vectors_kernel(x, y).launch(grid=x.shape[0] // (VECTOR * THREADS), block=THREADS)


def rounded_to_bf16(value):
    """The upper half of a float, rounded to nearest even, as an i16."""
    bits = llvm.BitcastOp(T.i32(), value).result
    least = arith.andi(arith.shrui(bits, 16), 1)
    moved = arith.addi(bits, arith.addi(least, 0x7FFF))
    return llvm.trunc(T.i16(), llvm.LShrOp(moved, 16).result)


@flyc.kernel
def to_bf16_kernel(x: fx.Tensor, bits: fx.Tensor):
    i = fx.block_idx.x * THREADS + fx.thread_idx.x
    if i < x.shape[0]:
        value = llvm.LoadOp(T.f32(), element_address(x, i, T.f32())).result
        llvm.StoreOp(rounded_to_bf16(value), element_address(bits, i, T.i16()), alignment=2)


@flyc.jit
def to_bf16(x: fx.Tensor, bits: fx.Tensor):
    to_bf16_kernel(x, bits).launch(grid=fx.ceil_div(x.shape[0], THREADS), block=THREADS)


@flyc.kernel
def widened_kernel(x: fx.Tensor, y: fx.Tensor):
    """A pair of f16 a thread: widened, computed with, and narrowed."""
    i = fx.block_idx.x * THREADS + fx.thread_idx.x
    pair, wide = ir.VectorType.get([2], T.f16()), ir.VectorType.get([2], T.f32())
    values = llvm.FPExtOp(wide, llvm.load(pair, element_address(x, i * 2, T.f16()), alignment=4)).result
    total = math.fma(values, values, arith.constant(wide, 1.0))
    root = math.SqrtOp(total, fastmath=arith.FastMathFlags.contract).result
    narrow = llvm.FPTruncOp(pair, root).result
    llvm.StoreOp(narrow, element_address(y, i * 2, T.f16()), alignment=4, nontemporal=True)


@flyc.jit
def widened(x: fx.Tensor, y: fx.Tensor):
    widened_kernel(x, y).launch(grid=x.shape[0] // (2 * THREADS), block=THREADS)


@flyc.kernel
def packed_bytes_kernel(x: fx.Tensor, y: fx.Tensor):
    """Four bytes of a word, each an element of a vector, with the order turned."""
    i = fx.thread_idx.x
    word = vector.from_elements(ir.VectorType.get([1], T.i32()), [x[i]])
    bytes_ = vector.bitcast(ir.VectorType.get([4], T.i8()), word)
    turned = vector.shuffle(bytes_, bytes_, [3, 2, 1, 0])
    whole = vector.BitCastOp(ir.VectorType.get([1], T.i32()), turned).result
    y[i] = vector.ExtractOp(whole, [], [0]).result


@flyc.jit
def packed_bytes(x: fx.Tensor, y: fx.Tensor):
    packed_bytes_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.kernel
def fast_sum_kernel(x: fx.Tensor, y: fx.Tensor):
    """The sum and the largest of 8 elements a thread, by reductions of vectors."""
    i = fx.thread_idx.x
    values = llvm.load(ir.VectorType.get([8], T.f32()), element_address(x, i * 8, T.f32()), alignment=16)
    y[i, 0] = vector.reduction(vector.CombiningKind.ADD, values, fastmath="reassoc")
    y[i, 1] = vector.reduction("maximumf", values)


@flyc.jit
def fast_sum(x: fx.Tensor, y: fx.Tensor):
    fast_sum_kernel(x, y).launch(grid=1, block=y.shape[0])


@flyc.kernel
def far_kernel(x: fx.Tensor, y: fx.Tensor, step: fx.Constexpr[int]):
    """Indices that are promised not to pass 31 bits, of elements whose bytes 32 bits do not count."""
    i, exact = fx.thread_idx.x, arith.IntegerOverflowFlags.nsw
    index = fx.Int32(arith.AddIOp(arith.MulIOp(i, fx.Int32(step), overflowFlags=exact).result, 5, exact).result)
    y[i, 0], y[i, 1] = x[index], fx.get_iter(x)[index]


@flyc.jit
def far(x: fx.Tensor, y: fx.Tensor, step: fx.Constexpr[int]):
    far_kernel(x, y, step).launch(grid=1, block=y.shape[0])
