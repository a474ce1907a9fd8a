"""Conversion of a module to one without Fly types and operations: one linear walk.

Results of Fly operations are mapped to lowered values; values of other operations with a Fly or narrow-float type get
their converted type. A target adds memory spaces, atoms and operations through its `LoweringTarget`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from flydsl.backend.conversion.constants import narrow_constant
from flydsl.backend.conversion.target import LoweringTarget, Memory, MemorySpace
from flydsl.backend.conversion.types import TypeConverter
from flydsl.base.errors import FlyDSLError, IRError
from flydsl.ir.fly import MakeIntTupleOp
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.fly.types import IntTupleType, MemRefType, PointerType
from flydsl.passes.located import with_location
from flydsl.passes.rewriting import block_ops, erase, map_operands, operands_of
from flydsl.passes.to_llvm.builder import LLVMBuilder

_MOVES = frozenset({"arith.select", "arith.bitcast", "arith.constant"})
_IN_MEMORY = frozenset({MemRefType, PointerType})
Handlers = Mapping[type[Operation], Callable[["Conversion", Any], None]]


class Conversion:
    """The state of one module's conversion: lowered values, original types, symbols, the current place."""

    def __init__(self, target: LoweringTarget, symbols: Block, handlers: Handlers) -> None:
        self.target, self.types = target, TypeConverter(target)
        self._block = symbols
        self._handlers = handlers
        self.symbols = {_symbol_name(op) for op in symbols.ops}
        self.build: LLVMBuilder
        self.entry: LLVMBuilder
        self._values: dict[SSAValue, SSAValue] = {}
        self._originals: dict[SSAValue, Attribute] = {}
        self._lowered: list[Operation] = []

    def function(self, function: Operation) -> None:
        """Convert a function with its body, in place."""
        for region in function.regions:
            for number, block in enumerate(region.blocks):
                if number == 0:
                    self.entry = LLVMBuilder(block, block.first_op)
                self._arguments(block)
                self._operations(block)
        for op in reversed(self._lowered):
            erase(op)
        self._lowered = []
        _update_signature(function)

    # for handlers

    def value(self, value: SSAValue) -> SSAValue:
        """The lowered value of an operand."""
        found = self._values.get(value, value)
        if is_fly(type(found.owner)):
            assert isinstance(found.owner, FlyOp)
            raise IRError(
                f"{found.type} made by {found.owner.name} has no value at run time on target {self.target.name!r}"
            )
        return found

    def type_of(self, value: SSAValue) -> Attribute:
        """The type of an operand before conversion."""
        return self._originals.get(value, value.type)

    def pointer_type(self, value: SSAValue) -> PointerType:
        """The Fly pointer type of a pointer or tensor operand."""
        type_ = self.type_of(value)
        if isinstance(type_, MemRefType):
            return type_.pointer
        if not isinstance(type_, PointerType):
            raise IRError(f"expected a pointer, found {type_}")
        return type_

    def space(self, type_: PointerType) -> MemorySpace:
        """The memory space that a pointer points into."""
        return self.types.space(type_)

    def memory(self, value: SSAValue) -> Memory:
        """A pointer or tensor operand as memory to access."""
        type_, tensor = self.pointer_type(value), self.type_of(value)
        layout = tensor.layout if isinstance(tensor, MemRefType) else None
        return Memory(self.value(value), type_, self.space(type_), layout)

    def operand(self, value: SSAValue) -> Memory | SSAValue:
        """An atom's operand: memory for pointers and tensors, else the lowered value."""
        return self.memory(value) if type(self.type_of(value)) in _IN_MEMORY else self.value(value)

    def offset(self, value: SSAValue) -> int | SSAValue:
        """An int tuple of one leaf, as a number or an integer value."""
        type_ = value.type
        if isinstance(type_, IntTupleType):
            if isinstance(type_.value, int):
                return type_.value
            if isinstance(value.owner, MakeIntTupleOp) and len(value.owner.operands) == 1:
                return self.value(operands_of(value.owner)[0])
        raise IRError(f"an offset is one integer at this stage, found {type_}")

    def define(self, op: Operation, *values: SSAValue) -> None:
        """Say what stands for the results of `op`."""
        for result, value in zip(op.results, values, strict=True):
            self._values[result] = value

    def replace(self, op: Operation, *values: SSAValue) -> None:
        """Say what stands for the results of a non-Fly operation, and drop it."""
        self.define(op, *values)
        self._lowered.append(op)

    def fresh_symbol(self, prefix: str) -> str:
        """A symbol name that the module does not use."""
        number = 0
        while f"{prefix}{number}" in self.symbols:
            number += 1
        return f"{prefix}{number}"

    @property
    def is_host(self) -> bool:
        """The functions stand beside modules for a device, not in one."""
        return any(op.name == "gpu.module" for op in self._block.ops)

    def add_symbol(self, name: str, op: Operation) -> None:
        """Declare a global or function at the start of the module."""
        first = self._block.first_op
        if first is None:
            self._block.add_op(op)
        else:
            self._block.insert_op_before(op, first)
        self.symbols.add(name)

    # the walk

    def _operations(self, block: Block) -> None:
        for op in block_ops(block):
            kind = type(op)
            handler = self._handlers.get(kind)
            if handler is None and not is_fly(kind):
                self.keep(op)
                continue
            try:
                self.build = LLVMBuilder.before_op(op)
                if handler is None:
                    raise IRError(f"{op.name} is not lowered for target {self.target.name!r}")
                handler(self, op)
            except FlyDSLError as error:
                raise with_location(error, op) from error
            if is_fly(kind):
                self._lowered.append(op)

    def keep(self, op: Operation) -> None:
        """Leave an upstream operation in place, on converted values and types."""
        kind = type(op)
        if _computes(kind):
            self._check_arithmetic(op)
        map_operands(op, self._values)
        for result in op.results:
            converted = self.types(result.type)
            if converted is not result.type and converted != result.type:
                if kind is arith.ConstantOp:
                    op.properties["value"] = narrow_constant(op.properties["value"], converted)
                self._retype(result)
        if kind is arith.BitcastOp and operands_of(op)[0].type == op.results[0].type:
            self.replace(op, operands_of(op)[0])
        for region in op.regions:
            for block in region.blocks:
                self._arguments(block)
                self._operations(block)

    def _check_arithmetic(self, op: Operation) -> None:
        """Floats that LLVM does not have are moved as integers: computing with them would go wrong silently."""
        for operand in operands_of(op):
            type_ = self.type_of(operand)
            converted = self.types(type_)
            if converted is not type_ and converted != type_:
                raise with_location(IRError(f"there is no {op.name} on {type_}; convert to f32 first"), op)

    def _arguments(self, block: Block) -> None:
        for argument in tuple(block.args):
            if self.types(argument.type) != argument.type:
                self._retype(argument)

    def _retype(self, value: SSAValue) -> None:
        original = value.type
        converted = Rewriter.replace_value_with_new_type(value, self.types(original))
        self._originals[converted] = original


