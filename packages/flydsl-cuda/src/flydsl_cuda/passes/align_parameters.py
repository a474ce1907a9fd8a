"""The pass `nvvm-align-parameters`: packed structs that kernels are passed, as structs of aligned numbers.

They have the same bytes. LLVM reads a parameter of a packed struct byte by byte: it counts as aligned to one byte. A
number that is not at a multiple of its size is taken apart into smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import FixedBitwidthType, FunctionType, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from flydsl.backend.ir import StructType
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass

_LARGEST = 8


class _Leaf(NamedTuple):
    """A number of a struct: the way to it, its type, its place and size in bytes."""

    path: tuple[int, ...]
    type: Attribute
    offset: int
    size: int


@dataclass(frozen=True)
class AlignParameters(KernelPass):
    """Packed structs that kernels are passed, as structs that are read in words."""

    name = "nvvm-align-parameters"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        align_parameters(kernel)


def align_parameters(kernel: Operation) -> None:
    """Give the structs among the arguments of a kernel types that are read in words."""
    if "gpu.kernel" not in kernel.attributes:
        return
    block = kernel.regions[0].blocks[0]
    for argument in tuple(block.args):
        if isinstance(argument.type, StructType) and argument.type.packed:
            _align(argument, LLVMBuilder(block, block.first_op))
    type_ = kernel.properties["function_type"]
    assert isinstance(type_, FunctionType)
    kernel.properties["function_type"] = FunctionType.from_lists(list(block.arg_types), list(type_.outputs.data))


def _align(argument: SSAValue, build: LLVMBuilder) -> None:
    original = argument.type
    leaves = list(_leaves(original, (), 0))
    if not leaves or any(leaf.size == 0 for leaf in leaves):
        return
    total = leaves[-1].offset + leaves[-1].size
    pieces = [min(leaf.size, _alignment(leaf.offset), _alignment(total)) for leaf in leaves]
    are_whole = [piece == leaf.size for leaf, piece in zip(leaves, pieces, strict=True)]
    if any(
        not whole and isinstance(leaf.type, llvm.LLVMPointerType) for leaf, whole in zip(leaves, are_whole, strict=True)
    ):
        return  # an address cannot be put together
    types: list[Attribute] = []
    for leaf, piece in zip(leaves, pieces, strict=True):
        types += [leaf.type] if piece == leaf.size else [IntegerType(8 * piece)] * (leaf.size // piece)
    replaced = Rewriter.replace_value_with_new_type(argument, StructType(tuple(types)))
    uses = list(replaced.uses)
    value, position = build.undef(original), 0
    for leaf, piece in zip(leaves, pieces, strict=True):
        count = leaf.size // piece
        parts = [build.extract_value(replaced, (position + i,), types[position + i]) for i in range(count)]
        value = build.insert_value(value, _joined(build, parts, leaf.type), leaf.path)
        position += count
    for use in uses:
        use.operation.operands[use.index] = value


def _leaves(type_: Attribute, path: tuple[int, ...], offset: int) -> Iterator[_Leaf]:
    if isinstance(type_, StructType):
        for index, element in enumerate(type_.elements):
            for leaf in _leaves(element, (*path, index), offset):
                yield leaf
                offset = leaf.offset + leaf.size
        return
    yield _Leaf(path, type_, offset, _size(type_))


def _size(type_: Attribute) -> int:
    """Bytes of a number or an address; 0 for what is neither."""
    if isinstance(type_, llvm.LLVMPointerType):
        return _LARGEST
    bits = type_.bitwidth if isinstance(type_, FixedBitwidthType) else 0
    return bits // 8 if bits in (8, 16, 32, 64) else 0


def _alignment(offset: int) -> int:
    return min(_LARGEST, offset & -offset) if offset else _LARGEST


def _joined(build: LLVMBuilder, parts: list[SSAValue], type_: Attribute) -> SSAValue:
    """A number of its parts, the lowest first."""
    if len(parts) == 1:
        return parts[0]
    assert isinstance(type_, FixedBitwidthType)
    wide = IntegerType(type_.bitwidth)
    result = build.zero_extend(parts[0], wide)
    step = type_.bitwidth // len(parts)
    for index, part in enumerate(parts[1:], 1):
        extended = build.zero_extend(part, wide)
        shifted = build.value(arith.ShLIOp, (extended, build.constant(index * step, wide)), wide)
        result = build.bit_or(result, shifted)
    return build.bitcast(result, type_)
