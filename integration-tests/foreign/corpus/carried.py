"""Raw SSA values across branches and loops, and helpers that are @flyc.jit functions."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, fly, llvm, scf
from flydsl._mlir.extras import types as T
from flydsl.expr import as_ir_value, const_expr, range_constexpr
from flydsl.expr.utils import arith as arith_utils

POINTER = ir.Type.parse("!llvm.ptr<1>")


@flyc.kernel
def addresses_kernel(x: fx.Tensor, y: fx.Tensor):
    """Addresses chosen by a branch, and one that is only read in it."""
    i = fx.Int32(fx.thread_idx.x)
    here = fly.extract_aligned_pointer_as_index(POINTER, x)
    there = fly.extract_aligned_pointer_as_index(POINTER, y)
    place = here
    if i % 2 == 0:
        place = there
        value = llvm.load(T.i32(), here)
        llvm.store(as_ir_value(fx.Int32(value) + 1), llvm.GEPOp(POINTER, there, [i], [-(2**31)], T.i32(), None).result)
    if i == 1:
        last = llvm.GEPOp(POINTER, place, [], [5], T.i32(), None).result
        llvm.store(as_ir_value(fx.Int32(40)), last)


@flyc.jit
def addresses(x: fx.Tensor, y: fx.Tensor):
    addresses_kernel(x, y).launch(grid=1, block=6)


@flyc.kernel
def sums_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    """Loop states, conditions and variables that are SSA values."""
    i = fx.Int32(fx.thread_idx.x)
    total, least = as_ir_value(fx.Float32(0.0)), as_ir_value(x[0])
    for j, state in range(0, n, 1, init=[total]):
        item = as_ir_value(x[j])
        if arith.cmpf(arith.CmpFPredicate.OLT, item, least):
            least = item
        state = yield [as_ir_value(fx.Float32(state[0]) + fx.Float32(item))]
    y[i, 0] = fx.Float32(state)
    y[i, 1] = fx.Float32(least)


@flyc.jit
def sums(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    sums_kernel(x, y, n).launch(grid=1, block=2)


@flyc.jit
def split(value, parts):
    return value // parts, value % parts


class Tiler:
    def __init__(self, parts):
        self.parts = parts

    @flyc.jit
    def place(self, value):
        if const_expr(self.parts <= 1):
            return value, 0
        return split(value, self.parts)

    @flyc.jit
    def sum(self, x, count):
        total = fx.Float32(0.0)
        for k in range_constexpr(count):
            total = total + x[k]
        return total


def tiled(parts):
    tiler = Tiler(parts)

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.Int32(fx.thread_idx.x)
        row, column = tiler.place(i)
        y[i, 0] = fx.Float32(row)
        y[i, 1] = fx.Float32(column)
        y[i, 2] = tiler.sum(x, 3)

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=7)

    return launch


@flyc.kernel
def chosen_kernel(x: fx.Tensor, y: fx.Tensor, k: fx.Int32):
    """Elements of a thread's vector at indices of run time."""
    v = fx.Vector.from_elements([x[i] for i in range_constexpr(5)])
    for i in range(5):
        y[i] = v[i]
    y[5] = v[k] + v[(k + 1) % 5]
    y[6] = v.reduce(fx.ReductionOp.MIN)
    y[7] = v.reduce(fx.ReductionOp.MAX)


@flyc.jit
def chosen(x: fx.Tensor, y: fx.Tensor, k: fx.Int32):
    chosen_kernel(x, y, k).launch(grid=1, block=1)


@flyc.kernel
def built_kernel(x: fx.Tensor, y: fx.Tensor):
    """A loop and a branch that are built by hand: the sum of the items up to this thread, negated for odd ones."""
    i = fx.Int32(fx.thread_idx.x)
    loop = scf.ForOp(fx.Int32(0), i + 1, fx.Int32(1), [fx.Float32(0.0)])
    with ir.InsertionPoint(loop.body):
        scf.YieldOp([loop.inner_iter_args[0] + x[loop.induction_variable]])
    branch = scf.IfOp(as_ir_value(i % 2 == 1), [T.f32()], hasElse=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([-loop.result])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([loop.result])
    y[i, 0] = branch.results[0]
    mark = scf.IfOp(i == 3)
    with ir.InsertionPoint(mark.then_block):
        y[i, 1] = 5.0
        scf.YieldOp([])


@flyc.jit
def built(x: fx.Tensor, y: fx.Tensor):
    built_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.kernel
def counted_kernel(x: fx.Tensor, y: fx.Tensor):
    """A loop with a test that is built by hand: how often a number is halved or tripled on its way to 1."""
    i = fx.Int32(fx.thread_idx.x)
    kinds = [T.i32(), T.i32()]
    loop = scf.WhileOp(kinds, [as_ir_value(x[i]), as_ir_value(fx.Int32(0))])
    test = loop.before.blocks.append(*kinds)
    with ir.InsertionPoint(test):
        scf.ConditionOp(test.arguments[0] != 1, test.arguments)
    body = loop.after.blocks.append(*kinds)
    with ir.InsertionPoint(body):
        number, count = body.arguments
        following = (number % 2 == 0).select(number // 2, as_ir_value(3 * number + 1))
        scf.YieldOp([following, count + as_ir_value(fx.Int32(1))])
    y[i] = loop.results[1]


@flyc.jit
def counted(x: fx.Tensor, y: fx.Tensor):
    counted_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.kernel
def raw_addresses_kernel(x: fx.Tensor, y: fx.Tensor):
    """Addresses of SSA values, and vectors and addresses that are SSA values among values of the language."""
    generic = ir.Type.parse("!llvm.ptr")
    here = fly.extract_aligned_pointer_as_index(POINTER, as_ir_value(x))
    there = fly.extract_aligned_pointer_as_index(generic, fly.extract_aligned_pointer_as_index(POINTER, y))
    pair = fx.Vector(llvm.load(ir.VectorType.get([2], T.f32()), arith_utils._to_raw(here)))
    chosen = (x[2] > 0.0).select(pair, as_ir_value(-pair))
    fx.ptr_store(as_ir_value(chosen), fx.get_iter(y))
    third = arith_utils.unwrap(llvm.GEPOp(generic, there, [], [2], T.f32(), None).result)
    llvm.store(as_ir_value(x[2]) + x[0], third)


@flyc.jit
def raw_addresses(x: fx.Tensor, y: fx.Tensor):
    raw_addresses_kernel(x, y).launch(grid=1, block=1)
