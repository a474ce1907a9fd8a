"""AMD's matrix multiply-add operations for `fx.make_mma_atom`, by extents and element types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr import Float32, Float64, Int32, Numeric
from flydsl_rocm.features import Feature
from flydsl_rocm.target import RocmTarget

from .chips import chip

__all__ = ["MFMA", "WMMA", "WMMAScale"]


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """A matrix operation by name; which instruction it is, the target of the trace says.

    Programs make atoms for several chips and use one: what the target lacks is refused where it is used.
    """

    name: str
    make: Callable[[RocmTarget], Any]

    def ir_type(self) -> Any:
        """The operation's type in the dialect; whether the target has its instruction counts where it is used."""
        from xdsl.utils.exceptions import VerifyException

        target = chip(self.name)
        try:
            type_ = self.make(target)
            assert type_.tv_layouts
        except VerifyException as error:
            raise FrontendError(f"fx.rocdl.{self.name}: {error}") from None
        return type_


def MFMA(  # noqa: N802 - an operation, used like a class
    m: int, n: int, k: int, elem_ty_ab: Any, elem_ty_acc: type[Numeric] | None = None, *, blocks: int | None = None
) -> MatrixOp:
    """CDNA's D = A * B + C of one wave of 64 threads; a pair `elem_ty_ab` gives A and B types of their own.

    An instruction of several blocks (32x32x1, 16x16x1 and 4x4x1 of f32, 32x32x4, 16x16x4 and 4x4x4 of narrower types,
    4x4x4 of f64) is a product of m x (n * blocks) x k here: its blocks have the same A. `blocks` tells two instructions
    of one shape apart, 32x32x4 of bf16: by default it is the one the target has, and of two that of fewer blocks.
    """

    def make(target: RocmTarget) -> Any:
        from flydsl_rocm.atoms.matrix_types import MfmaType

        types = element_types(elem_ty_ab, elem_ty_acc)
        if blocks is not None and blocks < 1:
            raise FrontendError(f"fx.rocdl.MFMA has a positive number of blocks, found {blocks!r}")
        return MfmaType((m, n, k), *types, blocks or _blocks_of_target((m, n, k), types, target))

    return MatrixOp("MFMA", make)


def _blocks_of_target(shape: tuple[int, int, int], types: tuple[Any, Any, Any], target: RocmTarget) -> int:
    """How many blocks the target's instruction of this shape has; 0 when it has none."""
    from flydsl_rocm.atoms.matrix_intrinsics import MFMA_BLOCKS, kind_of

    key = (*shape, *map(kind_of, types))
    having = [
        blocks for (other, blocks), entry in MFMA_BLOCKS.items() if other == key and entry.feature in target.features
    ]
    return min(having, default=0)


def WMMA(  # noqa: N802
    m: int,
    n: int,
    k: int,
    elem_ty_ab: Any,
    elem_ty_acc: type[Numeric] | None = None,
    *,
    signA: bool = False,  # noqa: N803 - the instruction's own names
    signB: bool = False,  # noqa: N803
    clamp: bool = False,
) -> MatrixOp:
    """RDNA's D = A * B + C of one wave of 32 threads; `signA`, `signB` and `clamp` are for integers."""

    def make(target: RocmTarget) -> Any:
        from flydsl_rocm.atoms.wmma_types import Gfx11WmmaType, Gfx120xWmmaType, Gfx1250WmmaType

        kinds: dict[Feature, Callable[..., Any]] = {
            Feature.WMMA_GFX11: Gfx11WmmaType,
            Feature.WMMA_GFX12: Gfx120xWmmaType,
            Feature.WMMA_GFX1250: Gfx1250WmmaType,
        }
        having = [kind for feature, kind in kinds.items() if feature in target.features]
        parameters = ((m, n, k), *element_types(elem_ty_ab, elem_ty_acc), signA, signB, clamp)
        return _first_made(having or list(kinds.values()), parameters)

    return MatrixOp("WMMA", make)


def _first_made(kinds: Sequence[Callable[..., Any]], parameters: tuple[Any, ...]) -> Any:
    """The type of the first kind that has such an operation; the last one's error when none has."""
    from xdsl.utils.exceptions import VerifyException

    for kind in kinds[:-1]:
        with suppress(VerifyException):
            return kind(*parameters)
    return kinds[-1](*parameters)


def WMMAScale(  # noqa: N802
    m: int,
    n: int,
    k: int,
    elem_ty_a: type[Numeric],
    elem_ty_b: type[Numeric] | None = None,
    elem_ty_acc: type[Numeric] | None = None,
    *,
    opsel_a: int = 0,
    opsel_b: int = 0,
    mod_c: int = 0,
    reuse_a: bool = False,
    reuse_b: bool = False,
    block_size: int = 32,
) -> MatrixOp:
    """gfx1250's D = (A * scale_a) * (B * scale_b) + C of 8, 6 and 4-bit floats, 16x16x128, or 32x16x128 of 4 bits.

    State, to be set: scale_a, scale_b, an e8m0 byte for each `block_size` k of a row, lowest k first, in the thread
    with the number of the row (of 16 rows: 16 threads later when `opsel_a` or `opsel_b` is 1): Int32, or Int64 of
    blocks of 16. What is not set is 2**-127. `mod_c`: 1 negates C, 2 takes its magnitude, 3 does both. `reuse_a`,
    `reuse_b`: the operand is that of the call before.
    """

    def make(target: RocmTarget) -> Any:
        from flydsl_rocm.atoms.wmma_types import Gfx1250WmmaScaleType

        types = element_types((elem_ty_a, elem_ty_b or elem_ty_a), elem_ty_acc)
        if mod_c not in range(4):
            raise FrontendError(
                f"fx.rocdl.WMMAScale: mod_c is 1 to negate C, plus 2 for its magnitude, found {mod_c!r}"
            )
        return Gfx1250WmmaScaleType((m, n, k), *types, opsel_a, opsel_b, mod_c, reuse_a, reuse_b, block_size)

    return MatrixOp("WMMAScale", make)


def element_types(elem_ty_ab: Any, elem_ty_acc: type[Numeric] | None) -> tuple[Any, Any, Any]:
    """The MLIR types of A, B and the accumulator, which defaults to Float32, Float64 or Int32."""
    pair = tuple(elem_ty_ab) if isinstance(elem_ty_ab, tuple | list) else (elem_ty_ab, elem_ty_ab)
    if len(pair) != 2 or not all(isinstance(kind, type) and issubclass(kind, Numeric) for kind in pair):
        raise FrontendError(f"a matrix operation takes one element type or a pair of them, found {elem_ty_ab!r}")
    acc = elem_ty_acc or (pair[0] if pair[0] is Float64 else Float32 if pair[0].is_float else Int32)
    return pair[0].ir_type_of(), pair[1].ir_type_of(), acc.ir_type_of()
