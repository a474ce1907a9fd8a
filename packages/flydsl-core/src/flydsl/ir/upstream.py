"""Operations and types of MLIR 22's dialects that xDSL lacks or defines differently; `overlay` installs them.

Those defined by name carry no verifier: the text they become is verified by MLIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.llvm import parse_llvm_type
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, OpTraits, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.str_enum import StrEnum

from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.reader import Reader
from flydsl.ir.gpu_ops import GPU_OPERATIONS, GPUFuncOp
from flydsl.ir.loop_annotations import LoopAnnotationAttr

__all__ = [
    "ATTRIBUTES",
    "OPERATIONS",
    "GPUFuncOp",
    "ShuffleMode",
    "ShuffleModeAttr",
    "StructType",
    "UpstreamOp",
    "overlay",
    "upstream_op",
]


class UpstreamOp(Operation):
    """Base of upstream operations in generic form only."""

    traits: ClassVar[OpTraits] = OpTraits(lambda: ())


_PURE = OpTraits(lambda: (Pure(),))


def upstream_op(name: str, *, pure: bool = False, terminator: bool = False) -> type[UpstreamOp]:
    """A class for the upstream operation `name`; backends define the ones of their target dialects with it."""
    traits = _PURE if pure else OpTraits(lambda: (IsTerminator(),)) if terminator else UpstreamOp.traits
    class_name = "".join(part.capitalize() for part in name.replace(".", "_").split("_")) + "Op"
    return type(class_name, (UpstreamOp,), {"name": name, "traits": traits, "__doc__": f"`{name}` of MLIR."})


@dataclass(frozen=True, eq=False, repr=False)
class StructType(FlyType):
    """`!llvm.struct<(i32, f32)>`, `!llvm.struct<packed (i32, i64)>`, `!llvm.struct<"name", (i32)>`."""

    name: ClassVar[str] = "llvm.struct"
    elements: tuple[Attribute, ...]
    packed: bool = False
    identifier: str = ""

    def body(self) -> str:
        elements = [text_of(element).removeprefix("!llvm.") for element in self.elements]
        identifier = f'"{self.identifier}", ' if self.identifier else ""
        return f"{identifier}{'packed ' if self.packed else ''}({', '.join(elements)})"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        identifier = ""
        if reader.accept('"'):
            reader.position -= 1
            identifier = reader.string()
            reader.expect(",")
        packed = reader.accept("packed")
        reader.expect("(")
        elements: list[Attribute] = []
        while not reader.accept(")"):
            if elements:
                reader.expect(",")
            elements.append(cls._read_element(reader))
        return cls(tuple(elements), packed, identifier)

    @classmethod
    def _read_element(cls, reader: Reader) -> Attribute:
        if not reader.accept("struct<"):
            return reader.parse(parse_llvm_type)
        element = cls.read(reader)
        reader.expect(">")
        return element


class ShuffleMode(StrEnum):
    """How `gpu.shuffle` picks the lane it reads."""

    XOR = "xor"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """`#gpu<shuffle_mode xor>`."""

    name: ClassVar[str] = "gpu.shuffle_mode"


_PURE_NAMES = (
    *("arith.index_castui", "arith.remf", "arith.scaling_extf", "arith.scaling_truncf", "arith.subui_extended"),
    *("vector.extract_strided_slice", "vector.insert_strided_slice", "vector.from_elements", "vector.to_elements"),
    *("vector.shape_cast", "vector.transpose", "vector.interleave", "vector.deinterleave", "vector.step"),
    *("vector.multi_reduction", "vector.constant_mask", "math.clampf", "math.isfinite", "math.isinf", "math.isnan"),
    *("math.isnormal", "math.sincos", "math.erfc", "gpu.cluster_id", "gpu.cluster_dim", "gpu.cluster_block_id"),
    *("gpu.cluster_dim_blocks", "gpu.dynamic_shared_memory", "llvm.mlir.poison", "llvm.mlir.zero", "llvm.freeze"),
    *("llvm.addrspacecast", "llvm.extractelement", "llvm.fptosi", "llvm.fptoui", "llvm.uitofp", "llvm.intr.rint"),
    *("llvm.intr.round", "llvm.intr.roundeven", "llvm.intr.trunc", "llvm.intr.maximum", "llvm.intr.minimum"),
    *("llvm.intr.smax", "llvm.intr.smin", "llvm.intr.umax", "llvm.intr.umin", "llvm.intr.abs", "llvm.intr.fmuladd"),
    *("llvm.intr.bitreverse", "llvm.intr.bswap", "llvm.intr.ctpop", "llvm.intr.ctlz", "llvm.intr.cttz"),
    *("llvm.intr.fshl", "llvm.intr.fshr", "llvm.intr.log10", "llvm.intr.vector.reduce.add"),
    *("llvm.intr.vector.reduce.smax", "llvm.intr.vector.reduce.fmaximum", "llvm.intr.expect", "llvm.intr.ldexp"),
)
_EFFECT_NAMES = (
    *("gpu.shuffle", "gpu.printf", "gpu.ballot", "gpu.rotate", "gpu.subgroup_reduce", "gpu.subgroup_broadcast"),
    *("gpu.memset", "gpu.create_queue", "gpu.host_synchronize", "vector.gather", "vector.scatter", "llvm.atomicrmw"),
    *("llvm.cmpxchg", "llvm.fence", "llvm.intr.assume", "llvm.intr.memcpy", "llvm.intr.memset", "llvm.intr.prefetch"),
    *("llvm.intr.debugtrap", "llvm.intr.trap", "llvm.switch", "llvm.intr.masked.load"),
)

OPERATIONS: dict[str, type[Operation]] = {
    **{name: upstream_op(name, pure=True) for name in _PURE_NAMES},
    **{name: upstream_op(name) for name in _EFFECT_NAMES},
    **{op.name: op for op in GPU_OPERATIONS},
}
"""Operations by name."""

ATTRIBUTES: tuple[type[Attribute], ...] = (StructType, ShuffleModeAttr, LoopAnnotationAttr)
"""Types and attributes."""


def overlay(dialect: Dialect) -> Dialect:
    """An xDSL dialect with the operations and types of this module added, or put in place of its own."""
    ours = [op for name, op in OPERATIONS.items() if name.partition(".")[0] == dialect.name]
    names = {op.name for op in ours}
    operations = [op for op in dialect.operations if op.name not in names] + ours
    own = [attribute for attribute in ATTRIBUTES if attribute.name.partition(".")[0] == dialect.name]
    replaced = {attribute.name for attribute in own}
    attributes = [attribute for attribute in dialect.attributes if attribute.name not in replaced] + own
    return Dialect(dialect.name, operations, attributes, dialect._interfaces)