@cache
def is_fly(kind: type) -> bool:
    """Whether it is a class of the dialect's operations; asked once of each class, as instance checks take long."""
    return issubclass(kind, FlyOp)


@cache
def _computes(kind: type[Operation]) -> bool:
    return kind.name.partition(".")[0] in ("arith", "math") and kind.name not in _MOVES


def convert_module(module: ModuleOp, target: LoweringTarget, handlers: Handlers) -> None:
    """Convert the functions of every gpu.module and the host functions for `target`."""
    for op in list(module.body.block.ops):
        if isinstance(op, gpu.ModuleOp):
            _convert_functions(op.body.block, target, handlers)
    _convert_functions(module.body.block, target, handlers)


def _convert_functions(block: Block, target: LoweringTarget, handlers: Handlers) -> None:
    conversion = Conversion(target, block, {**handlers, **target.operations})
    for op in list(block.ops):
        if op.name in ("gpu.func", "func.func"):
            conversion.function(op)


def _update_signature(function: Operation) -> None:
    type_ = function.properties.get("function_type")
    if isinstance(type_, FunctionType) and function.regions[0].blocks:
        inputs = list(function.regions[0].blocks[0].arg_types)
        if list(type_.inputs.data) != inputs:
            function.properties["function_type"] = FunctionType.from_lists(inputs, list(type_.outputs.data))


def _symbol_name(op: Operation) -> str:
    name = op.get_attr_or_prop("sym_name")
    return str(getattr(name, "data", ""))
