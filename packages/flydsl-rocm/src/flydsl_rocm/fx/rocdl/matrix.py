"""AMD's matrix multiply-add operations for `fx.make_mma_atom`, by extents and element types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.expr.numeric import Float32, Int32, Numeric
from flydsl_rocm.target import TARGETS, RocmTarget

from .chips import CDNA, RDNA3, RDNA4, WAVE32, require

__all__ = ["MFMA", "WMMA"]


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """A matrix operation by name; which instruction it is, and whether there is one, the target of the trace says."""

    name: str
    chips: frozenset[str]
    make: Callable[[RocmTarget], Any]

    def ir_type(self) -> Any:
        """The operation's type in the dialect, checked against the target."""
        from xdsl.utils.exceptions import VerifyException

        target = require(self.name, self.chips, in_kernel=False)
        try:
            type_ = self.make(target)
            assert type_.tv_layouts
        except VerifyException as error:
            raise FrontendError(f"fx.rocdl.{self.name}: {error}") from None
        _check_generation(type_, target)
        return type_


def MFMA(  # noqa: N802 - an operation, used like a class
    m: int, n: int, k: int, elem_ty_ab: Any, elem_ty_acc: type[Numeric] | None = None
) -> MatrixOp:
    """CDNA's D = A * B + C of one wave of 64 threads; a pair `elem_ty_ab` gives A and B types of their own."""

    def make(target: RocmTarget) -> Any:
        from flydsl_rocm.atoms.matrix_types import MfmaType

        return MfmaType((m, n, k), *element_types(elem_ty_ab, elem_ty_acc))

    return MatrixOp("MFMA", CDNA, make)


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
        from flydsl_rocm.atoms.matrix_types import Gfx11WmmaType, Gfx120xWmmaType, Gfx1250WmmaType

        if target.wave != 32:
            raise UnsupportedTargetError(
                f"fx.rocdl.WMMA is made for waves of 32 threads, {target.chip} has wave64 here"
            )
        by_chip = {**dict.fromkeys(RDNA3, Gfx11WmmaType), **dict.fromkeys(RDNA4, Gfx120xWmmaType)}
        kind = by_chip.get(target.chip, Gfx1250WmmaType)
        return kind((m, n, k), *element_types(elem_ty_ab, elem_ty_acc), signA, signB, clamp)

    return MatrixOp("WMMA", WAVE32, make)


def element_types(elem_ty_ab: Any, elem_ty_acc: type[Numeric] | None) -> tuple[Any, Any, Any]:
    """The MLIR types of A, B and the accumulator, which defaults to Float32 or Int32."""
    pair = tuple(elem_ty_ab) if isinstance(elem_ty_ab, tuple | list) else (elem_ty_ab, elem_ty_ab)
    if len(pair) != 2 or not all(isinstance(kind, type) and issubclass(kind, Numeric) for kind in pair):
        raise FrontendError(f"a matrix operation takes one element type or a pair of them, found {elem_ty_ab!r}")
    acc = elem_ty_acc or (Float32 if pair[0].is_float else Int32)
    return pair[0].ir_type_of(), pair[1].ir_type_of(), acc.ir_type_of()


def _check_generation(type_: Any, target: RocmTarget) -> None:
    from flydsl_rocm.atoms import matrix_intrinsics as tables

    entry = tables.MFMA.get(type_.table_key)
    if type_.name != "fly_rocdl.cdna3.mfma" or entry is None or entry.generations & target.matrix:
        return
    having = [chip for chip, other in TARGETS.items() if entry.generations & other.matrix]
    raise UnsupportedTargetError(f"{target.chip} has no {type_}; chips that have it: {', '.join(having)}")
