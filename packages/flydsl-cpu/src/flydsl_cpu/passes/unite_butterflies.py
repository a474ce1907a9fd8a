"""The pass `cpu-unite-butterflies`: one operation for all steps of a reduction over the lanes of a wave.

A step is `v = combine(v, shuffle(v))`. Each alone would be a loop that exchanges and a loop over threads that combines,
with an array between them. As one loop over waves, the values of a wave stay in registers from the first step to the
last.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Operation

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.dialect import ButterflyOp
from flydsl_cpu.lowering.analysis.operations import COMMUTATIVE, is_pure
from flydsl_cpu.lowering.emission.butterflies import Step, steps_attribute
from flydsl_cpu.lowering.emission.wave_shuffles import wave_permutation
from flydsl_cpu.lowering.kernels import extents_of, whole_waves
from flydsl_cpu.target import WARP_SIZE

_WIDTHS = (16, 32, 64)


@dataclass(frozen=True)
class UniteButterflies(KernelPass):
    """A `cpu.butterfly` for the steps of each reduction, where blocks consist of whole waves."""

    name = "cpu-unite-butterflies"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        if whole_waves(extents_of(kernel), WARP_SIZE) is None:
            return
        united: set[Operation] = set()
        for op in operations(kernel, ("gpu.shuffle",)):
            if op not in united and (parts := _chain(op)):
                united.update(shuffle for shuffle, _ in parts)
                _unite(parts)


def _unite(parts: list[tuple[Operation, Operation]]) -> None:
    value, (_, last) = parts[0][0].operands[0], parts[-1]
    steps = steps_attribute(_step(shuffle, combine) for shuffle, combine in parts)
    op = LLVMBuilder.before_op(last).create(ButterflyOp, (value,), (value.type,), attributes={"steps": steps})
    last.results[0].replace_all_uses_with(op.results[0])
    for part in (part for pair in reversed(parts) for part in reversed(pair)):
        erase(part)


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
    unites = isinstance(combine, COMMUTATIVE) and set(combine.operands) == {value, shuffle.results[0]}
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
