"""Programs around kernels: factories, attributes of functions and launches, compile hints, classes, caches."""

import functools

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import _arith_ops_gen as arith_ops
from flydsl._mlir.dialects import arith, builtin, fly, gpu, llvm
from flydsl._mlir.extras import types as T
from flydsl.compiler.kernel_function import CompilationContext

TYPES = {"f16": fx.Float16, "bf16": fx.BFloat16, "f32": fx.Float32}
HINTS = {"llvm_options": {"enable-post-misched": False}}


@functools.cache
def build_scale(name: str, block: int = 128, vector: int = 4):
    """The launcher for one element type: kernels close over types and numbers."""
    dtype = TYPES[name]
    element = dtype.ir_type
    kind = ir.VectorType.get([vector], element)

    @flyc.kernel(name=f"scale_{name}")
    def scale_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32):
        pointer = llvm.PointerType.get(1)
        index = (fx.block_idx.x * block + fx.thread_idx.x) * vector
        if index < x.shape[0]:
            places = [
                llvm.GEPOp(
                    pointer, fly.extract_aligned_pointer_as_index(pointer, t), [index], [-(2**31)], element, None
                ).result
                for t in (x, y)
            ]
            values = fx.Vector(llvm.LoadOp(kind, places[0]).result, (vector,), dtype).to(fx.Float32)
            product = fx.Vector(
                arith_ops.MulFOp(values, [factor][0].ir_value()).result if vector == 1 else values * factor
            )
            llvm.StoreOp(product.to(dtype), places[1])

    @flyc.jit
    def scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, stream: fx.Stream = fx.Stream(None)):
        blocks = fx.ceil_div(x.shape[0], block * vector)
        scale_kernel(x, y, factor, value_attrs={"rocdl.waves_per_eu": 2}).launch(
            grid=(blocks, 1, 1), block=(block, 1, 1), stream=stream
        )

    scale.compile_hints = HINTS
    return scale


def run_hinted(launcher, *arguments):
    with CompilationContext.compile_hints({"waves_per_eu": 1, "fast_fp_math": True}):
        launcher(*arguments)


class Pipeline:
    """Kernels that are methods' helpers: state of the host, values of the device."""

    def __init__(self, steps: int):
        self.steps = steps

    def polynomial(self, value, coefficients):
        result = fx.Float32(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = arith.addf(arith.mulf(result, value), coefficient)
        return result

    def launcher(self, coefficients: tuple):
        @flyc.kernel
        def kernel(x: fx.Tensor, y: fx.Tensor):
            class Window:
                first = 0

                def clip(self, i):
                    return fx.max(i, self.first)

            i = Window().clip(fx.block_idx.x * 32 + fx.thread_idx.x)
            if i < x.shape[0]:
                value = x[i]
                for _ in fx.range_constexpr(self.steps):
                    value = self.polynomial(value, coefficients)
                y[i] = value

        @flyc.jit
        def run(x: fx.Tensor, y: fx.Tensor):
            kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], 32), block=32)

        return run


@flyc.kernel
def guarded_kernel(x: fx.Tensor, y: fx.Tensor):
    """What is not loaded is poison that nobody uses; the likely side is told."""
    i = fx.Int32(arith.IndexCastOp(T.i32(), gpu.thread_id(gpu.Dimension.x)).result)
    i = i + arith.index_cast(T.i32(), gpu.block_id(gpu.Dimension.x)) * 32
    inside = llvm.intr_expect(i < x.shape[0], arith.constant(T.i1(), 1))
    value = fx.Float32(llvm.mlir_poison(T.f32()))
    if inside:
        value = x[i]
    if inside:
        y[i] = arith.SelectOp(arith.cmpf("ogt", value, 0.0), value, 0.0).result


@flyc.jit
def guarded(x: fx.Tensor, y: fx.Tensor):
    guarded_kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], 32), block=32)


@flyc.kernel
def integers_kernel(x: fx.Tensor, y: fx.Tensor):
    """Integers of several widths: widened, multiplied in 64 bits, the upper half taken."""
    i = fx.thread_idx.x
    flags = llvm.IntegerOverflowFlags(0)
    wide = llvm.ZExtOp(T.i64(), x[i].ir_value()).result
    product = llvm.MulOp(wide, llvm.ConstantOp(T.i64(), ir.IntegerAttr.get(T.i64(), 2654435761)).result, flags).result
    high = llvm.trunc(T.i32(), llvm.lshr(product, 32))
    moved = llvm.AddOp(high, arith.MulIOp(x[i], 3).result, flags).result
    signed = arith.ExtSIOp(T.i64(), moved).result
    y[i] = arith.trunci(T.i32(), arith.AddIOp(signed, arith.BitcastOp(T.i64(), fx.Int64(1)).result).result)


@flyc.jit
def integers(x: fx.Tensor, y: fx.Tensor):
    integers_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.kernel
def cast_kernel(x: fx.Tensor, y: fx.Tensor):
    """A tensor seen as an address by a cast, and an index as an integer."""
    pointer = ir.Type.parse("!llvm.ptr")
    base = builtin.UnrealizedConversionCastOp([pointer], [x]).results[0]
    index = builtin.UnrealizedConversionCastOp([T.i64()], [gpu.thread_id(gpu.Dimension.x)]).result
    place = llvm.getelementptr(pointer, base, [index], [-(2**31)], T.f32(), None)
    y[fx.thread_idx.x] = llvm.load(T.f32(), place)


@flyc.jit
def cast(x: fx.Tensor, y: fx.Tensor):
    cast_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.jit
def nothing(x: fx.Tensor):
    """Launches nothing: traced and compiled all the same."""
    with ir.Location.unknown():
        assert isinstance(ir.Context.current, ir.Context)
        assert gpu.AsyncTokenType.get() is not None
