"""Reductions over lanes of a wave, `v = combine(v, shuffle(v))` several times over: one loop over waves for all steps.

Each step alone would be a loop that exchanges and a loop over threads that combines, with an array between them. Here
the values of a wave stay in registers from the first step to the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.dialect import upstream_op
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.operations import BUTTERFLY, is_pure
from flydsl_cpu.lowering.wave_shuffles import permutation, wave_permutation

ButterflyOp = upstream_op(BUTTERFLY)
"""All steps of one reduction; its operand is what the first exchanges."""

_COMBINE = (
    *(arith.AddfOp, arith.MulfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
    *(arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp),
)
_WIDTHS = (16, 32, 64)


@dataclass(frozen=True, slots=True)
class Step:
    """A shuffle by known lanes and what combines its operand with its result, in this order unless `swapped`."""

    lanes: tuple[int, ...]
    combine: type[Operation]
    properties: dict[str, Attribute]
    swapped: bool


@dataclass(frozen=True, slots=True)
class Butterflies:
    """The reductions of one kernel, by the operation that stands for them."""

    steps: dict[Operation, list[Step]] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Block, waves: int | None) -> Butterflies:
        """Unite the steps in `body`, in place, when blocks consist of whole waves."""
        found = cls()
        if waves is None:
            return found
        united: set[Operation] = set()
        for op in operations(body, ("gpu.shuffle",)):
            if op not in united and (parts := _chain(op)):
                united.update(shuffle for shuffle, _ in parts)
                found._unite(parts)
        return found

    def _unite(self, parts: list[tuple[Operation, Operation]]) -> None:
        value, (_, last) = parts[0][0].operands[0], parts[-1]
        op = LLVMBuilder.before_op(last).create(ButterflyOp, (value,), (value.type,))
        last.results[0].replace_all_uses_with(op.results[0])
        self.steps[op] = [_step(shuffle, combine) for shuffle, combine in parts]
        for part in (part for pair in reversed(parts) for part in reversed(pair)):
            erase(part)

    def apply(self, op: Operation, build: LLVMBuilder, values: SSAValue) -> SSAValue:
        """The steps of `op` on a vector with the values of a wave."""
        assert isinstance(values.type, VectorType)
        for step in self.steps[op]:
            other = permutation(build, values, step.lanes)
            operands = (other, values) if step.swapped else (values, other)
            values = build.create(step.combine, operands, (values.type,), properties=step.properties).results[0]
        return values


def _chain(shuffle: Operation) -> list[tuple[Operation, Operation]]:
    """Shuffles and what combines their results, from `shuffle` on; each is used by the next one only."""
    parts: list[tuple[Operation, Operation]] = []
    while (combine := _combined(shuffle)) is not None:
        parts.append((shuffle, combine))
        value = combine.results[0]
        following = [use.operation for use in value.uses if use.operation.name == "gpu.shuffle"]
        if len(following) != 1 or len(list(value.uses)) != 2 or not _is_quiet(combine, following[0]):
            break
        shuffle = following[0]
        if (after := _combined(shuffle)) is None or value not in after.operands:
            break
    return parts


def _combined(shuffle: Operation) -> Operation | None:
    """What combines a shuffle by known lanes with its operand, and nothing else uses."""
    value, users = shuffle.operands[0], [use.operation for use in shuffle.results[0].uses]
    if not isinstance(value.type, AnyFloat | IntegerType) or _bits(value.type) not in _WIDTHS or len(users) != 1:
        return None
    combine = users[0]
    if shuffle.results[1].first_use is not None or wave_permutation(shuffle) is None:
        return None
    unites = isinstance(combine, _COMBINE) and set(combine.operands) == {value, shuffle.results[0]}
    return combine if unites and _is_quiet(shuffle, combine) else None


def _step(shuffle: Operation, combine: Operation) -> Step:
    lanes = wave_permutation(shuffle)
    assert lanes is not None
    return Step(lanes, type(combine), dict(combine.properties), combine.operands[0] is shuffle.results[0])


def _is_quiet(first: Operation, last: Operation) -> bool:
    """Whether what lies between two operations of a block does nothing but compute."""
    op = first.next_op
    while op is not None and op is not last:
        if not (is_pure(op) or op.name == "gpu.shuffle"):
            return False
        op = op.next_op
    return op is not None


def _bits(type_: AnyFloat | IntegerType) -> int:
    return type_.width.data if isinstance(type_, IntegerType) else type_.bitwidth
