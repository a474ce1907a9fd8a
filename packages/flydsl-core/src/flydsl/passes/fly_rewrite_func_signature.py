"""The pass `fly-rewrite-func-signature`: Fly-typed arguments become pointers, packed structs and scalars.

A static argument vanishes and is made anew in the body; a tensor becomes a pointer and, when its layout is dynamic, a
packed struct of the dynamic leaves; values that structured control flow carries become pointers and plain scalars.
Calls, launches and returns pass what the new signatures ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, FunctionType, ModuleOp, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import IRError
from flydsl.ir.fly.syntax import SEGMENTS
from flydsl.passes.folding.control import drop_invariant_arguments
from flydsl.passes.located import located
from flydsl.passes.rewriting import erase, functions, operands_of, operations
from flydsl.passes.signature.packing import Packer
from flydsl.passes.signature.slots import slots_of

_BOUNDARIES = frozenset({"func.call", "func.return", "gpu.return", "gpu.launch_func"})
_CARRIERS = frozenset({"scf.if", "scf.for", "scf.while", "scf.yield", "scf.condition"})


@dataclass(frozen=True)
class FlyRewriteFuncSignature(ModulePass):
    """Convert what crosses function boundaries."""

    name: ClassVar[str] = "fly-rewrite-func-signature"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            packer = Packer()
            for loop in operations(function, (scf.ForOp.name,)):
                assert isinstance(loop, scf.ForOp)
                drop_invariant_arguments(loop)
            with located(function):
                _convert_entry(function, packer)
            for inner in operations(function, {*_BOUNDARIES, *_CARRIERS}):
                with located(inner):
                    _convert(inner, packer)
        for inner in operations(op, ("func.func", "gpu.func")):
            _convert_type(inner)


def _convert(op: Operation, packer: Packer) -> None:
    """Give one operation converted operands, results and block arguments."""
    scalars = op.name in _CARRIERS
    for region in op.regions:
        for block in region.blocks:
            _convert_arguments(block, packer, scalars)
    changes_results = any(slots_of(result.type) is not None for result in op.results)
    groups = [packer.passed(operand, op, scalars) for operand in operands_of(op)]
    changes_operands = any(group != [operand] for group, operand in zip(groups, operands_of(op), strict=True))
    if changes_results:
        _recreate(op, groups, packer, scalars)
    elif changes_operands:
        _resize_segments(op, groups)
        op.operands = [value for group in groups for value in group]


def _recreate(op: Operation, groups: list[list[SSAValue]], packer: Packer, scalars: bool) -> None:
    """Make `op` again with converted results, and the results of the old one from them."""
    _resize_segments(op, groups)
    types = [packer.types(result.type, scalars) for result in op.results]
    new = type(op).create(
        operands=[value for group in groups for value in group],
        result_types=[type_ for group in types for type_ in group],
        attributes=op.attributes,
        properties=op.properties,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
        location=op.location,
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    start = 0
    for result, group in zip(op.results, types, strict=True):
        values = new.results[start : start + len(group)]
        start += len(group)
        is_plain = slots_of(result.type) is None
        result.replace_all_uses_with(values[0] if is_plain else packer.rebuilt(result.type, values, op, scalars))
    erase(op)


def _resize_segments(op: Operation, groups: list[list[SSAValue]]) -> None:
    key = next((k for k in (SEGMENTS, "operand_segment_sizes") if k in op.properties), SEGMENTS)
    store = op.properties if key in op.properties else op.attributes
    sizes = store.get(key)
    if not isinstance(sizes, DenseArrayBase):
        return
    new, start = [], 0
    for size in sizes.get_values():
        new.append(sum(len(group) for group in groups[start : start + int(size)]))
        start += int(size)
    store[key] = DenseArrayBase.from_list(i32, new)


def _convert_arguments(block: Block, packer: Packer, scalars: bool) -> None:
    first = block.first_op
    for arg in block.args:
        if slots_of(arg.type) is None:
            continue
        types = packer.types(arg.type, scalars)
        values = [block.insert_arg(type_, arg.index + 1 + offset) for offset, type_ in enumerate(types)]
        assert first is not None
        arg.replace_all_uses_with(packer.rebuilt(arg.type, values, first, scalars))
        block.erase_arg(arg)


def _convert_entry(function: Operation, packer: Packer) -> None:
    entry, *others = function.regions[0].blocks
    if any(slots_of(arg.type) is not None for block in others for arg in block.args):
        raise IRError("Fly values cannot be arguments of branch targets: use structured control flow")
    _convert_arguments(entry, packer, scalars=False)


def _convert_type(function: Operation) -> None:
    store = function.properties if "function_type" in function.properties else function.attributes
    type_ = store.get("function_type")
    if not isinstance(type_, FunctionType):
        return
    inputs = [Packer.types(part, False) for part in type_.inputs]
    outputs = [Packer.types(part, False) for part in type_.outputs]
    for key, groups in (("arg_attrs", inputs), ("res_attrs", outputs)):
        _convert_attributes(function, key, groups)
    store["function_type"] = FunctionType.from_lists(
        [part for group in inputs for part in group], [part for group in outputs for part in group]
    )


def _convert_attributes(function: Operation, key: str, groups: Sequence[list[Attribute]]) -> None:
    """Attributes of an argument go to the first value that stands for it."""
    store = function.properties if key in function.properties else function.attributes
    attributes = store.get(key)
    if isinstance(attributes, ArrayAttr) and len(attributes.data) == len(groups):
        none = DictionaryAttr({})
        spread = [
            [one, *([none] * (len(group) - 1))][: len(group)]
            for one, group in zip(attributes.data, groups, strict=True)
        ]
        store[key] = ArrayAttr([one for group in spread for one in group])
