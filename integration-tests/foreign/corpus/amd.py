"""What only AMD GPUs have: buffer resources, lanes, assembly, conversions, matrix instructions; by raw operations."""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, fly, fly_rocdl, llvm, rocdl, vector
from flydsl._mlir.extras import types as T
from flydsl.runtime.device import get_rocm_arch, get_warp_size, is_rdna_arch

BLOCK = 64
FLAGS = {False: 0x27000, True: 0x31027000}


def resource_of(tensor, byte_count):
    """A buffer resource of the first bytes of a tensor, by the raw operation."""
    base = fly.extract_aligned_pointer_as_index(ir.Type.parse("!llvm.ptr"), tensor)
    flags = arith.constant(T.i32(), FLAGS[is_rdna_arch()])
    stride, size = arith.constant(T.i16(), 0), arith.extsi(T.i64(), fx.Int32(byte_count))
    return rocdl.MakeBufferRsrcOp(ir.Type.parse("!llvm.ptr<8>"), base, stride, size, flags).result


@flyc.kernel
def bounded_kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
    """Loads and stores that the hardware bounds: nothing is tested here."""
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    source, target = resource_of(x, count * 4), resource_of(y, x.shape[0] * 4)
    zero = fx.Int32(0).ir_value()
    value = rocdl.RawPtrBufferLoadOp(T.f32(), source, (i * 4).ir_value(), zero, aux=zero).result
    doubled = fx.Float32(value) * 2.0
    rocdl.RawPtrBufferStoreOp(doubled.ir_value(), target, (i * 4).ir_value(), zero, aux=zero)


