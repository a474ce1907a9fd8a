"""Raw values in the places where programs keep them: globals, partials, classes, branches on types."""

import functools

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import fly, llvm
from flydsl._mlir.dialects.llvm import AtomicBinOp, AtomicOrdering, load
from flydsl._mlir.extras import types as T
from flydsl._mlir.ir import F32Type, IntegerType, VectorType

I32 = T.i32()
V4 = VectorType.get([4], F32Type.get())
POINTER = ir.Type.parse("!llvm.ptr<1>")
ORDER = AtomicOrdering.monotonic
FAST = ir.Attribute.parse("#llvm.fastmath<fast>")
SCOPES = "[#llvm.alias_scope<id = distinct[0]<>, domain = <id = distinct[1]<>>>]"
load_four = functools.partial(load, V4, alignment=16)


class Loader:
    kind: ir.Type = V4

    def __init__(self, kind: ir.Type):
        self.kind = kind

    def __call__(self, pointer) -> ir.Value:
        return load(self.kind, pointer)


LOADER = Loader(I32)


def doubled(value: ir.Value) -> ir.Value:
    """Twice a raw value of any type."""
    if isinstance(value.type, ir.VectorType):
        assert ir.VectorType(value.type).shape == [4]
        return llvm.fadd(value, value, fastmathFlags=FAST)
    if isinstance(value.type, ir.FloatType):
        return llvm.fadd(value, value)
    if isinstance(value.type, IntegerType) and ir.IntegerType(value.type).width == 32:
        return llvm.AddOp(value, value, llvm.IntegerOverflowFlags.none).result
    raise TypeError(f"{value.type}")


@flyc.kernel
def kept_kernel(x: fx.Tensor, count: fx.Tensor):
    from flydsl._mlir.dialects import vector

    values = doubled(load_four(fly.extract_aligned_pointer_as_index(POINTER, x)))
    place = fly.extract_aligned_pointer_as_index(POINTER, count)
    old = llvm.AtomicRMWOp(AtomicBinOp.add, place, doubled(LOADER(place)), ORDER).result
    assert old.type == I32
    x[0] = doubled(vector.extract(values, dynamic_position=[], static_position=[3]))


@flyc.jit
def kept(x: fx.Tensor, count: fx.Tensor):
    kept_kernel(x, count).launch(grid=1, block=1)


@flyc.kernel
def scoped_kernel(x: fx.Tensor, y: fx.Tensor):
    """Accesses that do not alias by what their scopes say."""
    scopes = ir.Attribute.parse(SCOPES)
    i = fx.thread_idx.x
    places = [
        llvm.GEPOp(POINTER, fly.extract_aligned_pointer_as_index(POINTER, t), [i], [-(2**31)], T.f32(), None).result
        for t in (x, y)
    ]
    value = llvm.LoadOp(T.f32(), places[0], alias_scopes=scopes, alignment=4).result
    llvm.StoreOp(doubled(value), places[1], noalias_scopes=scopes, alignment=4)


@flyc.jit
def scoped(x: fx.Tensor, y: fx.Tensor):
    scoped_kernel(x, y).launch(grid=1, block=x.shape[0])
