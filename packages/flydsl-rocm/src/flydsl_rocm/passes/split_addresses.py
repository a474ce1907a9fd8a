"""Addresses of global memory as a scalar base and an offset of 32 bits: `global_load v, s[base]`.

An index is a sum of what all threads of a wave share (block numbers, loop counters, strides) and what they do not. LLVM
computes the sum in 32 bits, extends it and adds it to the base in 64-bit vector arithmetic, since the sum of signed
numbers may be negative. Where the part of the threads is known to be a number of bytes that fits in 31 bits, and no
addition on the way may wrap around, the rest can move to the base, which is scalar arithmetic.

The address is the same, bit for bit: nothing is assumed of indices but what their operations say. An index of which
that is not known stays as it is.

On gfx1250 the offset beside a scalar base is signed, so it has 31 bits, and LLVM 22 needs to be kept from larger ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

from xdsl.dialects import arith, gpu, llvm
from xdsl.dialects.builtin import IntegerType, StringAttr, i8, i32, i64
from xdsl.ir import Block, Operation, SSAValue, Use

from flydsl.backend.gpu import known_block_size
from flydsl.backend.llvm import LLVMBuilder, pointer_type, size_of
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl.backend.value_ranges import Range, ValueRanges, constant_of, has_no_signed_wrap, width_of
from flydsl_rocm.lowering.shared_values import SharedValues
from flydsl_rocm.passes.kernel_attributes import MAX_THREADS, Size, block_limit

_GLOBAL = pointer_type(1)
_DEPTH, _TERMS = 50, 32  # of an index that is looked into
_EVERY = 1 << 64
_MONOTONE = (arith.AddiOp, arith.MuliOp, arith.ExtSIOp, arith.IndexCastOp, arith.DivSIOp, arith.RemSIOp)
Term: TypeAlias = tuple[SSAValue, int]
"""An integer, counted as signed, and a factor."""


@dataclass(slots=True)
class _Bytes:
    """An offset in bytes: terms that a wave shares, those of its threads, and a constant."""

    shared: list[Term] = field(default_factory=list)
    own: list[Term] = field(default_factory=list)
    constant: int = 0
    promised: bool = False
    """Whether the threads' part is the index of a layout, which is promised to fit in 32 bits."""


@dataclass(frozen=True)
class SplitAddresses(KernelPass):
    """Addresses as a scalar base and an offset of `offset_bits` bits for each thread."""

    name = "rocdl-split-addresses"
    offset_bits: int = 32

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        split_addresses(kernel, int(self.offset_bits))


def split_addresses(kernel: Operation, offset_bits: int = 32) -> None:
    """Rewrite the addresses of a kernel in global memory; an offset of 31 bits is one of 32 that counts as signed."""
    rewriter = _Addresses(known_block_size(kernel), offset_bits)
    for op in reversed(operations(kernel, ("llvm.getelementptr",))):
        if not isinstance(op, llvm.GEPOp) or op.results[0].type != _GLOBAL:
            continue
        if op.results[0].first_use is None:
            erase(op)
        else:
            rewriter.rewrite(op)


