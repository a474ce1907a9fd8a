"""The words of the target in kernels, as `fx.acme`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.backend.language import current, user_location
from flydsl.expr import Float32, Pointer

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

ANVILS = 3
"""Anvils of one compute unit."""


def strike(anvil: Pointer, force: Float32) -> Float32:
    """Hit what lies at `anvil`; how deep the dent is."""
    from flydsl_acme.dialect import StrikeOp

    return _insert(StrikeOp, anvil.ir_value(), Float32(force).ir_value())


def weigh(piece: Float32) -> Float32:
    """The weight of a piece."""
    from flydsl_acme.dialect import WeighOp

    return _insert(WeighOp, Float32(piece).ir_value())


def polish(anvil: Pointer) -> Float32:
    """Polish what lies at `anvil`; how much it shines."""
    from flydsl_acme.dialect import PolishOp

    return _insert(PolishOp, anvil.ir_value())


def _insert(op_class: type[Operation], *operands: SSAValue) -> Float32:
    builder = current().builder
    builder.location = user_location()
    op = builder.create(op_class, operands, [Float32.ir_type_of()])
    return Float32.wrap(op.results[0])
