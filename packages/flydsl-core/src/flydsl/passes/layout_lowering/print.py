"""Lowering of `fly.print`: `gpu.printf` in kernels, calls of the C library on the host.

Tuples, layouts and vectors become text in the format with one argument for each dynamic leaf or element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    VectorType,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import PrintOp, PtrtointOp
from flydsl.ir.fly.base import FlyType
from flydsl.ir.print_format import Field, parse_format
from flydsl.ir.upstream import OPERATIONS
from flydsl.passes.cached_attributes import position
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.tensor_values import Pointer, View

_POINTER = llvm.LLVMPointerType()
_PLAIN = Field("", "")


class _Line:
    """The text and the arguments of one print."""

    def __init__(self, program: FunctionLowering) -> None:
        self.program = program
        self.text = ""
        self.arguments: list[SSAValue] = []

    def literal(self, text: str) -> None:
        self.text += text.replace("%", "%%")

    def value(self, value: Any, field: Field = _PLAIN) -> None:
        """Append a lowered value, or the SSA value of another dialect."""
        if isinstance(value, SSAValue):
            self._ssa(value, field)
        elif isinstance(value, Pointer):
            address = self.program.create(PtrtointOp, [self.program.pointer(value)], [i64]).results[0]
            self._argument(address, "0x%llx")
        elif isinstance(value, View):
            self.value(value.layout)
        elif isinstance(value, fl.Layout):
            self.value(value.shape)
            self.literal(":")
            self.value(value.stride)
        elif isinstance(value, tuple):
            self._sequence("()", value, field)
        elif isinstance(value, fl.Basis):
            self.value(value.value)
            self.literal("".join(f"E{mode}" for mode in value.path))
        elif isinstance(value, fl.Dyn):
            self._ssa(self.program.emitter.value(value), field)
        else:
            self.literal(str(value))

    def _sequence(self, brackets: str, values: Any, field: Field) -> None:
        self.literal(brackets[0])
        for index, value in enumerate(values):
            self.literal("," if index else "")
            self.value(value, field)
        self.literal(brackets[1])

    def _ssa(self, value: SSAValue, field: Field) -> None:
        type_ = value.type
        if isinstance(type_, VectorType):
            self._sequence("[]", [self._element(value, index, type_) for index in range(type_.element_count())], field)
        elif isinstance(type_, AnyFloat):
            wide = value if type_ == f64 else self._create(arith.ExtFOp, value, f64)
            self._argument(wide, _conversion(field, "", "f"))
        elif isinstance(type_, IndexType):
            self._argument(self._create(arith.IndexCastOp, value, i64), _conversion(field, "ll", "d"))
        elif isinstance(type_, IntegerType) and type_.width.data <= 64:
            self._integer(value, type_.width.data, field)
        else:
            raise IRError(f"a value of type {type_} cannot be printed")

    def _integer(self, value: SSAValue, width: int, field: Field) -> None:
        wide = 32 if width <= 32 else 64
        if width != wide:
            value = self._create(arith.ExtUIOp if width == 1 else arith.ExtSIOp, value, i32 if wide == 32 else i64)
        self._argument(value, _conversion(field, "" if wide == 32 else "ll", "d"))

    def _argument(self, value: SSAValue, text: str) -> None:
        self.text += text
        self.arguments.append(value)

    def _element(self, value: SSAValue, index: int, type_: VectorType[Attribute]) -> SSAValue:
        properties = {"static_position": position(index)}
        return self.program.create(vector.ExtractOp, [value], [type_.element_type], properties=properties).results[0]

    def _create(self, op_class: type[Operation], value: SSAValue, type_: Attribute) -> SSAValue:
        return self.program.create(op_class, [value], [type_]).results[0]


def _print(program: FunctionLowering, op: PrintOp) -> None:
    values = [program.value(v) if isinstance(v.type, FlyType) else v for v in op.values]
    line = _Line(program)
    if op.format is None:
        for index, value in enumerate(values):
            line.literal(" " if index else "")
            line.value(value)
    else:
        _format(line, op.format, values)
    text = line.text if line.text.endswith("\n") else line.text + "\n"
    if _is_device(op):
        program.create(OPERATIONS["gpu.printf"], line.arguments, properties={"format": StringAttr(text)})
    else:
        _host_print(program, op, text, line.arguments)
    program.lowered.append(op)


def _format(line: _Line, text: str, values: list[Any]) -> None:
    remaining = iter(values)
    for part in parse_format(text, len(values)):
        if isinstance(part, Field):
            line.value(next(remaining), part)
        else:
            line.literal(part)


def _conversion(field: Field, length: str, letter: str) -> str:
    """C's conversion: width and digits, then the length of the argument, then the letter."""
    return f"%{field.flags}{length}{field.letter or letter}"


def _is_device(op: Operation) -> bool:
    parent: Operation | None = op
    while parent is not None and parent.name != "gpu.func":
        parent = parent.parent_op()
    return parent is not None


def _host_print(program: FunctionLowering, op: Operation, text: str, arguments: list[SSAValue]) -> None:
    """Calls of `printf` and `fflush`; the format is in the frame, so that the function needs no other symbols."""
    module = op
    while not isinstance(module, ModuleOp):
        parent = module.parent_op()
        assert parent is not None
        module = parent
    address = _format_buffer(op, text)
    variadic = llvm.LLVMFunctionType([_POINTER], i32, is_variadic=True)
    _declare(module, "printf", variadic)
    _declare(module, "fflush", llvm.LLVMFunctionType([_POINTER], i32))
    call = llvm.CallOp("printf", address, *arguments, return_type=i32, variadic_args=len(arguments))
    call.properties["var_callee_type"] = variadic
    program.emitter.insert(call)
    everything = program.create(OPERATIONS["llvm.mlir.zero"], [], [_POINTER]).results[0]
    program.emitter.insert(llvm.CallOp("fflush", everything, return_type=i32))


def _format_buffer(op: Operation, text: str) -> SSAValue:
    """The address of the format, written at the function's entry."""
    entry = op
    while (parent := entry.parent_op()) is not None and parent.name != "func.func":
        entry = parent
    block = entry.parent
    assert block is not None
    assert block.first_op is not None
    data = [byte - 256 if byte > 127 else byte for byte in (text + "\0").encode()]
    array = llvm.LLVMArrayType(IntAttr(len(data)), i8)
    count = arith.ConstantOp.from_int_and_width(1, 32)
    buffer = llvm.AllocaOp(count.result, array, alignment=1)
    content = llvm.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i8, [len(data)]), data), array)
    block.insert_ops_before([count, buffer, content, llvm.StoreOp(content.result, buffer.res)], block.first_op)
    return buffer.res


def _declare(module: ModuleOp, name: str, type_: llvm.LLVMFunctionType) -> None:
    if not any(isinstance(op, llvm.FuncOp) and op.sym_name.data == name for op in module.body.block.ops):
        module.body.block.add_op(llvm.FuncOp(name, type_, linkage=llvm.LinkageAttr("external")))


HANDLERS: Mapping[type[Operation], Callable[[FunctionLowering, Any], None]] = {PrintOp: _print}
