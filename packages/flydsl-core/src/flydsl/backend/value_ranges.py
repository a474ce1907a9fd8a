"""Which integers a value can be, and how many of its low bits are zero: interval arithmetic over `arith`.

Nothing is assumed that the operations do not say: where a result may wrap around, it can be anything of its type. What
the threads and blocks of a kernel are numbered up to is told by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from flydsl.passes.folding.arithmetic import width_of

__all__ = [
    "Range",
    "ValueRanges",
    "constant_of",
    "has_no_signed_wrap",
    "width_of",
]


Range: TypeAlias = tuple[int, int]
"""The least and the greatest value, as signed numbers."""
Leaf = Callable[[Operation], Range | None]
"""What is known of the result of an operation that is no arithmetic, such as a thread's number."""

_DEPTH = 100  # of expressions that are looked through: those of unrolled loops may be as long as the kernel


class ValueRanges:
    """Ranges of the integer values of one function, computed when they are asked for."""

    def __init__(self, leaf: Leaf) -> None:
        self._leaf = leaf
        self._known: dict[SSAValue, Range] = {}
        self._zeros: dict[SSAValue, int] = {}
        self._depth = 0

    def of(self, value: SSAValue) -> Range:
        """The range of an integer or index value."""
        found = self._known.get(value)
        if found is None:
            self._depth += 1
            found = self._computed(value) if self._depth < _DEPTH else None
            found = self._known[value] = found or _everything(value)
            self._depth -= 1
        return found

    def zero_bits(self, value: SSAValue, depth: int = 0) -> int:
        """How many of the low bits are certainly zero; 64 for the constant 0."""
        found = self._zeros.get(value)
        if found is None:
            found = self._zeros[value] = 0 if depth == _DEPTH else self._counted_zeros(value, depth + 1)
        return found

    def adds_exactly(self, op: Operation, bound: int) -> bool:
        """Whether the sum of `op`, an addition, did not wrap around if its size is at most `bound`.

        That is known by its flags, by the ranges of its operands, or since no bit carries.
        """
        if has_no_signed_wrap(op):
            return True
        a, b = op.operands
        (low, high), (least, greatest) = _add(self, op), _everything(op.results[0])
        modulus = 2 * (greatest + 1)
        if (high <= greatest or high - modulus < -bound) and (low >= least or low + modulus > bound):
            return True
        return _is_below(self.of(a), self.zero_bits(b)) or _is_below(self.of(b), self.zero_bits(a))

    def multiplies_exactly(self, op: Operation) -> bool:
        """Whether the product of `op` cannot wrap around."""
        return has_no_signed_wrap(op) or _fits(_multiply(self, op), op.results[0])

    def _counted_zeros(self, value: SSAValue, depth: int) -> int:
        op = value.owner
        if isinstance(op, Block):
            return 0
        constant = constant_of(value)
        if constant is not None:
            return (constant & -constant).bit_length() - 1 if constant else 64
        if isinstance(op, arith.ShLIOp):
            shift = constant_of(op.operands[1])
            return self.zero_bits(op.operands[0], depth) + max(0, shift or 0)
        if not isinstance(op, (arith.MuliOp, arith.AndIOp, *_KEEP_ZEROS, *_CASTS)):
            return 0
        bits = [self.zero_bits(operand, depth) for operand in op.operands]
        if isinstance(op, arith.MuliOp):
            return sum(bits)
        return max(bits) if isinstance(op, arith.AndIOp) else min(bits)

    def _computed(self, value: SSAValue) -> Range | None:
        if isinstance(value, BlockArgument):
            return self._of_argument(value)
        constant = constant_of(value)
        if constant is not None:
            return constant, constant
        op = value.owner
        assert isinstance(op, Operation)
        handler = _HANDLERS.get(type(op))
        if handler is None:
            return self._leaf(op)
        if not all(width_of(operand.type) > 1 for operand in op.operands[-2:]):
            return None
        found = handler(self, op)
        return found if found is not None and _fits(found, value) else None

    def _of_argument(self, value: BlockArgument) -> Range | None:
        """The counter of a loop is below its bound."""
        loop = value.block.parent_op()
        if not isinstance(loop, scf.ForOp) or value.index != 0:
            return None
        (low, _), (_, high), (step, _) = (self.of(operand) for operand in (loop.lb, loop.ub, loop.step))
        return (low, max(low, high - 1)) if step > 0 else None