class _Addresses:
    def __init__(self, block: Size | None, offset_bits: int) -> None:
        self._block, self._offset_bits = block, offset_bits
        self._ranges = ValueRanges(self._leaf)
        self._shared = SharedValues()
        self._natural: dict[SSAValue, bool] = {}

    def rewrite(self, op: llvm.GEPOp) -> None:
        """Replace an address whose offset has a small part of its own for each thread, and whose base is shared."""
        base, total = self._base(op)
        if not total.own:
            return
        is_near = total.constant.bit_length() < 32 and self._shared.has(base)
        low = sum(factor * self._ranges.of(value)[factor < 0] for value, factor in total.own)
        high = sum(factor * self._ranges.of(value)[factor > 0] for value, factor in total.own)
        fits = len(total.own) == 1 if total.promised else low >= 0 and high < 1 << 31
        if fits and is_near:
            self._replace(op, base, total)
        elif low >= 0 and high >= 1 << 31 and self._offset_bits < 32 and not self._is_one_without_sign(total.own):
            self._hide(op, base, total)

    def _leaf(self, op: Operation) -> Range | None:
        if isinstance(op, gpu.ThreadIdOp | gpu.BlockIdOp):
            size = self._block["xyz".index(op.dimension.data.value)] if self._block else None
            if isinstance(op, gpu.BlockIdOp):
                return 0, block_limit(size or 1) - 1
            return 0, (size or MAX_THREADS) - 1
        return (0, 63) if isinstance(op, gpu.LaneIdOp) else None

    def _is_one_without_sign(self, terms: list[Term]) -> bool:
        """Whether it is one number of which nothing is known but that it is not negative, as of a loop's counter."""
        value = terms[0][0]
        largest = (1 << width_of(value.type) - 1) - 1
        return len(terms) == 1 and self._ranges.of(value)[1] >= largest - 1

    def _base(self, op: llvm.GEPOp) -> tuple[SSAValue, _Bytes]:
        """The address that a chain of offsets starts from, and their sum."""
        total = _Bytes()
        base: SSAValue = op.results[0]
        while isinstance(step := base.owner, llvm.GEPOp):
            constants = step.rawConstantIndices.get_values()
            if len(constants) != 1:
                break
            size = size_of(step.elem_type)
            if step.ssa_indices:
                self._split(step.ssa_indices[0], size, total)
            else:
                total.constant += int(constants[0]) * size
            base = step.ptr
        return base, total

    def _split(self, value: SSAValue, factor: int, total: _Bytes, bound: int = _EVERY, depth: int = 0) -> None:
        """Add `factor * value`, of which the size of `value` is at most `bound`, to a sum."""
        constant = constant_of(value)
        if constant is not None:
            total.constant += factor * constant
        elif self._shared.has(value):
            total.shared.append((value, factor))
        elif self._is_promised(value, factor):
            total.own.append((value, factor))
            total.promised = True
        elif len(total.own) < _TERMS and depth < _DEPTH and (found := self._terms(value, factor, bound)):
            terms, bound = found
            for term, times in terms:
                self._split(term, times, total, bound, depth + 1)
        else:
            total.own.append((value, factor))

    def _is_promised(self, value: SSAValue, factor: int) -> bool:
        """Whether `factor * value` bytes are an offset within a tensor that 32 bits hold.

        The index of a layout of 32 bits is below 2^30 wherever memory is accessed, which its arithmetic says by not
        wrapping around; any other that is not negative is below 2^31.
        """
        op = value.owner
        bits = 30 if isinstance(op, arith.AddiOp | arith.MuliOp) and has_no_signed_wrap(op) else 31
        is_small = value.type == i32 and 0 < factor <= 1 << self._offset_bits - bits
        return is_small and self._is_natural(value)

    def _is_natural(self, value: SSAValue, depth: int = 0) -> bool:
        """Whether it is made of numbers that are not negative, so is none itself unless it wrapped around.

        An index that did is no index: it would take more threads than 32 bits count.
        """
        found = self._natural.get(value)
        if found is None:
            found = self._ranges.of(value)[0] >= 0
            if not found and isinstance(value.owner, _MONOTONE) and depth < _DEPTH:
                found = all(self._is_natural(operand, depth + 1) for operand in value.owner.operands)
            self._natural[value] = found
        return found

    def _terms(self, value: SSAValue, factor: int, bound: int) -> tuple[list[Term], int] | None:
        """What `factor * value` is the sum of, modulo 2^64, and how large a term can be; None where that is unknown."""
        op, is_wide = value.owner, width_of(value.type) == 64
        if isinstance(op, arith.ExtSIOp | arith.IndexCastOp):
            narrow = op.operands[0]
            return ([(narrow, factor)], bound) if width_of(narrow.type) <= width_of(value.type) else None
        if isinstance(op, arith.ExtUIOp):
            return ([(op.operands[0], factor)], bound) if self._ranges.of(op.operands[0])[0] >= 0 else None
        if isinstance(op, arith.AddiOp) and (is_wide or self._ranges.adds_exactly(op, bound)):
            return [(operand, factor) for operand in op.operands], _EVERY
        if isinstance(op, arith.MuliOp) and (is_wide or self._ranges.multiplies_exactly(op)):
            for one, other in (op.operands, reversed(op.operands)):
                count = constant_of(other)
                if count and abs(factor * count) < 1 << 31:
                    return [(one, factor * count)], _EVERY if is_wide else (1 << 31) // abs(count)
        return None

    def _replace(self, op: llvm.GEPOp, base: SSAValue, total: _Bytes) -> None:
        """The offset of the threads is extended in each block that uses the address: LLVM looks for an extension in the
        block of an access only.
        """
        build, address = LLVMBuilder.before_op(op), op.results[0]
        if total.shared:
            base = build.gep(base, (self._added(build, total.shared, i64),), i8)
        own = self._added(build, total.own, i32)
        for first, users in _by_block(address):
            build = LLVMBuilder.before_op(first)
            found = build.gep(base, (build.zero_extend(own, i64),), i8)
            if total.constant:
                found = build.gep(found, (total.constant,), i8)
            for user in users:
                user.operation.operands[user.index] = found
        erase(op)

    def _hide(self, op: llvm.GEPOp, base: SSAValue, total: _Bytes) -> None:
        """Add the threads' part as 64 bits of which LLVM knows nothing.

        Where it knows that 32 bits without a sign hold them, LLVM 22 takes these for the offset beside a scalar base,
        whatever bit 31 is.
        """
        build = LLVMBuilder.before_op(op)
        if total.shared:
            base = build.gep(base, (self._added(build, total.shared, i64),), i8)
        own = self._added(build, total.own, i64)
        properties = {"asm_string": StringAttr(""), "constraints": StringAttr("=v,0")}
        found = build.gep(base, (build.value(llvm.InlineAsmOp, (own,), i64, properties),), i8)
        if total.constant:
            found = build.gep(found, (build.constant(total.constant, i64),), i8)
        op.results[0].replace_all_uses_with(found)
        erase(op)

    def _added(self, build: LLVMBuilder, terms: list[Term], type_: IntegerType) -> SSAValue:
        """The sum of the terms, in a type that holds it."""
        values = []
        for value, factor in terms:
            wide = self._as(build, value, type_)
            values.append(wide if factor == 1 else build.mul(wide, build.constant(factor, type_)))
        return reduce(build.add, values)

    def _as(self, build: LLVMBuilder, value: SSAValue, type_: IntegerType) -> SSAValue:
        if value.type == i32 and type_ == i64 and self._ranges.of(value)[0] >= 0:
            return build.zero_extend(value, type_)
        return build.integer_cast(value, type_)


def _by_block(value: SSAValue) -> Iterator[tuple[Operation, list[Use]]]:
    """The uses of a value by block, with the first operation of the block that uses it."""
    blocks: dict[Block, list[Use]] = {}
    for use in value.uses:
        block = use.operation.parent
        assert block is not None
        blocks.setdefault(block, []).append(use)
    for block, uses in blocks.items():
        users = {use.operation for use in uses}
        yield next(op for op in block.ops if op in users), uses
