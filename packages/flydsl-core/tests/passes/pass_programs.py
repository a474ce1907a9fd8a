"""Kernels built and executed for the tests of passes: what a module does must not change from pass to pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, ModuleOp, StringAttr, UnitAttr, f32, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

import flydsl.layout as fl
from flydsl.ir import fly
from flydsl.ir.build import Builder
from flydsl.ir.fly.attributes import GLOBAL
from flydsl.ir.fly.infer import infer_results
from flydsl.ir.fly.types import (
    CoordTensorType,
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MemRefType,
    UniversalCopyType,
    payload_type,
)
from flydsl.ir.gpu_ops import GPUFuncOp, GPUModuleOp, GPUReturnOp
from flydsl.ir.interpret import Address, Memory, Tensor, run
from flydsl.ir.parse import verify
from flydsl.passes.registry import run as run_passes
from flydsl.passes.signature.slots import slots_of

STAGES = (
    "fly-rewrite-func-signature",
    "fly-canonicalize",
    "fly-layout-lowering{exact=true}",
    "fly-int-swizzle-simplify",
    "canonicalize",
    "fly-convert-atom-call-to-ssa-form{share=true}",
    "fly-promote-regmem-to-vectorssa",
    "canonicalize",
)
_FLY_OPS = {op.name: op for op in fly.Fly.operations}


class Kernel:
    """A module with one kernel under construction."""

    def __init__(self, *types: Attribute) -> None:
        self.block = Block(arg_types=types)
        self.build = Builder(self.block)
        self.types = types

    @property
    def args(self) -> tuple[SSAValue, ...]:
        return self.block.args

    def fly(self, name: str, *operands: SSAValue, **attributes: Attribute) -> Any:
        """A Fly operation with inferred result types; its only result."""
        op_class = _FLY_OPS[f"fly.{name}"]
        types = infer_results(op_class.name, [operand.type for operand in operands], attributes)
        op = self.build.create(op_class, operands, types, attributes)
        return op.results[0] if len(op.results) == 1 else op.results

    def op(self, op_class: type[Operation], operands: Sequence[SSAValue], *types: Attribute, **extra: Any) -> Any:
        """Any operation; its only result."""
        made = self.build.create(op_class, operands, types, **extra)
        return made.results[0] if types else made

    def effect(self, name: str, *operands: SSAValue, **attributes: Attribute) -> Operation:
        """A Fly operation without result."""
        return self.build.create(_FLY_OPS[f"fly.{name}"], operands, (), attributes)

    def static(self, value: Any) -> SSAValue:
        """A static layout value, or the value of a static type."""
        type_ = value if isinstance(value, Attribute) else payload_type(value)
        op_class = fly.MakeIntTupleOp if isinstance(type_, IntTupleType) else fly.StaticOp
        return self.op(op_class, [], type_)

    def coord(self, pattern: Any, *leaves: SSAValue) -> SSAValue:
        """`fly.make_int_tuple` of a tuple with dynamic leaves."""
        return self.op(fly.MakeIntTupleOp, leaves, IntTupleType(pattern))

    def layout(self, value: fl.Layout, *leaves: SSAValue) -> SSAValue:
        """A layout whose dynamic leaves are `leaves`: those of the shape, then those of the stride."""
        count = len(fl.leaves(value.shape))
        shape, stride = self.coord(value.shape, *leaves[:count]), self.coord(value.stride, *leaves[count:])
        return self.op(fly.MakeLayoutOp, [shape, stride], LayoutType(value))

    def constant(self, value: int, type_: Any = i32) -> SSAValue:
        return self.op(arith.ConstantOp, [], type_, properties={"value": IntegerAttr(value, type_)})

    def index(self, name: str, axis: str = "X") -> SSAValue:
        """`thread_id` or `block_id` as i32."""
        kinds = {"thread_id": gpu.ThreadIdOp, "block_id": gpu.BlockIdOp}
        dimension = {"dimension": gpu.DimensionAttr(gpu.DimensionEnum[axis])}
        found = self.op(kinds[name], [], IndexType(), properties=dimension)
        return self.op(arith.IndexCastOp, [found], i32)

    def module(self, check: bool = True) -> ModuleOp:
        """The finished module."""
        self.build.create(GPUReturnOp)
        function = GPUFuncOp.create(
            regions=[Region(self.block)],
            attributes={"sym_name": StringAttr("kernel"), "gpu.kernel": UnitAttr()},
            properties={"function_type": FunctionType.from_lists(self.types, [])},
        )
        kernels = GPUModuleOp.create(
            regions=[Region(Block([function]))], properties={"sym_name": StringAttr("kernels")}
        )
        module = ModuleOp([kernels])
        if check:
            verify(module)
        return module


def kernel_of(module: ModuleOp) -> Operation:
    """The only kernel of a module."""
    (found,) = [op for op in module.walk() if op.name == "gpu.func"]
    return found


def buffer(array: np.ndarray, element: Attribute) -> Address:
    """The bytes of an array as memory of the interpreter."""
    return Address(Memory(bytearray(np.ascontiguousarray(array).tobytes())), 0, element)


def contents(address: Address, dtype: Any) -> np.ndarray:
    """The memory as an array."""
    return np.frombuffer(bytes(address.memory.data), dtype=dtype)


Argument = tuple[Any, Attribute]


def execute(
    module: ModuleOp, arguments: Sequence[Argument], *, threads: int = 1, blocks: tuple[int, int] = (1, 1)
) -> None:
    """Run the kernel for all threads, one after the other; arguments are (value, type) of the original signature."""
    kernel = kernel_of(module)
    values = [value for value, _ in arguments]
    if [arg.type for arg in kernel.regions[0].blocks[0].args] != [type_ for _, type_ in arguments]:
        values = [part for value, type_ in arguments for part in _as_passed(value, type_)]
    for bx in range(blocks[0]):
        for by in range(blocks[1]):
            for thread in range(threads):
                run(kernel, values, {"gpu.thread_id": (thread, 0, 0), "gpu.block_id": (bx, by, 0)})


def _as_passed(value: Any, type_: Attribute) -> list[Any]:
    """The values that a converted signature takes in place of `value`."""
    slots = slots_of(type_)
    if slots is None:
        return [value]
    found: list[Any] = []
    leaves = iter(_leaves(value, type_) if slots else [])
    for slot in slots:
        found.append(_filled(slot, leaves) if slot.leaves else value.iter)
    return found


def _filled(slot: Any, leaves: Any) -> Any:
    tree: list[Any] = []
    for path, _ in slot.leaves:
        place = tree
        for index in path[:-1]:
            while len(place) <= index:
                place.append([])
            place = place[index]
        place.append(next(leaves))
    return tree


def _leaves(value: Any, type_: Attribute) -> list[int]:
    """The integers that stand where the type has dynamic leaves, in the order of the slots."""
    if isinstance(type_, MemRefType):
        return _layout_leaves(value.layout, type_.layout)
    if isinstance(type_, CoordTensorType):
        return [*_tuple_leaves(value.iter, type_.base), *_layout_leaves(value.layout, type_.layout)]
    pattern = type_.value  # type: ignore[attr-defined]
    return _tuple_leaves(value, pattern) if isinstance(type_, IntTupleType) else _layout_leaves(value, pattern)


def _layout_leaves(value: Any, pattern: Any) -> list[int]:
    if isinstance(pattern, fl.ComposedLayout):
        return [*_layout_leaves(value.outer, pattern.outer), *_tuple_leaves(value.offset, pattern.offset)]
    return [*_tuple_leaves(value.shape, pattern.shape), *_tuple_leaves(value.stride, pattern.stride)]


def _tuple_leaves(value: Any, pattern: Any) -> list[int]:
    if isinstance(pattern, tuple):
        return [leaf for v, p in zip(value, pattern, strict=True) for leaf in _tuple_leaves(v, p)]
    if isinstance(pattern, fl.Basis):
        return _tuple_leaves(value.value, pattern.value)
    return [value] if isinstance(pattern, fl.Dyn) else []


def tensor(array: np.ndarray, type_: MemRefType, layout: Any) -> tuple[Tensor, MemRefType]:
    """An argument of a tensor type: its memory and the integers of its layout."""
    return Tensor(buffer(array, type_.element), layout), type_


def stages_of(module: ModuleOp) -> list[tuple[str, ModuleOp]]:
    """The module as it is and after each pass of the pipeline, every one verified."""
    found = [("as built", module.clone())]
    for stage in STAGES:
        run_passes(module, stage)
        verify(module)
        found.append((stage, module.clone()))
    return found


def op_names(module: ModuleOp) -> set[str]:
    """The names of all operations."""
    return {op.name for op in module.walk()}


_SURVIVORS = """
    make_ptr add_offset recast_iter ptr.load ptr.store inttoptr ptrtoint to_llvm_ptr apply_swizzle get_dyn_shared
    make_int_tuple get_scalar static make_layout make_view make_copy_atom make_mma_atom atom.set_value
    copy_atom_call copy_atom_call_ssa mma_atom_call mma_atom_call_ssa
