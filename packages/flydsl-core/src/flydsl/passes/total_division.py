"""Total division: divisions with every result defined, so that none traps.

x / 0 is all ones, x % 0 is x; the smallest integer over -1 is itself, with remainder 0. Processors that trap on these
(x86) would end the process. LLVM takes a division for the promise that its divisor is not zero: a comparison with zero,
such as the one that chooses another result, would be gone. Divisors known to be harmless are divided by as they are.

Quotients of more than 64 bits that are rounded down or up are made of those that are not: MLIR's expansion of them
takes -1 for 2^64 - 1.
"""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.rewriting import operations, replace
from flydsl.passes.to_llvm.builder import LLVMBuilder

_INDEX_BITS = _WORD_BITS = 64
_SIGNED = frozenset({"arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi"})
_REMAINDERS = frozenset({"arith.remsi", "arith.remui"})
_ROUNDED = frozenset({"arith.floordivsi", "arith.ceildivsi"})
_DIVISIONS = _SIGNED | _REMAINDERS | {"arith.divui", "arith.ceildivui"}


def make_divisions_total(root: Operation) -> None:
    """Guard the integer divisions and remainders inside `root`, in place."""
    for op in operations(root, _DIVISIONS):
        if not _is_harmless(op.operands[1], signed=op.name in _SIGNED):
            _guard(op)
    for op in operations(root, _ROUNDED):
        if _bits(op.results[0].type) > _WORD_BITS:
            _round_by_remainder(op)


def _round_by_remainder(op: Operation) -> None:
    """One less than the quotient where the remainder's sign is not the divisor's; or one more where both are alike."""
    build = LLVMBuilder.before_op(op)
    dividend, divisor = op.operands
    type_ = divisor.type
    quotient = build.value(arith.DivSIOp, (dividend, divisor), type_)
    remainder = build.sub(dividend, build.mul(quotient, divisor))
    zero, is_floor = _number(build, type_, 0), op.name == "arith.floordivsi"
    signs = build.compare("slt" if is_floor else "sge", build.bit_xor(remainder, divisor), zero)
    is_off = build.bit_and(build.compare("ne", remainder, zero), signs)
    nearer = build.add(quotient, _number(build, type_, -1 if is_floor else 1))
    replace(op, [build.select(is_off, nearer, quotient)])


def _guard(op: Operation) -> None:
    """Divide by 1 where the divisor will not do, then put in what a division by zero gives."""
    build = LLVMBuilder.before_op(op)
    dividend, divisor = op.operands
    type_ = divisor.type
    one, ones = _number(build, type_, 1), _number(build, type_, -1)
    is_zero = build.compare("eq", divisor, _number(build, type_, 0))
    unusable = is_zero
    if op.name in _SIGNED:
        smallest = _number(build, type_, -1 << (_bits(type_) - 1))
        overflows = build.bit_and(build.compare("eq", divisor, ones), build.compare("eq", dividend, smallest))
        unusable = build.bit_or(is_zero, overflows)
    op.operands[1] = build.select(unusable, one, divisor)
    block, result = op.parent, op.results[0]
    assert block is not None
    choice = arith.SelectOp(is_zero, dividend if op.name in _REMAINDERS else ones, result)
    choice.location = op.location
    result.replace_uses_with_if(choice.result, lambda use: use.operation is not choice)
    block.insert_op_after(choice, op)


def _is_harmless(divisor: SSAValue, *, signed: bool) -> bool:
    """Whether every lane is a constant other than 0 and, in signed divisions, -1."""
    owner = divisor.owner
    if isinstance(owner, vector.BroadcastOp):
        return _is_harmless(owner.operands[0], signed=signed)
    if not isinstance(owner, arith.ConstantOp):
        return False
    attribute = owner.value
    if isinstance(attribute, IntegerAttr):
        values = [attribute.value.data]
    elif isinstance(attribute, DenseIntOrFPElementsAttr):
        values = [int(value) for value in attribute.get_values()]
    else:
        return False
    all_ones = (1 << _bits(divisor.type)) - 1
    return all(value & all_ones and not (signed and value & all_ones == all_ones) for value in values)


def _number(build: LLVMBuilder, type_: Attribute, value: int) -> SSAValue:
    """A constant with `value` in every lane; a single bit takes 1 and -1 alike."""
    lane = value & 1 if _bits(type_) == 1 else value
    attribute: Attribute = IntegerAttr(lane, _element(type_))
    if isinstance(type_, VectorType) and _bits(type_) > _WORD_BITS:  # xDSL has no dense constants of such
        number = build.value(arith.ConstantOp, (), _element(type_), {"value": attribute})
        return build.value(vector.BroadcastOp, (number,), type_)
    if isinstance(type_, VectorType):
        attribute = DenseIntOrFPElementsAttr.from_list(type_, [lane])
    return build.value(arith.ConstantOp, (), type_, {"value": attribute})


def _bits(type_: Attribute) -> int:
    element = _element(type_)
    return _INDEX_BITS if isinstance(element, IndexType) else element.width.data


def _element(type_: Attribute) -> IntegerType | IndexType:
    element = type_.element_type if isinstance(type_, VectorType) else type_
    assert isinstance(element, IntegerType | IndexType), element
    return element
