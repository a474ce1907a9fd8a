"""Branches by calls, as rewritten code of other versions has them, and attributes that are set on traced kernels."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.extras import types as T
from flydsl.compiler.ast_rewriter import InsertEmptyYieldForSCFFor, ReplaceIfWithDispatch
from flydsl.compiler.kernel_function import CompilationContext
from flydsl.expr.gpu import lds_space
from flydsl.expr.typing import AddressSpace, PointerType, address_space_from_attr

if_ = ReplaceIfWithDispatch.scf_if_dispatch
for_ = InsertEmptyYieldForSCFFor.scf_for_dispatch


@flyc.kernel
def clipped_kernel(x: fx.Tensor, y: fx.Tensor, low: fx.Float32, is_signed: fx.Constexpr[bool]):
    i = fx.Int32(fx.thread_idx.x)
    value, count = x[i], fx.Int32(0)
    value, count = if_(
        fx.as_ir_value(value < low),
        lambda names, value, count: {"value": low, "count": count + 1},
        lambda value, count: (value + 1.0, count),
        result_names=("value", "count"),
        result_values=(value, count),
    )
    value = if_(
        is_signed,
        lambda value: -fx.Float32(value),
        lambda value: None,
        state_names=("value",),
        state_values=[fx.as_ir_value(value)],
    )

    def store():
        y[i, 1] = 5.0

    assert if_(i == 2, store) is None
    y[i, 0] = fx.Float32(value) + fx.Float32(count) * 100.0


@flyc.jit
def clipped(x: fx.Tensor, y: fx.Tensor, low: fx.Float32, is_signed: fx.Constexpr[bool]):
    clipped_kernel(x, y, low, is_signed).launch(grid=1, block=x.shape[0])


@flyc.kernel
def spaces_kernel(x: fx.Tensor, y: fx.Tensor):
    assert address_space_from_attr(x.address_space) == AddressSpace.Global
    assert PointerType(fx.get_iter(x).type).address_space == x.address_space
    assert str(lds_space()) == "#gpu.address_space<workgroup>"
    y[fx.thread_idx.x] = x[fx.thread_idx.x]


@flyc.jit
def limited(x: fx.Tensor, y: fx.Tensor):
    spaces_kernel(x, y).launch(grid=1, block=64)
    body = CompilationContext.get_current().gpu_module_body
    for operation in body.operations:
        if operation.OPERATION_NAME == "gpu.func":
            operation.attributes["rocdl.waves_per_eu"] = ir.IntegerAttr.get(T.i32(), 2)
    with ir.InsertionPoint(body):
        pass


@flyc.kernel
def looped_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    i = fx.Int32(fx.thread_idx.x)

    def step(k, names, total, count):
        assert names == ("total", "count")
        return {"total": total + x[k]}

    total, count = for_(0, n, 2, step, result_names=("total", "count"), result_values=(fx.Float32(i), fx.Int32(3)))
    raw = for_(
        fx.Index(0),
        fx.Index(3),
        fx.Index(1),
        lambda k, value: fx.as_ir_value(fx.Int32(value) * 2),
        state_names=["raw"],
        state_values=[fx.as_ir_value(count)],
    )

    def store(k):
        y[i, 1 + k] = 7.0

    assert for_(0, 2, 1, store) is None
    y[i, 0] = total + fx.Int32(raw) * 100.0


@flyc.jit
def looped(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    looped_kernel(x, y, n).launch(grid=1, block=y.shape[0])
