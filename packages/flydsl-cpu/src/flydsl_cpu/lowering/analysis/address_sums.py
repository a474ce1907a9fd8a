"""Addresses as sums, `coefficient * term + ... + constant` in bytes, by which two accesses of one thread are compared.

Sums are known modulo 2^32, as 32-bit arithmetic may have wrapped on the way.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.ir import StructType
from flydsl.backend.llvm import DYNAMIC_INDEX, size_of
from flydsl.backend.rewriting import operands_of
from flydsl_cpu.lowering.analysis.operations import is_pure

_MODULUS = 1 << 32
_BITS = 32
_DEPTH = 100
"""Operations that a sum looks through, one behind the other; what is deeper is a term."""
_PASSED = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)


class Sum(NamedTuple):
    """Numbers of terms with their coefficients, in order of the numbers, and a constant."""

    terms: tuple[tuple[int, int], ...] = ()
    constant: int = 0

    def plus(self, other: Sum, factor: int = 1) -> Sum:
        """self + factor * other."""
        terms = dict(self.terms)
        for term, coefficient in other.terms:
            terms[term] = (terms.get(term, 0) + factor * coefficient) % _MODULUS
        kept = tuple(sorted((term, coefficient) for term, coefficient in terms.items() if coefficient))
        return Sum(kept, (self.constant + factor * other.constant) % _MODULUS)


class AddressSums:
    """The sums of the addresses and integers of one function; equal computations are one term."""

    __slots__ = ("_known", "_numbers")

    def __init__(self) -> None:
        self._known: dict[SSAValue, Sum] = {}
        self._numbers: dict[object, int] = {}

    def of(self, value: SSAValue, depth: int = _DEPTH) -> Sum:
        """The sum of an integer, or of the distance of an address from its base."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._made(value, depth - 1)
        return found

    def _made(self, value: SSAValue, depth: int) -> Sum:
        op = value.owner
        if not isinstance(op, Operation):
            return Sum() if isinstance(value.type, llvm.LLVMPointerType) else self._term(value)
        if not depth:
            return self._term(value)
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            return Sum((), op.value.value.data % _MODULUS)
        if isinstance(op, llvm.GEPOp):
            return self._address(op, depth)
        if isinstance(value.type, llvm.LLVMPointerType):
            return Sum()  # a base
        if not _is_wide(value.type):
            return self._opaque(value, op, depth)
        operands = operands_of(op)
        if isinstance(op, _PASSED) and _is_wide(operands[0].type):
            return self.of(operands[0], depth)
        if isinstance(op, arith.AddiOp | arith.SubiOp):
            factor = 1 if isinstance(op, arith.AddiOp) else -1
            return self.of(operands[0], depth).plus(self.of(operands[1], depth), factor)
        if isinstance(op, arith.MuliOp):
            for a, b in (operands, operands[::-1]):
                factors = self.of(b, depth)
                if not factors.terms:
                    return Sum().plus(self.of(a, depth), factors.constant)
        return self._opaque(value, op, depth)

    def _address(self, op: llvm.GEPOp, depth: int) -> Sum:
        (index, *more), element = op.rawConstantIndices.get_values(), op.elem_type
        if more or isinstance(element, StructType):
            return self._term(op.results[0])
        distance = Sum((), index) if index != DYNAMIC_INDEX else self.of(operands_of(op)[1], depth)
        return self.of(op.ptr, depth).plus(distance, size_of(element))

    def _opaque(self, value: SSAValue, op: Operation, depth: int) -> Sum:
        """A term: the same one for the same computation on the same operands."""
        if op.regions or len(op.results) != 1 or not is_pure(op):
            return self._term(value)
        operands = tuple(self.of(operand, depth) for operand in operands_of(op))
        return self._term((type(op), tuple(op.properties.items()), value.type, operands))

    def _term(self, key: object) -> Sum:
        return Sum(((self._numbers.setdefault(key, len(self._numbers)), 1),))


def are_disjoint(a: Sum, a_size: int, b: Sum, b_size: int) -> bool:
    """Whether `a_size` bytes at `a` and `b_size` bytes at `b` are known to have none in common."""
    return a.terms == b.terms and a_size <= (b.constant - a.constant) % _MODULUS <= _MODULUS - b_size


def _is_wide(type_: Attribute) -> bool:
    """Whether arithmetic of a type is right modulo 2^32."""
    return not isinstance(type_, IntegerType) or type_.width.data >= _BITS