@flyc.jit
def bounded(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
    bounded_kernel(x, y, count).launch(grid=fx.ceil_div(y.shape[0], BLOCK), block=BLOCK)


@flyc.kernel
def scalar_loads_kernel(x: fx.Tensor, y: fx.Tensor):
    """Four numbers for the whole wave by a scalar load: the resource as bits of 128."""
    resource = resource_of(x, x.shape[0] * 4)
    bits = llvm.ptrtoint(ir.IntegerType.get_signless(128), resource)
    words = llvm.bitcast(ir.Type.parse("vector<4xi32>"), bits)
    offset, policy = fx.block_idx.x * 16, fx.Int32(0)
    kind = ir.VectorType.get([4], T.i32())
    four = llvm.call_intrinsic(kind, "llvm.amdgcn.s.buffer.load.v4i32", [words, offset, policy], [], [])
    one = llvm.call_intrinsic(T.i32(), "llvm.amdgcn.s.buffer.load.i32", [words, offset, policy], [], [])
    eight = fx.rocdl.s_buffer_load(fx.Vector.make_type(8, fx.Int32), resource, fx.Int32(0))
    again = fx.rocdl.s_buffer_load(fx.Float32, resource, offset)
    if fx.thread_idx.x == 0:
        for k in fx.range_constexpr(4):
            y[fx.block_idx.x, k] = four[k]
        y[fx.block_idx.x, 4] = one
        y[fx.block_idx.x, 5] = eight[7]
        y[fx.block_idx.x, 6] = again.bitcast(fx.Int32)


@flyc.jit
def scalar_loads(x: fx.Tensor, y: fx.Tensor):
    scalar_loads_kernel(x, y).launch(grid=y.shape[0], block=32)


def shifted(value, distance):
    """Of each row of 16 lanes the value so many lanes before; zero where there is none."""
    control = fx.Int32(0x110 + distance)
    operands = [fx.Int32(0), llvm.BitcastOp(T.i32(), value).result, control, fx.Int32(15), fx.Int32(15)]
    moved = llvm.call_intrinsic(T.i32(), "llvm.amdgcn.update.dpp.i32", [*operands, fx.Boolean(True)], [], [])
    return llvm.bitcast(T.f32(), moved)


@flyc.kernel
def running_sums_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    value = x[i].ir_value()
    for step in fx.range_constexpr(4):
        value = arith.addf(value, shifted(value, 1 << step))
    y[i] = value


@flyc.jit
def running_sums(x: fx.Tensor, y: fx.Tensor):
    running_sums_kernel(x, y).launch(grid=x.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def assembly_kernel(x: fx.Tensor, y: fx.Tensor):
    """Instructions as text: one result, two results as a struct, and none."""
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    value = x[i].ir_value()
    more = llvm.inline_asm(T.f32(), [value, fx.Float32(1.5).ir_value()], "v_add_f32 $0, $1, $2", "=v,v,v")
    kept = llvm.InlineAsmOp(T.f32(), [more], "", "=v,0", has_side_effects=True).result
    pair = llvm.inline_asm(
        ir.Type.parse("!llvm.struct<(f32, f32)>"),
        [kept],
        "v_mul_f32 $0, 2.0, $2\nv_add_f32 $1, 1.0, $2",
        "=&v,=&v,v",
        has_side_effects=True,
    )
    llvm.inline_asm(None, [], "s_nop 0", "", has_side_effects=True)
    llvm.inline_asm(ir.Type.parse("!llvm.void"), [], "s_nop 1", "", has_side_effects=True)
    y[i, 0] = llvm.extractvalue(T.f32(), pair, [0])
    y[i, 1] = llvm.extractvalue(T.f32(), pair, [1])


@flyc.jit
def assembly(x: fx.Tensor, y: fx.Tensor):
    assembly_kernel(x, y).launch(grid=x.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def sigmoid_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    scaled = arith.mulf(x[i], -1.4426950408889634)
    power = rocdl.exp2(T.f32(), scaled)
    y[i] = rocdl.rcp(T.f32(), arith.addf(power, 1.0))
    rocdl.sched_barrier(0)


@flyc.jit
def sigmoid(x: fx.Tensor, y: fx.Tensor):
    kernel = sigmoid_kernel(
        x,
        y,
        unit_attrs=["amdgpu.uniform"],
        value_attrs={"rocdl.waves_per_eu": 2, "rocdl.flat_work_group_size": "64,64"},
    )
    kernel.launch(grid=(x.shape[0] // BLOCK, 1, 1), block=(BLOCK, 1, 1))


@flyc.kernel
def fp8_kernel(x: fx.Tensor, y: fx.Tensor):
    """Four floats a thread as four bytes of one word."""
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    v = fx.zipped_divide(x, 4)[None, i].load()
    low = rocdl.cvt_pk_fp8_f32(T.i32(), v[0].ir_value(), v[1].ir_value(), fx.Int32(0).ir_value(), False)
    y[i] = rocdl.cvt_pk_fp8_f32(T.i32(), v[2].ir_value(), v[3].ir_value(), low, True)


@flyc.jit
def fp8(x: fx.Tensor, y: fx.Tensor):
    fp8_kernel(x, y).launch(grid=y.shape[0] // BLOCK, block=BLOCK)


@flyc.kernel
def permuted_kernel(x: fx.Tensor, y: fx.Tensor):
    """The lane after the next of each wave, by a permutation through LDS."""
    i = fx.thread_idx.x
    place = ((i + 2) % get_warp_size()) * 4
    y[i] = rocdl.ds_bpermute(T.i32(), place.ir_value(), x[i].ir_value())


@flyc.jit
def permuted(x: fx.Tensor, y: fx.Tensor):
    permuted_kernel(x, y).launch(grid=1, block=x.shape[0])


@flyc.kernel
def matrix_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """A product of 16 x 16 x 16 halves by one matrix instruction, its operands vectors of each lane's elements."""
    lane = fx.thread_idx.x
    row, group = lane % 16, lane // 16
    half = ir.VectorType.get([4], T.f16())
    left = vector.from_elements(half, [a[row, group * 4 + k].ir_value() for k in range(4)])
    right = vector.from_elements(half, [b[row, group * 4 + k].ir_value() for k in range(4)])
    zero = arith.constant(ir.VectorType.get([4], T.f32()), 0.0)
    fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float16))  # of gfx950, for other branches of a program
    atom = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 16, fx.Float16))
    sums = fly.mma_atom_call_ssa([zero.type], atom, left, right, zero)
    for k in fx.range_constexpr(4):
        c[group * 4 + k, row] = vector.extract(sums, dynamic_position=[], static_position=[k])


@flyc.kernel
def wide_matrix_kernel(a: fx.Tensor, c: fx.Tensor):
    """The instruction of gfx950, used."""
    half = ir.VectorType.get([8], T.f16())
    left = vector.from_elements(half, [a[0, k].ir_value() for k in range(8)])
    zero = arith.constant(ir.VectorType.get([4], T.f32()), 0.0)
    atom = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float16))
    sums = fly.mma_atom_call_ssa([zero.type], atom, left, left, zero)
    c[0, fx.thread_idx.x % 16] = vector.extract(sums, dynamic_position=[], static_position=[0])


@flyc.jit
def wide_matrix(a: fx.Tensor, c: fx.Tensor):
    wide_matrix_kernel(a, c).launch(grid=1, block=64)


@flyc.jit
def matrix(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    matrix_kernel(a, b, c).launch(grid=1, block=64)


@flyc.kernel
def spaces_kernel(x: fx.Tensor, y: fx.Tensor):
    """Buffer tensors are in an address space of the target."""
    buffer = fx.rocdl.make_buffer_tensor(x, max_size=False)
    assert buffer.memspace == fly_rocdl.TargetAddressSpace.BufferDesc
    assert x.memspace != fly_rocdl.TargetAddressSpace.BufferDesc
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float32)
    i = fx.thread_idx.x
    part = fx.slice(fx.zipped_divide(buffer, 4), (None, i))
    loaded = fly.copy_atom_call_ssa([ir.VectorType.get([4], T.f32())], atom, part)
    if fx.const_expr(not get_rocm_arch().startswith("gfx12")):
        rocdl.s_waitcnt(0)
    fx.zipped_divide(y, 4)[None, i].store(fx.Vector(loaded, (4,), fx.Float32) + 1.0)


@flyc.jit
def spaces(x: fx.Tensor, y: fx.Tensor):
    spaces_kernel(x, y).launch(grid=1, block=x.shape[0] // 4)
