"""Shuffles: exchange of values between the threads of a wave."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.operands import as_numeric, number_operand
from flydsl.expr.numbers.registry import named
from flydsl.expr.tracing.context import current, is_tracing

if TYPE_CHECKING:
    from flydsl.expr.layouts.int_tuple import IntTuple
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.numeric import Int32, Numeric
    from flydsl.expr.values.operand_types import ArithmeticT, IntLike, ScalarLike, VectorLike
    from flydsl.expr.values.traced_types import Scalar

__all__ = ["lane_id", "num_warp_threads", "shuffle_down", "shuffle_idx", "shuffle_up", "shuffle_xor"]


def lane_id() -> Int32:
    """Index of this thread in its wave (warp)."""
    emitter = current()
    index = named("Index")
    return _int32(index.wrap(emitter.value("gpu.lane_id", [], emitter.type(index))))


def num_warp_threads() -> Int32:
    """Number of threads in a wave (warp) of the target, known while tracing; an int outside of traced functions."""
    if not is_tracing():
        from flydsl.expr.tracing.target import current_target

        return current_target().warp_size  # type: ignore[return-value]  # an int computes alike
    return _int32(current().target.warp_size)


@overload
def shuffle_xor(value: ArithmeticT, offset: IntLike, width: IntLike | None = None) -> ArithmeticT: ...
@overload
def shuffle_xor(value: int | float | IntTuple, offset: IntLike, width: IntLike | None = None) -> Scalar: ...
def shuffle_xor(value: VectorLike, offset: IntLike, width: IntLike | None = None) -> Numeric | Vector:
    """The value of the lane whose index is this lane's XOR `offset`.

    The wave is divided into groups of `width` lanes (a power of two, by default the whole wave), and lane indices are
    relative to the group. All lanes of a group must execute the shuffle. If the source lane is outside the group, the
    result is the lane's own value.
    """
    return _shuffle("xor", value, offset, width)  # type: ignore[no-any-return]


@overload
def shuffle_up(value: ArithmeticT, offset: IntLike, width: IntLike | None = None) -> ArithmeticT: ...
@overload
def shuffle_up(value: int | float | IntTuple, offset: IntLike, width: IntLike | None = None) -> Scalar: ...
def shuffle_up(value: VectorLike, offset: IntLike, width: IntLike | None = None) -> Numeric | Vector:
    """The value of the lane whose index is lower by `offset`; groups as in `shuffle_xor`."""
    return _shuffle("up", value, offset, width)  # type: ignore[no-any-return]


@overload
def shuffle_down(value: ArithmeticT, offset: IntLike, width: IntLike | None = None) -> ArithmeticT: ...
@overload
def shuffle_down(value: int | float | IntTuple, offset: IntLike, width: IntLike | None = None) -> Scalar: ...
def shuffle_down(value: VectorLike, offset: IntLike, width: IntLike | None = None) -> Numeric | Vector:
    """The value of the lane whose index is higher by `offset`; groups as in `shuffle_xor`."""
    return _shuffle("down", value, offset, width)  # type: ignore[no-any-return]


@overload
def shuffle_idx(value: ArithmeticT, lane: IntLike, width: IntLike | None = None) -> ArithmeticT: ...
@overload
def shuffle_idx(value: int | float | IntTuple, lane: IntLike, width: IntLike | None = None) -> Scalar: ...
def shuffle_idx(value: VectorLike, lane: IntLike, width: IntLike | None = None) -> Numeric | Vector:
    """The value of the lane with index `lane`; groups as in `shuffle_xor`."""
    return _shuffle("idx", value, lane, width)  # type: ignore[no-any-return]


def _shuffle(mode: str, value: VectorLike, offset: IntLike, width: IntLike | None) -> Any:
    current().require_kernel(f"shuffle_{mode}")
    lanes, group = _integer(mode, "offset", offset), _width(mode, width)
    source: Numeric | Vector = number_operand(value)

    def exchange(word: Numeric) -> Numeric:
        return _exchange(mode, word, lanes, group)

    return _scalar(source, exchange) if source.shape is None else _by_words(source, exchange)


def _exchange(mode: str, word: Numeric, offset: Int32, width: Int32) -> Numeric:
    """`gpu.shuffle` of a word of 32 or 64 bits."""
    from flydsl.ir.upstream import ShuffleMode, ShuffleModeAttr

    emitter = current()
    operands = [word.ir_value(), offset.ir_value(), width.ir_value()]
    op = emitter.op(
        "gpu.shuffle",
        operands,
        [operands[0].type, emitter.type(named("Boolean"))],
        attributes={"mode": ShuffleModeAttr(ShuffleMode(mode))},
    )
    return word.dtype.wrap(op.results[0])


def _scalar(value: Numeric, exchange: Callable[[Numeric], Numeric]) -> Numeric:
    """A shuffle of a scalar; narrow values are widened to 32 bits."""
    dtype = value.dtype
    if dtype is named("Index"):
        return exchange(value.to(named("Int64"))).to(dtype)
    if dtype.width in (32, 64):
        return exchange(value)
    if dtype.width == 1:
        return exchange(value.to(named("Uint32"))).to(dtype)
    if dtype.width not in (8, 16):
        raise FrontendError(f"shuffles move 8, 16, 32 or 64 bits, found {dtype.__name__}; convert it first")
    bits = named(f"Uint{dtype.width}")
    return exchange(value.bitcast(bits).to(named("Uint32"))).to(bits).bitcast(dtype)


def _by_words(vector: Vector, exchange: Callable[[Numeric], Numeric]) -> Vector:
    if vector.numel * vector.dtype.width % 32:
        raise FrontendError(f"shuffles move vectors of whole 32-bit words, found {vector!r}; shuffle its elements")
    words = vector.reshape(vector.numel).bitcast(named("Int32"))
    moved = words.from_elements([exchange(word) for word in words], words.dtype).bitcast(vector.dtype)
    return moved.flattened_like(vector)


def _integer(mode: str, what: str, value: IntLike) -> Int32:
    number = as_numeric(value)
    if number.is_float:
        raise FrontendError(f"the {what} of shuffle_{mode} is an integer, found {number!r}")
    return _int32(number)


def _width(mode: str, width: IntLike | None) -> Int32:
    wave = num_warp_threads()
    if width is None:
        return wave
    number = _integer(mode, "width", width)
    size = int(number) if number.is_static else 1
    if not 1 <= size <= int(wave) or size & (size - 1):
        raise FrontendError(
            f"the width of shuffle_{mode} is a power of two up to the {int(wave)} threads of a wave, found {size}"
        )
    return number


def _int32(value: ScalarLike) -> Int32:
    return named("Int32")(value)  # type: ignore[return-value]
