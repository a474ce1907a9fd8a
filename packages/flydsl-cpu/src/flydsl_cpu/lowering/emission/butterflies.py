"""The steps of a `cpu.butterfly`: shuffles of a wave and what combines their results, on vectors of its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl_cpu.lowering.analysis.operations import COMMUTATIVE
from flydsl_cpu.lowering.emission.wave_shuffles import permutation

_COMBINE: dict[str, type[Operation]] = {kind.name: kind for kind in COMMUTATIVE}


@dataclass(frozen=True, slots=True)
class Step:
    """A shuffle by known lanes and what combines its operand with its result, in this order unless `swapped`."""

    lanes: tuple[int, ...]
    combine: type[Operation]
    properties: Mapping[str, Attribute]
    swapped: bool


def steps_attribute(steps: Iterable[Step]) -> ArrayAttr[DictionaryAttr]:
    """The steps as `steps_of` reads them."""
    return ArrayAttr(
        DictionaryAttr(
            {
                "lanes": DenseArrayBase.from_list(i32, step.lanes),
                "combine": StringAttr(step.combine.name),
                "properties": DictionaryAttr(dict(step.properties)),
                **({"swapped": UnitAttr()} if step.swapped else {}),
            }
        )
        for step in steps
    )


def steps_of(butterfly: Operation) -> list[Step]:
    """The steps of a reduction, the first one first."""
    found = butterfly.attributes["steps"]
    assert isinstance(found, ArrayAttr)
    return [_step(one.data) for one in found if isinstance(one, DictionaryAttr)]


def combine_lanes(butterfly: Operation, build: LLVMBuilder, values: SSAValue) -> SSAValue:
    """All steps, on a vector with the values of a wave."""
    for step in steps_of(butterfly):
        other = permutation(build, values, step.lanes)
        operands = (other, values) if step.swapped else (values, other)
        values = build.create(step.combine, operands, (values.type,), properties=step.properties).results[0]
    return values


def _step(data: Mapping[str, Attribute]) -> Step:
    lanes, combine, properties = data["lanes"], data["combine"], data["properties"]
    assert isinstance(lanes, DenseArrayBase)
    assert isinstance(combine, StringAttr)
    assert isinstance(properties, DictionaryAttr)
    return Step(tuple(map(int, lanes.get_values())), _COMBINE[combine.data], properties.data, "swapped" in data)
