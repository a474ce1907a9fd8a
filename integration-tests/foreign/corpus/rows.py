"""Rows of matrices: a thread block a row, waves that exchange by shuffles, loops that carry values."""

import math

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl._mlir.extras import types as T
from flydsl.compiler.ast_rewriter import ASTRewriter
from flydsl.expr import arith, gpu
from flydsl.expr.arith import ArithValue
from flydsl.expr.meta import dsl_loc_tracing
from flydsl.expr.typing import Float32, Int32
from flydsl.expr.utils.arith import _to_raw, unwrap

LOG2E = math.log2(math.e)
WAVE = 32


@dsl_loc_tracing
def wave_maximum(value: ir.Value) -> ir.Value:
    for distance in fx.range_constexpr(5):
        value = ArithValue(value).maximumf(ArithValue(value).shuffle_xor(1 << distance, WAVE))
    return value


@dsl_loc_tracing
def wave_sum(value: ir.Value) -> ir.Value:
    for distance in fx.range_constexpr(5):
        value = arith.addf(value, gpu.shuffle(value, 1 << distance, WAVE, mode="xor"))
    return value


@flyc.kernel(known_block_size=[WAVE, 1, 1])
def softmax_kernel(x: fx.Tensor, y: fx.Tensor, columns: fx.Constexpr[int]):
    row, lane = fx.Int32(gpu.block_id("x")), fx.Int32(gpu.thread_id("x"))
    for j, state in range(lane, columns, WAVE, init=[Float32(float("-inf"))]):
        largest = yield [fx.max(state[0], x[row, j])]
    largest = wave_maximum(largest)
    for j, state in range(lane, columns, WAVE, init=[Float32(0.0)]):
        total = yield [state[0] + ((x[row, j] - largest) * LOG2E).exp2()]
    total = wave_sum(total)
    for j in range(lane, columns, WAVE):
        y[row, j] = ((x[row, j] - largest) * LOG2E).exp2() / total


@flyc.jit
def softmax(x: fx.Tensor, y: fx.Tensor, columns: fx.Constexpr[int], stream: fx.Stream = fx.Stream(None)):
    softmax_kernel(x, y, columns).launch(grid=(x.shape[0], 1, 1), block=(WAVE, 1, 1), stream=stream.value)


@fx.struct
class Shape:
    columns: fx.Constexpr[int]
    has_weight: fx.Constexpr[bool]
    epsilon: fx.Float32


@flyc.kernel
def rms_norm_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, shape: Shape):
    row, lane = fx.block_idx.x, fx.thread_idx.x
    squares = Float32(0.0)
    for step in fx.range_constexpr(-(-shape.columns // WAVE)):
        j = lane + step * WAVE
        if j < shape.columns:
            value = x[row, j].to(Float32)
            squares = squares + value * value
    mean = wave_sum(squares) / float(shape.columns)
    scale = ArithValue(mean + shape.epsilon).rsqrt()
    for step in fx.range_constexpr(-(-shape.columns // WAVE)):
        j = lane + step * WAVE
        if j < shape.columns:
            normal = x[row, j].to(Float32) * scale
            if fx.const_expr(shape.has_weight):
                normal = normal * weight[j].to(Float32)
            y[row, j] = normal.to(y.dtype)


@flyc.jit
def rms_norm(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, shape: Shape):
    rms_norm_kernel(x, weight, y, shape).launch(grid=x.shape[0], block=WAVE)


@ASTRewriter.transform
def clamped(value, low, high):
    if value < low:
        value = low
    elif value > high:
        value = high
    return value


@flyc.kernel
def quantised_kernel(x: fx.Tensor, q: fx.Tensor, scales: fx.Tensor):
    """Each row as int8 with a scale."""
    row, lane = fx.block_idx.x, fx.thread_idx.x
    largest = Float32(0.0)
    for j in range(lane, x.shape[1], WAVE):
        largest = fx.max(largest, fx.absf(x[row, j]))
    largest = wave_maximum(largest)
    is_zero = arith.cmpf("oeq", largest, Float32(0.0))
    scale = arith.select(is_zero, Float32(1.0), largest / 127.0)
    for j in range(lane, x.shape[1], WAVE):
        rounded = fx.round(x[row, j] / scale)
        whole = arith.fptosi(T.i32(), unwrap(clamped(rounded, Float32(-127.0), Float32(127.0))))
        q[row, j] = arith.trunci(T.i8(), _to_raw(whole))
    if lane == 0:
        scales[row] = scale


@flyc.jit
def quantised(x: fx.Tensor, q: fx.Tensor, scales: fx.Tensor):
    quantised_kernel(x, q, scales).launch(grid=x.shape[0], block=WAVE)


@flyc.kernel
def attention_kernel(
    q: fx.Tensor, k: fx.Tensor, v: fx.Tensor, out: fx.Tensor, width: fx.Constexpr[int], is_causal: fx.Constexpr[bool]
):
    """A row of queries a wave, the values of the head over its lanes; the softmax is corrected as keys come."""
    row, lane = fx.block_idx.x, fx.thread_idx.x
    query = q[row, lane] * (LOG2E / math.sqrt(width))
    last = row + 1 if is_causal else k.shape[0]
    zero = Float32(0.0)
    for j, (best, total, mixed) in range(Int32(0), last, Int32(1), init=[Float32(-1e30), zero, zero]):
        score = wave_sum(query * k[j, lane])
        higher = fx.max(best, score)
        correction, weight = (best - higher).exp2(), (score - higher).exp2()
        state = yield [higher, total * correction + weight, mixed * correction + weight * v[j, lane]]
    out[row, lane] = state[2] / state[1]


@flyc.jit
def attention(
    q: fx.Tensor,
    k: fx.Tensor,
    v: fx.Tensor,
    out: fx.Tensor,
    width: fx.Constexpr[int] = WAVE,
    is_causal: fx.Constexpr[bool] = False,
):
    attention_kernel(q, k, v, out, width, is_causal).launch(grid=q.shape[0], block=WAVE)


@flyc.kernel
def best_column_kernel(x: fx.Tensor, found: fx.Tensor):
    """The column of the largest element of each row, of equal ones the first: pairs as one 64-bit key."""
    row, lane = fx.block_idx.x, fx.thread_idx.x
    best = fx.Int64(-(2**63))
    for j in range(lane, x.shape[1], WAVE):
        bits = llvm.BitcastOp(T.i32(), x[row, j]).result
        flipped = arith.xori(bits, arith.andi(arith.shrsi(bits, Int32(31)), Int32(0x7FFFFFFF)))
        high = arith.shli(arith.extsi(T.i64(), flipped), fx.Int64(32))
        best = arith.maxsi(best, arith.ori(high, arith.extui(T.i64(), Int32(0x7FFFFFFF) - j)))
    for distance in fx.range_constexpr(5):
        best = arith.maxsi(best, fx.shuffle_xor(best, 1 << distance, WAVE))
    if lane == 0:
        found[row] = Int32(0x7FFFFFFF) - arith.trunci(T.i32(), best)


@flyc.jit
def best_column(x: fx.Tensor, found: fx.Tensor):
    best_column_kernel(x, found).launch(grid=x.shape[0], block=WAVE)
