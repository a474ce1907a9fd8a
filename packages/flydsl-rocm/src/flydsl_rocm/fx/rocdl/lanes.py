"""Data exchange between the lanes of a wave."""

from __future__ import annotations

from typing import Any

from flydsl.backend.language import current
from flydsl.base.errors import FrontendError
from flydsl.expr import Boolean, Int32, Int64, Numeric, as_numeric
from flydsl_rocm.features import Feature

from .chips import require
from .emit import immediate, intrinsic, operation, scalar, values

__all__ = [
    "ballot",
    "ds_bpermute",
    "ds_swizzle",
    "perm_b32",
    "permlane16_swap",
    "permlane32_swap",
    "permlanex16",
    "readfirstlane",
    "readlane",
    "update_dpp",
]

# Every function here also takes a result type in front, as kernels written with raw operations pass it.


def readfirstlane(*args: Any) -> Any:
    """`readfirstlane(x)`: the value of the first active lane, the same in all lanes."""
    require("readfirstlane")
    (value,) = _numerics(values("readfirstlane", args, 1))
    return _wrap(value, operation("readfirstlane", [value.ir_value()], [value.ir_type]))


def readlane(*args: Any) -> Any:
    """`readlane(x, lane)`: the value of one lane, which is the same number in all lanes."""
    require("readlane")
    arguments = values("readlane", args, 2)
    (value,) = _numerics(arguments[:1])
    lane = scalar("readlane", arguments[1], Int32)
    return _wrap(value, operation("readlane", [value.ir_value(), lane], [value.ir_type]))


def ds_bpermute(*args: Any) -> Any:
    """`ds_bpermute(index, x)`: the 32 bits of lane `index / 4`, for each lane its own."""
    require("ds_bpermute")
    index, argument = values("ds_bpermute", args, 2)
    (value,) = _numerics((argument,))
    bits = _bits("ds_bpermute", value)
    exchanged = operation("ds_bpermute", [scalar("ds_bpermute", index, Int32), bits.ir_value()], [bits.ir_type])
    return _like(value, exchanged)


def ds_swizzle(*args: Any) -> Any:
    """`ds_swizzle(x, pattern)`: 32 bits exchanged within groups of 32 lanes by an immediate pattern."""
    require("ds_swizzle")
    argument, pattern = values("ds_swizzle", args, 2)
    (value,) = _numerics((argument,))
    bits = _bits("ds_swizzle", value)
    mask = current().constant(Int32, immediate("ds_swizzle", pattern, below=1 << 16).value.data)
    return _like(value, operation("ds_swizzle", [bits.ir_value(), mask], [bits.ir_type]))


def ballot(*args: Any) -> Any:
    """`ballot(condition)`: one bit a lane, Int64 on wave64 and Int32 on wave32."""
    wave = require("ballot").wave
    (condition,) = values("ballot", args, 1)
    kind: type[Numeric] = Int64 if wave == 64 else Int32
    return kind.wrap(operation("ballot", [Boolean(condition).ir_value()], [kind.ir_type_of()]))


def update_dpp(*args: Any) -> Any:
    """`update_dpp(old, x, dpp_ctrl, row_mask, bank_mask, bound_ctrl)`: x of another lane where enabled, else old."""
    require("update_dpp")
    old, source, *controls = values("update_dpp", args, 6)
    before, value = _numerics((old, source))
    names = ("dppCtrl", "rowMask", "bankMask", "boundCtrl")
    widths = (32, 32, 32, 1)
    attributes = {
        name: immediate("update_dpp", int(control), width)
        for name, control, width in zip(names, controls, widths, strict=True)
    }
    operands = [scalar("update_dpp", before, value.dtype), value.ir_value()]
    return _wrap(value, operation("update.dpp", operands, [value.ir_type], attributes))


def permlane16_swap(*args: Any) -> tuple[Int32, Int32]:
    """`permlane16_swap(old, x)`: odd rows of 16 lanes of `old` exchanged with even rows of `x`."""
    require("permlane16_swap", Feature.PERMLANE16_SWAP)
    return _swap("permlane16", args)


def permlane32_swap(*args: Any) -> tuple[Int32, Int32]:
    """`permlane32_swap(old, x)`: the upper 32 lanes of `old` exchanged with the lower 32 lanes of `x`."""
    require("permlane32_swap", Feature.PERMLANE32_SWAP)
    return _swap("permlane32", args)


def permlanex16(*args: Any) -> Any:
    """`permlanex16(old, x, low, high, fi, bound_control)`: from the other row of 16 lanes, selected by 16 nibbles."""
    require("permlanex16", Feature.PERMLANEX16)
    old, source, low, high, fetch_inactive, bound_control = values("permlanex16", args, 6)
    before, value = _numerics((old, source))
    selects = [scalar("permlanex16", part, Int32) for part in (low, high)]
    attributes = {
        "fi": immediate("permlanex16", int(fetch_inactive), 1),
        "boundControl": immediate("permlanex16", int(bound_control), 1),
    }
    operands = [scalar("permlanex16", before, value.dtype), value.ir_value(), *selects]
    return _wrap(value, operation("permlanex16", operands, [value.ir_type], attributes))


def perm_b32(*args: Any) -> Int32:
    """`perm_b32(a, b, selector)`: each byte of the selector picks one of the 8 bytes of a (4 to 7) and b (0 to 3)."""
    require("perm_b32")
    operands = [scalar("perm_b32", value, Int32) for value in values("perm_b32", args, 3)]
    return Int32.wrap(intrinsic("perm", operands, [Int32.ir_type_of()]))


def _swap(name: str, args: tuple[Any, ...]) -> tuple[Int32, Int32]:
    from flydsl.backend.ir import StructType

    function = f"{name}_swap"
    arguments = values(function, args, 2, 4)
    flags = {
        key: immediate(function, int(flag), 1)
        for key, flag in zip(("fi", "boundControl"), arguments[2:] or (False, False), strict=True)
    }
    emitter, i32 = current(), Int32.ir_type_of()
    operands = [scalar(function, value, Int32) for value in arguments[:2]]
    pair = operation(f"{name}.swap", operands, [StructType((i32, i32))], flags)
    first, second = (
        emitter.value("llvm.extractvalue", [pair], i32, properties={"position": emitter.integers([index])})
        for index in (0, 1)
    )
    return Int32.wrap(first), Int32.wrap(second)


def _numerics(arguments: tuple[Any, ...]) -> tuple[Numeric, ...]:
    return tuple(as_numeric(value) for value in arguments)


def _wrap(value: Numeric, ssa: Any) -> Numeric:
    return value.dtype.wrap(ssa)


def _bits(function: str, value: Numeric) -> Int32:
    """32-bit values as Int32."""
    if value.width != 32:
        raise FrontendError(f"fx.rocdl.{function} exchanges 32 bits, found {value!r}; split or widen it")
    return value if value.dtype is Int32 else value.bitcast(Int32)  # type: ignore[return-value]


def _like(value: Numeric, ssa: Any) -> Numeric:
    result = Int32.wrap(ssa)
    return result if value.dtype is Int32 else result.bitcast(value.dtype)
