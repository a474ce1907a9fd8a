"""Linear forms: how the integers and addresses of a thread loop depend on its counters.

A thread id is a sum of digits, `x = 16 * x1 + x0`; a digit becomes one loop of the nest. Splitting the id where the
body divides by constants turns quotients and remainders into plain sums of counters, which LLVM's vectoriser
understands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from flydsl.backend.ir import StructType
from flydsl.backend.llvm import size_of
from flydsl.backend.rewriting import block_ops, operands_of
from flydsl_cpu.lowering.analysis.operations import inner_operations, is_pure_itself

_QUOTIENTS, _REMAINDERS = (arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp), (arith.RemSIOp, arith.RemUIOp)
_ID_BITS = 32
DIVISIONS = frozenset(kind.name for kind in _QUOTIENTS + _REMAINDERS)
"""Names of the divisions that may give plain sums of digits."""
_DIVISIONS: Collection[type[Operation]] = frozenset(_QUOTIENTS + _REMAINDERS)
_KINDS: Mapping[type[Operation], str] = {
    **dict.fromkeys((arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp), "passed"),
    **dict.fromkeys(_DIVISIONS, "division"),
    arith.AddiOp: "sum",
    arith.SubiOp: "difference",
    arith.MuliOp: "product",
    llvm.GEPOp: "address",
}
"""Operations whose results may be sums of digits, all of them pure: looking a class up is quicker than `isinstance`."""


@dataclass(frozen=True, slots=True)
class Digit:
    """One loop counter: `dim` of the thread id gets counter * unit; the extent is None when only the launch tells."""

    dim: int
    extent: int | None
    unit: int = 1


@dataclass(frozen=True, slots=True)
class Form:
    """constant-coefficient sum over digits + something uniform, with `unknown` the digits it depends on in other ways.

    `offset` says whether there may be a uniform part.
    """

    coefficients: Mapping[int, int] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()
    offset: bool = False

    @property
    def digits(self) -> frozenset[int]:
        """All digits the value depends on."""
        return self.unknown | frozenset(self.coefficients)

    def scaled(self, factor: int) -> Form:
        """factor times the value."""
        if factor == 1 or not self.coefficients:
            return self
        return replace(self, coefficients={d: c * factor for d, c in self.coefficients.items() if factor})

    def plus(self, other: Form) -> Form:
        """The sum of two values."""
        for a, b in ((self, other), (other, self)):
            if not b.coefficients and not b.unknown and (a.offset or not b.offset):
                return a
        sums = dict(self.coefficients)
        for digit, coefficient in other.coefficients.items():
            sums[digit] = sums.get(digit, 0) + coefficient
        sums = {digit: c for digit, c in sums.items() if c}
        return Form(sums, self.unknown | other.unknown, self.offset or other.offset)


_UNIFORM, _ZERO = Form(offset=True), Form()


class LinearForms:
    """The forms of all values of a loop body for one choice of digits; `wanted` is a split that would simplify it.

    The thread ids are the arguments of the body, or the `gpu.thread_id` operations of a whole kernel.
    """

    __slots__ = ("_anything", "_digits", "_forms", "_ids", "_inside", "_of_digits", "wanted")

    def __init__(self, body: Block, digits: list[Digit]) -> None:
        self._digits = digits
        self._forms: dict[SSAValue, Form] = {}
        self.wanted: tuple[int, int] | None = None
        self._ids = [Form({i: digit.unit for i, digit in enumerate(digits) if digit.dim == dim}) for dim in range(3)]
        self._forms.update(zip(body.args, self._ids, strict=False))
        self._of_digits: dict[frozenset[int], Form] = {frozenset(): _UNIFORM}
        self._inside: dict[Operation, frozenset[int] | None] = {}  # once for each level of a nest
        self._anything = self._with(frozenset(range(len(digits))))
        self._visit(body)

    def renamed(self, copies: Mapping[SSAValue, SSAValue]) -> LinearForms:
        """The forms of a copy of the body, with the values that stand there for those of the body."""
        made = copy(self)
        made._forms = {copies.get(value, value): form for value, form in self._forms.items()}
        return made

    def _visit(self, block: Block) -> None:
        """Find the forms of all values in a block, from the first operation to the last."""
        forms = self._forms
        for op in block_ops(block):
            if op.regions:
                self._enter(op)
                self._inside[op] = self._digits_inside(op)
            if op.results:
                form = self._form(op)
                for result in op.results:
                    forms[result] = form

    def _enter(self, op: Operation) -> None:
        inner = [block for region in op.regions for block in region.blocks]
        if any(block.args for block in inner):
            form = self._opaque(op)
            self._forms.update((argument, form) for block in inner for argument in block.args)
        if isinstance(op, scf.ForOp):
            self._forms[op.body.block.args[0]] = self.of(op.lb).plus(self._joint([op.step]))
        for block in inner:
            self._visit(block)

    @property
    def digits(self) -> tuple[Digit, ...]:
        """The digits that forms count in; none when the block has a single thread."""
        return tuple(self._digits)

    def of(self, value: SSAValue) -> Form:
        """The form of a value; one from outside the body is uniform."""
        found = self._forms.get(value)
        if found is not None:
            return found
        return _ZERO if constant_value(value) == 0 else _UNIFORM

    def quotient_or_remainder(self, op: Operation) -> Form | None:
        """The form of a division's result when it is a plain sum of digits."""
        if type(op) not in _DIVISIONS:
            return None
        value, divisor = self.of(op.operands[0]), constant_value(op.operands[1])
        if divisor is None or divisor <= 0 or value.offset or value.unknown:
            return None
        if not isinstance(op, arith.FloorDivSIOp) and any(c < 0 for c in value.coefficients.values()):
            return None  # other divisions of negative numbers round up, or take them for large ones
        low = {d: c for d, c in value.coefficients.items() if c % divisor}
        if not self._is_below(low, divisor):
            self._want(low, divisor)
            return None
        if isinstance(op, _REMAINDERS):
            return Form(low)
        return Form({d: c // divisor for d, c in value.coefficients.items() if c % divisor == 0})

    def _form(self, op: Operation) -> Form:
        kind = _KINDS.get(type(op), "")
        if not kind:
            if op.name == "gpu.thread_id":
                return self._ids["xyz".index(op.properties["dimension"].data)]  # type: ignore[attr-defined]
            return self._opaque(op)
        operands = operands_of(op)
        if kind == "passed":
            return self.of(operands[0]) if _holds_ids(op.results[0].type) else self._opaque(op)
        if kind == "sum":
            return self.of(operands[0]).plus(self.of(operands[1]))
        if kind == "difference":
            return self.of(operands[0]).plus(self.of(operands[1]).scaled(-1))
        if kind == "product":
            return self._product(op)
        if isinstance(op, llvm.GEPOp):
            return self._address(op)
        return self.quotient_or_remainder(op) or self._opaque(op)

    def _product(self, op: Operation) -> Form:
        if any(form == _ZERO for form in map(self.of, operands_of(op))):
            return _ZERO  # such as the part of a dimension that has one thread
        for a, b in (operands_of(op), operands_of(op)[::-1]):
            factor = constant_value(b)
            if factor is not None:
                return self.of(a).scaled(factor)
        return self._opaque(op)

    def _address(self, op: llvm.GEPOp) -> Form:
        """In bytes."""
        pointer, *indices = operands_of(op)
        form, element = self.of(pointer), op.properties["elem_type"]
        if len(op.properties["rawConstantIndices"]) != 1 or isinstance(element, StructType):  # type: ignore[arg-type]
            return self._opaque(op)
        if not indices:
            return form.plus(_UNIFORM)
        return form.plus(self.of(indices[0]).scaled(size_of(element)))

    def _opaque(self, op: Operation) -> Form:
        inside = self._digits_inside(op)
        return self._anything if inside is None else self._with(inside)

    def _digits_inside(self, op: Operation) -> frozenset[int] | None:
        """The digits that an operation and all that it holds depend on; None where something in it is not pure."""
        if op in self._inside:
            return self._inside[op]
        if not is_pure_itself(op):
            return None
        digits = self._digits_of(operands_of(op))
        for nested in inner_operations(op):
            inside = self._digits_inside(nested)
            if inside is None:
                return None
            digits |= inside
        return digits

    def _joint(self, values: Sequence[SSAValue]) -> Form:
        """What depends on all of `values` in an unknown way."""
        return self._with(self._digits_of(values))

    def _digits_of(self, values: Sequence[SSAValue]) -> frozenset[int]:
        digits: frozenset[int] = frozenset()
        forms = self._forms
        for value in values:
            form = forms.get(value)
            if form is not None and (form.unknown or form.coefficients):
                digits |= form.digits
        return digits

    def _with(self, digits: frozenset[int]) -> Form:
        """What depends on `digits` in an unknown way; one object for each set."""
        form = self._of_digits.get(digits)
        if form is None:
            form = self._of_digits[digits] = Form(unknown=digits, offset=True)
        return form

    def _is_below(self, low: Mapping[int, int], bound: int) -> bool:
        total = 0
        for digit, coefficient in low.items():
            extent = self._digits[digit].extent
            if extent is None or coefficient < 0:
                return False
            total += coefficient * (extent - 1)
        return total < bound

    def _want(self, low: Mapping[int, int], divisor: int) -> None:
        """Ask for the digit that straddles the divisor to be split there."""
        for digit, coefficient in low.items():
            extent = self._digits[digit].extent
            if extent is None or coefficient <= 0 or divisor % coefficient:
                continue
            size = divisor // coefficient
            if 1 < size < extent and extent % size == 0:
                self.wanted = self.wanted or (digit, size)


def split_digits(body: Block, extents: tuple[int | None, int | None, int | None]) -> tuple[list[Digit], LinearForms]:
    """The digits of the three thread ids, split where the body divides by constants, and the forms in terms of them."""
    digits = [Digit(dim, extent) for dim, extent in enumerate(extents) if extent != 1]
    forms = LinearForms(body, digits)
    while forms.wanted is not None:
        index, size = forms.wanted
        digit = digits[index]
        assert digit.extent is not None
        low = replace(digit, extent=size)
        high = Digit(digit.dim, digit.extent // size, digit.unit * size)
        digits[index : index + 1] = [low, high]
        forms = LinearForms(body, digits)
    return digits, forms


def _holds_ids(type_: Attribute) -> bool:
    """Whether sums of thread ids fit into integers of a type; in narrower ones they begin again at 0."""
    return not isinstance(type_, IntegerType) or type_.width.data >= _ID_BITS


def constant_value(value: SSAValue) -> int | None:
    """The number of an integer constant."""
    if isinstance(value, OpResult) and type(value.op) is arith.ConstantOp:
        attribute = value.op.properties["value"]
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None
    return None
