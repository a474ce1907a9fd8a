"""Operations and types of MLIR 22's own dialects that xDSL lacks or models differently; `overlay` puts them into its dialects.

They carry no verifier: the text they become is verified by MLIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.dialects.llvm import parse_llvm_type
from xdsl.ir import Attribute, Dialect, Operation, OpTraits
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface

from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.reader import Reader

__all__ = ["OPERATIONS", "GPUFuncOp", "StructType", "UpstreamOp", "overlay", "upstream_op"]


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


class GPUFuncOp(UpstreamOp):
    """`gpu.func` as MLIR 22 has it: `function_type` is a property; name, kernel mark and block size are discardable attributes."""

    name = "gpu.func"
    traits = OpTraits(lambda: (IsolatedFromAbove(), SymbolOpInterface()))

    @property
    def sym_name(self) -> StringAttr:
        """The function's name, as the symbol table wants it."""
        found = self.get_attr_or_prop("sym_name")
        assert isinstance(found, StringAttr)
        return found

    @property
    def is_kernel(self) -> bool:
        """True for functions that are launched."""
        return isinstance(self.get_attr_or_prop("gpu.kernel"), UnitAttr)


_PURE_NAMES = (
    "arith.index_castui arith.scaling_extf arith.scaling_truncf arith.subui_extended "
    "vector.extract_strided_slice vector.insert_strided_slice vector.from_elements vector.to_elements vector.shape_cast "
    "vector.transpose vector.interleave vector.deinterleave vector.step vector.multi_reduction vector.constant_mask "
    "math.clampf math.isfinite math.isinf math.isnan math.isnormal math.sincos "
    "gpu.cluster_id gpu.cluster_dim gpu.cluster_block_id gpu.cluster_dim_blocks gpu.dynamic_shared_memory "
    "llvm.mlir.poison llvm.mlir.zero llvm.freeze llvm.addrspacecast llvm.extractelement llvm.fptosi llvm.fptoui llvm.uitofp "
    "llvm.intr.rint llvm.intr.round llvm.intr.roundeven llvm.intr.trunc llvm.intr.maximum llvm.intr.minimum "
    "llvm.intr.smax llvm.intr.smin llvm.intr.umax llvm.intr.umin llvm.intr.abs llvm.intr.fmuladd llvm.intr.bitreverse "
    "llvm.intr.bswap llvm.intr.ctpop llvm.intr.ctlz llvm.intr.cttz llvm.intr.fshl llvm.intr.fshr llvm.intr.log10 "
    "llvm.intr.vector.reduce.add llvm.intr.vector.reduce.smax llvm.intr.vector.reduce.fmaximum"
).split()
_EFFECT_NAMES = (
    "gpu.shuffle gpu.printf gpu.ballot gpu.rotate gpu.subgroup_reduce gpu.subgroup_broadcast gpu.memset gpu.create_queue "
    "gpu.host_synchronize vector.gather vector.scatter "
    "llvm.atomicrmw llvm.cmpxchg llvm.fence llvm.intr.assume llvm.intr.memcpy llvm.intr.memset llvm.intr.prefetch "
    "llvm.intr.expect llvm.intr.debugtrap llvm.intr.trap llvm.switch llvm.intr.masked.load"
).split()

OPERATIONS: dict[str, type[Operation]] = {
    **{name: upstream_op(name, pure=True) for name in _PURE_NAMES},
    **{name: upstream_op(name) for name in _EFFECT_NAMES},
    GPUFuncOp.name: GPUFuncOp,
}
"""Operations by name."""


def overlay(dialect: Dialect) -> Dialect:
    """An xDSL dialect with the operations and types of this module added, or put in place of its own."""
    ours = [op for name, op in OPERATIONS.items() if name.partition(".")[0] == dialect.name]
    names = {op.name for op in ours}
    operations = [op for op in dialect.operations if op.name not in names] + ours
    attributes = [attribute for attribute in dialect.attributes if attribute.name != StructType.name]
    if dialect.name == "llvm":
        attributes.append(StructType)
    return Dialect(dialect.name, operations, attributes, dialect._interfaces)