"""
SURVIVORS = frozenset(f"fly.{name}" for name in _SURVIVORS.split())
"""Fly operations that may remain at the end of the pipeline."""

LOWERING = "fly-rewrite-func-signature,fly-canonicalize,fly-layout-lowering"


def memory(layout: Any, element: Any = f32, space: Any = GLOBAL, **extra: Any) -> MemRefType:
    return MemRefType(element, space, layout, **extra)


def copy_atom(k: Kernel, bits: int, value_bits: int = 32) -> Any:
    type_ = CopyAtomType(UniversalCopyType(bits), value_bits)
    return k.op(fly.MakeCopyAtomOp, [], type_, attributes={"valBits": IntegerAttr(value_bits, i32)})


def effect_of(
    k: Kernel, arrays: list[np.ndarray], layouts: list[Any], extra: Any = (), **where: Any
) -> list[np.ndarray]:
    """What the kernel leaves in its tensors, which must be the same at every stage."""
    outcomes = []
    for _, module in stages_of(k.module()):
        arguments: list[Any] = [
            tensor(array.copy(), type_, layout)  # type: ignore[arg-type]
            for array, type_, layout in zip(arrays, k.types, layouts, strict=False)
        ]
        execute(module, [*arguments, *extra], **where)
        outcomes.append([contents(a[0].iter, array.dtype) for a, array in zip(arguments, arrays, strict=True)])
    for outcome in outcomes[1:]:
        for found, expected in zip(outcome, outcomes[0], strict=True):
            np.testing.assert_array_equal(found, expected)
    return outcomes[0]


def values(count: int) -> np.ndarray:
    return np.random.default_rng(count).standard_normal(count).astype(np.float32)