def constant_of(value: SSAValue) -> int | None:
    """The number that a constant is."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def has_no_signed_wrap(op: Operation) -> bool:
    """Whether the operation says that it does not wrap around."""
    flags = op.properties.get("overflowFlags")
    return isinstance(flags, arith.IntegerOverflowAttr) and arith.IntegerOverflowFlag.NSW in flags.data


def _everything(value: SSAValue) -> Range:
    half = 1 << (width_of(value.type) or 64) - 1
    return -half, half - 1


def _fits(found: Range, value: SSAValue) -> bool:
    least, greatest = _everything(value)
    return least <= found[0] and found[1] <= greatest


def _is_below(found: Range, bits: int) -> bool:
    """Whether these numbers have no bits but the lowest `bits`."""
    return found[0] >= 0 and found[1] < 1 << bits


def _products(a: Range, b: Range) -> Range:
    all_four = [x * y for x in a for y in b]
    return min(all_four), max(all_four)


def _add(ranges: ValueRanges, op: Operation) -> Range:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands)
    return low_a + low_b, high_a + high_b


def _subtract(ranges: ValueRanges, op: Operation) -> Range:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands)
    return low_a - high_b, high_a - low_b


def _multiply(ranges: ValueRanges, op: Operation) -> Range:
    a, b = (ranges.of(operand) for operand in op.operands)
    return _products(a, b)


def _cast(ranges: ValueRanges, op: Operation) -> Range:
    """Sign extension, and truncation where the number fits (the caller looks)."""
    return ranges.of(op.operands[0])


def _extend_zeros(ranges: ValueRanges, op: Operation) -> Range | None:
    found = ranges.of(op.operands[0])
    return found if found[0] >= 0 else (0, (1 << width_of(op.operands[0].type)) - 1)


def _divide(ranges: ValueRanges, op: Operation) -> Range | None:
    (low, high), divisor = ranges.of(op.operands[0]), constant_of(op.operands[1])
    return (low // divisor, high // divisor) if low >= 0 and divisor is not None and divisor > 0 else None


def _remainder(ranges: ValueRanges, op: Operation) -> Range | None:
    (low, high), divisor = ranges.of(op.operands[0]), constant_of(op.operands[1])
    return (0, min(high, divisor - 1)) if low >= 0 and divisor is not None and divisor > 0 else None


def _and(ranges: ValueRanges, op: Operation) -> Range | None:
    both = [found for found in map(ranges.of, op.operands) if found[0] >= 0]
    return (0, min(high for _, high in both)) if both else None


def _or(ranges: ValueRanges, op: Operation) -> Range | None:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands)
    if low_a < 0 or low_b < 0:
        return None
    return 0, (1 << max(high_a, high_b).bit_length()) - 1


def _shift_left(ranges: ValueRanges, op: Operation) -> Range | None:
    (low, high), count = ranges.of(op.operands[0]), constant_of(op.operands[1])
    return (low << count, high << count) if count is not None and 0 <= count < 64 else None


def _shift_right(ranges: ValueRanges, op: Operation) -> Range | None:
    (low, high), count = ranges.of(op.operands[0]), constant_of(op.operands[1])
    return (low >> count, high >> count) if low >= 0 and count is not None and 0 <= count < 64 else None


def _least(ranges: ValueRanges, op: Operation) -> Range:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands)
    return min(low_a, low_b), min(high_a, high_b)


def _greatest(ranges: ValueRanges, op: Operation) -> Range:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands)
    return max(low_a, low_b), max(high_a, high_b)


def _select(ranges: ValueRanges, op: Operation) -> Range:
    (low_a, high_a), (low_b, high_b) = (ranges.of(operand) for operand in op.operands[1:])
    return min(low_a, low_b), max(high_a, high_b)


_CASTS = (arith.ExtSIOp, arith.ExtUIOp, arith.IndexCastOp, arith.TruncIOp)
_KEEP_ZEROS = (arith.AddiOp, arith.SubiOp, arith.OrIOp, arith.XOrIOp)
_HANDLERS: Mapping[type[Operation], Callable[[ValueRanges, Operation], Range | None]] = {
    arith.AddiOp: _add,
    arith.SubiOp: _subtract,
    arith.MuliOp: _multiply,
    **dict.fromkeys((arith.ExtSIOp, arith.IndexCastOp, arith.TruncIOp), _cast),
    arith.ExtUIOp: _extend_zeros,
    **dict.fromkeys((arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp), _divide),
    **dict.fromkeys((arith.RemSIOp, arith.RemUIOp), _remainder),
    arith.AndIOp: _and,
    **dict.fromkeys((arith.OrIOp, arith.XOrIOp), _or),
    arith.ShLIOp: _shift_left,
    **dict.fromkeys((arith.ShRSIOp, arith.ShRUIOp), _shift_right),
    arith.MinSIOp: _least,
    arith.MaxSIOp: _greatest,
    arith.SelectOp: _select,
}
