"""AMD's matrix multiply-add instructions as Fly types with their thread-value layouts.

Layouts are those of the CDNA and RDNA instruction set manuals: for MFMA lane groups of M threads hold consecutive
runs of k; for WMMA the two halves of a wave32 hold alternating runs of k (gfx12) or the same values (gfx11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.atoms import MmaOpType, mma_body, read_mma_body
from flydsl.ir.fly.reader import Reader
from flydsl.layout import Layout
from flydsl_rocm.atoms.matrix_intrinsics import MFMA, WMMA, Key, kind_of

_SCALED_SHAPES = ((16, 16, 128), (32, 32, 64))
_SCALED_KINDS = ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")


@dataclass(frozen=True, eq=False, repr=False)
class RocmMmaType(MmaOpType):
    """What all of them share: extents M, N, K and the element types of a, b and the accumulator."""

    shape: tuple[int, int, int]
    a: Attribute
    b: Attribute
    acc: Attribute

    def body(self) -> str:
        return mma_body(self.shape, (self.a, self.b, self.acc))

    @property
    def table_key(self) -> Key:
        """The entry of the intrinsic tables."""
        return (*self.shape, kind_of(self.a), kind_of(self.b), kind_of(self.acc))

    @property
    def shape_mnk(self) -> tuple[int, int, int]:
        return self.shape

    @property
    def value_types(self) -> tuple[Attribute, Attribute, Attribute, Attribute]:
        return (self.a, self.b, self.acc, self.acc)


class _MfmaLayouts(RocmMmaType):
    """Wave64 layouts: `64 / M` groups of M threads, each with `K / groups` consecutive k."""

    @property
    def thr_layout(self) -> Layout:
        return Layout(64, 1)

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        m, n, k = self.shape
        groups = 64 // m
        if k % groups or n != m or m % (4 * groups):
            raise VerifyException(
                f"{self.name}<{self.body()}> computes several blocks at once, which has no layout of one M x N tile: "
                "choose a shape with K a multiple of 64 / M"
            )
        run = k // groups
        inputs = Layout(((m, groups), run), ((1, m * run), m))
        result = Layout(((n, groups), (4, m // 4 // groups)), ((m, 4), (1, 4 * groups)))
        return inputs, inputs, result


@dataclass(frozen=True, eq=False, repr=False)
class MfmaType(_MfmaLayouts):
    """`!fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32>`."""

    name: ClassVar[str] = "fly_rocdl.cdna3.mfma"

    def verify(self) -> None:
        if self.table_key not in MFMA:
            raise VerifyException(
                f"there is no mfma<{self.body()}>; shapes of these types: {_shapes(MFMA, self.table_key)}"
            )

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        return cls(shape, a, b, acc)


@dataclass(frozen=True, eq=False, repr=False)
class MfmaScaleType(_MfmaLayouts):
    """`!fly_rocdl.cdna4.mfma_scale<16x16x128, (f8E4M3FN, f4E2M1FN) -> f32, opselA = 0, opselB = 0>`; state scale_a,
    scale_b.
    """

    name: ClassVar[str] = "fly_rocdl.cdna4.mfma_scale"
    fields: ClassVar[tuple[str, ...]] = ("scale_a", "scale_b")
    opsel_a: int = 0
    opsel_b: int = 0

    def verify(self) -> None:
        if self.shape not in _SCALED_SHAPES or str(self.acc) != "f32":
            raise VerifyException(f"mfma_scale is 16x16x128 or 32x32x64 with an f32 accumulator, found {self.body()}")
        for element in (self.a, self.b):
            if str(element) not in _SCALED_KINDS:
                raise VerifyException(f"mfma_scale takes {', '.join(_SCALED_KINDS)}, found {element}")
        for opsel in (self.opsel_a, self.opsel_b):
            if not 0 <= opsel <= 3:
                raise VerifyException(f"opsel selects one of 4 bytes, found {opsel}")

    def body(self) -> str:
        return f"{super().body()}, opselA = {self.opsel_a}, opselB = {self.opsel_b}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        opsel = []
        for key in ("opselA", "opselB"):
            for text in (",", key, "="):
                reader.expect(text)
            opsel.append(reader.integer("which byte of the scale to take"))
        return cls(shape, a, b, acc, *opsel)


@dataclass(frozen=True, eq=False, repr=False)
class _WmmaType(RocmMmaType):
    """Wave32 instructions with `signA = .., signB = .., clamp = ..` behind the types."""

    family: ClassVar[str] = ""
    sign_a: bool = False
    sign_b: bool = False
    clamp: bool = False

    def verify(self) -> None:
        table = {key: entry for (family, key), entry in WMMA.items() if family == self.family}
        if self.table_key not in table:
            raise VerifyException(
                f"{self.family} has no wmma<{mma_body(self.shape, (self.a, self.b, self.acc))}>; "
                f"shapes of these types: {_shapes(table, self.table_key)}"
            )

    def body(self) -> str:
        flags = (("signA", self.sign_a), ("signB", self.sign_b), ("clamp", self.clamp))
        return super().body() + "".join(f", {name} = {str(value).lower()}" for name, value in flags)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)
        flags = []
        for key in ("signA", "signB", "clamp"):
            for text in (",", key, "="):
                reader.expect(text)
            flags.append(reader.boolean())
        return cls(shape, a, b, acc, *flags)

    @property
    def thr_layout(self) -> Layout:
        return Layout(32, 1)


@dataclass(frozen=True, eq=False, repr=False)
class Gfx11WmmaType(_WmmaType):
    """`!fly_rocdl.gfx11.wmma<16x16x16, (f16, f16) -> f32, signA = false, ...>`: both halves of a wave hold a and b."""

    name: ClassVar[str] = "fly_rocdl.gfx11.wmma"
    family: ClassVar[str] = "gfx11"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        inputs = Layout(((16, 2), 16), ((1, 0), 16))
        return inputs, inputs, Layout(((16, 2), 8), ((16, 1), 2))


@dataclass(frozen=True, eq=False, repr=False)
class Gfx120xWmmaType(_WmmaType):
    """`!fly_rocdl.gfx120x.wmma<16x16x16, (f16, f16) -> f32, signA = false, ...>`: each wave half holds half of k."""

    name: ClassVar[str] = "fly_rocdl.gfx120x.wmma"
    family: ClassVar[str] = "gfx120x"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        run = self.shape[2] // 2
        inputs = Layout(((16, 2), run), ((1, 16 * run), 16))
        return inputs, inputs, Layout(((16, 2), 8), ((16, 8), 1))


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250WmmaType(_WmmaType):
    """`!fly_rocdl.gfx1250.wmma<16x16x32, (f16, f16) -> f32, signA = false, ...>`: runs of 8 k alternate between the
    halves.
    """

    name: ClassVar[str] = "fly_rocdl.gfx1250.wmma"
    family: ClassVar[str] = "gfx1250"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        k = self.shape[2]
        if k < 16:
            inputs = Layout(((16, 2), k // 2), ((1, 8 * k), 16))
        else:
            inputs = Layout(((16, 2), (8, k // 16)), ((1, 128), (16, 256)))
        return inputs, inputs, Layout(((16, 2), 8), ((16, 8), 1))


def _shapes(table: Mapping[Key, object], key: Key) -> str:
    found = ["x".join(map(str, other[:3])) for other in table if other[3:] == key[3:]]
    return ", ".join(found) or "none"
