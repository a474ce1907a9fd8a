"""Block arguments of a host function, and the values that traced code sees for them."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import gpu
from xdsl.ir import Attribute, Block, SSAValue

from flydsl.base.errors import ArgumentError
from flydsl.expr.memory.address_space import pointer_type
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.mlir_types import scalar_type
from flydsl.expr.numeric import Numeric
from flydsl.expr.threads.stream import Stream
from flydsl.expr.values.protocol import construct_from_ir_values
from flydsl.expr.values.wrap import box
from flydsl.frontend.signature import (
    ArgSpec,
    ConstexprSpec,
    PointerSpec,
    ProtocolSpec,
    ScalarSpec,
    Spec,
    TensorSpec,
    TreeSpec,
)
from flydsl.ir.fly.attributes import GLOBAL
from flydsl.ir.fly.types import MemRefType


def argument_types(spec: ArgSpec) -> list[Attribute]:
    """The IR types of an argument: none for what is part of the code."""
    if isinstance(spec, TensorSpec):
        element = memory_dtype(spec.element).ir_type_of()
        return [MemRefType(element, GLOBAL, spec.layout, spec.align)]
    if isinstance(spec, ScalarSpec):
        return [scalar_type(spec.element.mlir_name)]
    if isinstance(spec, PointerSpec):
        return [pointer_type(memory_dtype(spec.element), spec.space, spec.align)]
    if isinstance(spec, ProtocolSpec):
        return _types_of(spec.argument)
    return [] if isinstance(spec, ConstexprSpec) else [gpu.AsyncTokenType()]


def add_argument(block: Block, spec: Spec) -> Any:
    """Give `block` the arguments of `spec`; the value of the language that stands for them."""
    if isinstance(spec, TreeSpec):
        return spec.build([add_argument(block, leaf) for leaf in spec.leaves])
    return _value(spec, [block.insert_arg(kind, len(block.args)) for kind in argument_types(spec)])


def _value(spec: ArgSpec, values: list[SSAValue]) -> Any:
    if isinstance(spec, ConstexprSpec):
        return spec.value
    if isinstance(spec, TensorSpec | PointerSpec):
        return box(values[0], spec.element)
    if isinstance(spec, ScalarSpec):
        return spec.element.wrap(values[0])
    return _constructed(spec, values) if isinstance(spec, ProtocolSpec) else Stream(None, values[0])


def _types_of(argument: Any) -> list[Attribute]:
    types = list(argument.__get_ir_types__())
    for kind in types:
        if not isinstance(kind, Attribute):
            raise ArgumentError(
                f"{type(argument).__name__}.__get_ir_types__ gives IR types such as fx.Int32.ir_type_of(), "
                f"found {kind!r}"
            )
    return types


def _constructed(spec: ProtocolSpec, values: list[SSAValue]) -> Any:
    """The value of the type that the traced function sees."""
    dsl_type = spec.dsl_type
    if issubclass(dsl_type, Numeric | Tensor | Pointer):
        _check_single(spec, values)
        return dsl_type.wrap(values[0]) if issubclass(dsl_type, Numeric) else box(values[0])
    like = spec.argument if isinstance(spec.argument, dsl_type) else None
    return construct_from_ir_values(dsl_type, like, values)


def _check_single(spec: ProtocolSpec, values: list[SSAValue]) -> None:
    if len(values) != 1:
        raise ArgumentError(
            f"a {spec.dsl_type.__name__} is made of one IR value, and {type(spec.argument).__name__} has {len(values)}"
        )
