"""The native entry of a kernel: `void NAME(void **params, const FlyCpuBlock *b, void *scratch, void *shared)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    StringAttr,
    TensorType,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from flydsl.backend.ir import GPUFuncOp
from flydsl.backend.llvm import LLVMBuilder, array_type, pointer_type
from flydsl_cpu.lowering.emission.thread_loop import BlockShape
from flydsl_cpu.lowering.kernels import Extents, extents_of
from flydsl_cpu.lowering.memory.arrays import PerThreadArrays
from flydsl_cpu.lowering.memory.memory_objects import MemoryObjects

_BLOCK_ID, _GRID_DIM, _BLOCK_DIM, _STOP = 0, 12, 24, 40
_PARAMS, _BLOCK, _SCRATCH, _SHARED = range(4)


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """The native function under construction: its first block loads what all threads of a block share."""

    function: func.FuncOp
    prologue: LLVMBuilder
    shape: BlockShape
    arrays: PerThreadArrays
    thread_count: SSAValue
    params: tuple[SSAValue, ...]
    objects: MemoryObjects

    @property
    def block(self) -> Block:
        """The first block of the function."""
        return self.prologue.block

    @classmethod
    def of(cls, kernel: GPUFuncOp, width: int) -> KernelEntry:
        """The entry of the native function for `kernel`; its body is still empty. `width` is that of `BlockShape`."""
        pointer = pointer_type()
        block = Block(arg_types=[pointer] * 4)
        function = func.FuncOp.create(
            properties={
                "sym_name": kernel.sym_name,
                "function_type": FunctionType.from_lists([pointer] * 4, []),
                "arg_attrs": _argument_attributes(),
            },
            # Else spilled vectors are at multiples of 16 bytes, and each access to one goes to two cache lines: LLVM
            # chooses its registers before it knows of spills, and has none left to align the stack with.
            attributes={"passthrough": ArrayAttr([StringAttr("stackrealign")])},
            regions=[Region(block)],
        )
        build = LLVMBuilder(block)
        params = tuple(
            build.load(build.load(build.gep(block.args[_PARAMS], (i,), pointer, inbounds=True), pointer), type_)
            for i, type_ in enumerate(kernel.regions[0].block.arg_types)
        )
        shape = _block_shape(build, block.args[_BLOCK], extents_of(kernel), width)
        x, y, z = shape.extents
        threads = build.integer_cast(build.mul(build.mul(x, y, nsw=True), z, nsw=True), i64)
        objects = MemoryObjects(set(params))
        arrays = PerThreadArrays(build, block.args[_SCRATCH], threads, objects)
        return cls(function, build, shape, arrays, threads, params, objects)

    @property
    def block_argument(self) -> SSAValue:
        """The `FlyCpuBlock`."""
        return self.block.args[_BLOCK]

    def stop_function(self) -> SSAValue:
        """What ends the launch with an error."""
        at = self.prologue.gep(self.block_argument, (_STOP,), i8, inbounds=True)
        return self.prologue.load(at, pointer_type())

    def block_id(self, dim: int) -> SSAValue:
        """gpu.block_id as an index."""
        return self._field(_BLOCK_ID + 4 * dim)

    def grid_dim(self, dim: int) -> SSAValue:
        """gpu.grid_dim as an index."""
        return self._field(_GRID_DIM + 4 * dim)

    def block_dim(self, dim: int) -> SSAValue:
        """gpu.block_dim as an index."""
        return self.prologue.integer_cast(self.shape.extents[dim], IndexType())

    def shared(self, offset: int) -> SSAValue:
        """The address `offset` bytes into the block's shared memory."""
        address = self.prologue.gep(self.block.args[_SHARED], (offset,), i8, inbounds=True)
        self.objects.allocations[address] = ("shared", offset)
        return address

    def _field(self, offset: int) -> SSAValue:
        value = _load_field(self.prologue, self.block.args[_BLOCK], offset)
        return self.prologue.integer_cast(value, IndexType())


def scratch_argument(function: func.FuncOp) -> SSAValue:
    """The start of scratch memory, in a native function."""
    return function.body.blocks[0].args[_SCRATCH]


def info_global(kernel: str, info: Sequence[int]) -> llvm.GlobalOp:
    """`NAME_info`, which tells the runtime how much memory a block of the kernel needs: a FlyCpuKernelInfo."""
    return llvm.GlobalOp(
        array_type(len(info), i64), f"{kernel}_info", "external", constant=True, value=_numbers(info), alignment=8
    )


def add_memory(function: func.FuncOp, scratch: int, stack: int) -> None:
    """Let the runtime know of more bytes that a block of a native function needs."""
    following = function.next_op
    assert isinstance(following, llvm.GlobalOp), "a kernel is followed by its info"
    values = following.value
    assert isinstance(values, DenseIntOrFPElementsAttr)
    per_thread, shared, per_block, on_stack = (int(number) for number in values.get_values())
    following.value = _numbers((per_thread, shared, per_block + scratch, on_stack + stack))


def _numbers(values: Sequence[int]) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(values)]), list(values))


def _block_shape(build: LLVMBuilder, block: SSAValue, known: Extents, width: int) -> BlockShape:
    x, y, z = (
        build.constant(extent) if extent is not None else _load_field(build, block, _BLOCK_DIM + 4 * dim)
        for dim, extent in enumerate(known)
    )
    return BlockShape((x, y, z), known, build.constant(0), build.constant(1), build.constant(0, i64), width)


def _load_field(build: LLVMBuilder, block: SSAValue, offset: int) -> SSAValue:
    return build.load(build.gep(block, (offset,), i8, inbounds=True), i32, 4)


def _argument_attributes() -> ArrayAttr[Attribute]:
    no_alias = {"llvm.noalias": UnitAttr(), "llvm.nonnull": UnitAttr()}
    read_only = DictionaryAttr({**no_alias, "llvm.readonly": UnitAttr()})
    scratch = DictionaryAttr(dict(no_alias))
    return ArrayAttr([read_only, read_only, scratch, scratch])
