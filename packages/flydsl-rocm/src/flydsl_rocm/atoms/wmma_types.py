"""RDNA's and gfx1250's matrix multiply-add instructions (WMMA) as Fly types with their thread-value layouts.

Layouts are those of the instruction set manuals. gfx11: both halves of a wave hold the same A and B, and every other
row of C and D. gfx12: each half holds half of k, and eight rows. gfx1250: runs of k alternate between the halves.

16-bit accumulators of gfx12 and gfx1250 are packed: the lower half of a register has the row before that of the upper
half. So the eight values of a thread are eight rows in order, as those of a 32-bit accumulator are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import AnyFloat
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import Reader, read_mma_body
from flydsl.backend.ir import element_bits
from flydsl.layout import Layout
from flydsl_rocm.atoms.matrix_intrinsics import SCALED_FORMATS, WMMA, Intrinsic
from flydsl_rocm.atoms.matrix_types import RocmMmaType, shapes_of_types
from flydsl_rocm.features import Feature

_WAVE = Layout(32, 1)
_ROWS_OF_HALVES = Layout(((16, 2), 8), ((16, 8), 1))
"""C and D of gfx12: columns by thread, rows 0 to 7 in the first half of the wave."""


@dataclass(frozen=True, eq=False, repr=False)
class _WmmaType(RocmMmaType):
    """Wave32 instructions with `signA = .., signB = .., clamp = ..` behind the types.

    The flags say how integers are read: an element type without a flag, signed or not, says only what memory holds.
    """

    family: ClassVar[str] = ""
    label: ClassVar[str] = ""
    sign_a: bool = False
    sign_b: bool = False
    clamp: bool = False

    @property
    def entry(self) -> Intrinsic | None:
        return WMMA.get((self.family, self.table_key))

    def verify(self) -> None:
        self._verify_shape()
        is_fnuz = any(str(element).endswith("FNUZ") for element in (self.a, self.b))
        if self.entry is None or is_fnuz:
            known = [key for family, key in WMMA if family == self.family]
            raise VerifyException(
                f"unsupported {self.label} WMMA configuration: {_extents(self.shape)} with A='{self.a}', "
                f"B='{self.b}', Acc='{self.acc}'; shapes of these types: "
                f"{'none' if is_fnuz else shapes_of_types(known, self.table_key)}"
            )
        if isinstance(self.a, AnyFloat) and (self.sign_a or self.sign_b or self.clamp):
            raise VerifyException(self._refused_flags())

    def _verify_shape(self) -> None:
        """Raise for extents that no instruction of the family has."""

    def _refused_flags(self) -> str:
        raise NotImplementedError

    def _flags(self) -> str:
        flags = (("signA", self.sign_a), ("signB", self.sign_b), ("clamp", self.clamp))
        return ", ".join(f"{name} = {str(value).lower()}" for name, value in flags)

    def body(self) -> str:
        return f"{super().body()}, {self._flags()}"

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
        return _WAVE


@dataclass(frozen=True, eq=False, repr=False)
class Gfx11WmmaType(_WmmaType):
    """`!fly_rocdl.gfx11.wmma<16x16x16, (f16, f16) -> f32, signA = false, ...>`: both halves of a wave hold a and b."""

    name: ClassVar[str] = "fly_rocdl.gfx11.wmma"
    family: ClassVar[str] = "gfx11"
    label: ClassVar[str] = "GFX11"

    def _verify_shape(self) -> None:
        if self.shape != (16, 16, 16):
            raise VerifyException(f"GFX11 WMMA requires M=N=K=16, got {_extents(self.shape)}")

    def _refused_flags(self) -> str:
        return f"GFX11 WMMA fp16/bf16 path does not accept signA/signB/clamp ({self._flags()})"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        inputs = Layout(((16, 2), 16), ((1, 0), 16))
        return inputs, inputs, Layout(((16, 2), 8), ((16, 1), 2))


@dataclass(frozen=True, eq=False, repr=False)
class Gfx120xWmmaType(_WmmaType):
    """`!fly_rocdl.gfx120x.wmma<16x16x16, (f16, f16) -> f32, signA = false, ...>`: each wave half holds half of k."""

    name: ClassVar[str] = "fly_rocdl.gfx120x.wmma"
    family: ClassVar[str] = "gfx120x"
    label: ClassVar[str] = "GFX120X"

    def _verify_shape(self) -> None:
        if isinstance(self.a, AnyFloat) and self.shape != (16, 16, 16):
            raise VerifyException(f"GFX120X WMMA floating-point forms require M=N=K=16, got {_extents(self.shape)}")

    def _refused_flags(self) -> str:
        return f"GFX120X WMMA floating-point path does not accept signA/signB/clamp ({self._flags()})"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        k = self.shape[2]
        inputs = Layout(((16, 2), 8), ((1, 128), 16)) if k == 16 else _alternating(k, 8)
        return inputs, inputs, _ROWS_OF_HALVES


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250WmmaType(_WmmaType):
    """`!fly_rocdl.gfx1250.wmma<16x16x32, (f16, f16) -> f32, signA = false, ...>`: runs of 8 k alternate between the
    halves.
    """

    name: ClassVar[str] = "fly_rocdl.gfx1250.wmma"
    family: ClassVar[str] = "gfx1250"
    label: ClassVar[str] = "GFX1250"

    def _refused_flags(self) -> str:
        return f"signA/signB/clamp are only valid for integer (iu4/iu8) WMMA, got A='{self.a}'"

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        k = self.shape[2]
        inputs = Layout(((16, 2), k // 2), ((1, 8 * k), 16)) if k < 16 else _alternating(k, 8)
        return inputs, inputs, _ROWS_OF_HALVES


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250WmmaScaleType(RocmMmaType):
    """`!fly_rocdl.gfx1250.wmma_scale<16x16x128, (f8E4M3FN, f4E2M1FN) -> f32, opselA = 0, opselB = 0, modC = 0, reuseA =
    false, reuseB = false, blockSize = 32>`; state scale_a, scale_b: a byte, e8m0, of each `block_size` k of a row.
    """

    name: ClassVar[str] = "fly_rocdl.gfx1250.wmma_scale"
    feature: ClassVar[Feature | None] = Feature.WMMA_GFX1250
    fields: ClassVar[tuple[str, ...]] = ("scale_a", "scale_b")
    opsel_a: int = 0
    opsel_b: int = 0
    mod_c: int = 0
    reuse_a: bool = False
    reuse_b: bool = False
    block_size: int = 32

    def verify(self) -> None:
        if self.block_size not in (16, 32):
            raise VerifyException(f"blockSize must be 16 or 32, got {self.block_size}")
        if self.shape not in ((16, 16, 128), (32, 16, 128)):
            raise VerifyException(
                f"unsupported MNK for GFX1250 WMMA_Scale: {_extents(self.shape)} (expected 16x16x128 or 32x16x128)"
            )
        for element in (self.a, self.b):
            if str(element) not in SCALED_FORMATS:
                raise VerifyException(f"GFX1250 WMMA_Scale takes {', '.join(SCALED_FORMATS)}, got '{element}'")
        if self.shape[0] == 32 and not str(self.a) == str(self.b) == "f4E2M1FN":
            raise VerifyException(
                f"GFX1250 WMMA_Scale 32x16x128 requires f4E2M1FN A and B, got A='{self.a}', B='{self.b}'"
            )
        if str(self.acc) != "f32":
            raise VerifyException(f"GFX1250 WMMA_Scale has an f32 accumulator, got '{self.acc}'")
        for name, opsel in (("opselA", self.opsel_a), ("opselB", self.opsel_b)):
            if opsel not in (0, 1):
                raise VerifyException(f"{name} must be 0 or 1, the half of the wave with the scales, got {opsel}")
        if not 0 <= self.mod_c <= 0xFFFF:
            raise VerifyException(f"modC must be in 0..65535, got {self.mod_c}")

    def body(self) -> str:
        numbers = f"opselA = {self.opsel_a}, opselB = {self.opsel_b}, modC = {self.mod_c}"
        flags = f"reuseA = {str(self.reuse_a).lower()}, reuseB = {str(self.reuse_b).lower()}"
        return f"{super().body()}, {numbers}, {flags}, blockSize = {self.block_size}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        shape, (a, b, acc) = read_mma_body(reader)

        def key(name: str) -> None:
            for text in (",", name, "="):
                reader.expect(text)

        numbers = []
        for name in ("opselA", "opselB", "modC"):
            key(name)
            numbers.append(reader.integer(name))
        flags = []
        for name in ("reuseA", "reuseB"):
            key(name)
            flags.append(reader.boolean())
        key("blockSize")
        opsel_a, opsel_b, mod_c = numbers
        reuse_a, reuse_b = flags
        return cls(shape, a, b, acc, opsel_a, opsel_b, mod_c, reuse_a, reuse_b, reader.integer("16 or 32"))

    @property
    def thr_layout(self) -> Layout:
        return _WAVE

    @property
    def tv_layouts(self) -> tuple[Layout, Layout, Layout]:
        """Which k have a scale in common depends on the runs; these are of 16 bytes or, of fewer bits, of 32 k.

        Where both operands have 8 bits, and scales are of 32 k, runs of 8 are as good: the layout of the other atoms.
        """
        m, _, k = self.shape
        bits = element_bits(self.a), element_bits(self.b)
        runs = (8, 8) if bits == (8, 8) and self.block_size == 32 else tuple(16 if each == 8 else 32 for each in bits)
        a, b = (_alternating(k, run) for run in runs)
        if m == 16:
            return a, b, _ROWS_OF_HALVES
        # Rows from 16 on are in the registers that follow.
        a = Layout(((16, 2), (32, 2, 2)), ((1, m * 32), (m, m * 64, 16)))
        return a, b, Layout(((16, 2), (8, 2)), ((m, 8), (1, 16)))


def _alternating(k: int, run: int) -> Layout:
    """A or B of 16 rows, whose runs of k alternate between the halves of the wave."""
    return Layout(((16, 2), (run, k // run // 2)), ((1, 16 * run), (16, 32 * run)))


def _extents(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape))
