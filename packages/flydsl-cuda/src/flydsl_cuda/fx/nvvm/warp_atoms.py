"""What a warp multiplies and moves together: matrix products, 8 x 8 matrices, copies past the registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flydsl.expr import Numeric

from .arguments import check_flag, check_numbers, checked, element_types
from .chips import SM80, SM89, SM90, require
from .emit import immediate, instruction

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = ["MMA", "CpAsync", "LdMatrix", "StMatrix", "cp_async_commit_group", "cp_async_wait_group"]

_MOST_GROUPS = 63


@dataclass(frozen=True, slots=True)
class _Matrix:
    shape: tuple[int, int, int]
    elements: tuple[type[Numeric], type[Numeric]]
    acc: type[Numeric]

    def ir_type(self) -> Any:
        """`!fly_nvvm.sm80.mma<...>`, checked against the target."""
        from flydsl_cuda.atoms.warp_types import MmaSyncType

        narrow = any(kind.is_float and kind.width == 8 for kind in self.elements)
        require("MMA of 8-bit floats" if narrow else "MMA", SM89 if narrow else SM80, in_kernel=False)
        a, b = self.elements
        return checked("MMA", lambda: MmaSyncType(self.shape, a.ir_type_of(), b.ir_type_of(), self.acc.ir_type_of()))


@dataclass(frozen=True, slots=True)
class _Move:
    word: str
    num: int
    trans: bool

    def ir_type(self) -> Any:
        """`!fly_nvvm.sm80.ldmatrix<...>` or `!fly_nvvm.sm90.stmatrix<...>`, checked against the target."""
        from flydsl_cuda.atoms.warp_types import LdMatrixType, StMatrixType

        is_load = self.word == "LdMatrix"
        require(self.word, SM80 if is_load else SM90, in_kernel=False)
        kind = LdMatrixType if is_load else StMatrixType
        return checked(self.word, lambda: kind(self.num, self.trans))


@dataclass(frozen=True, slots=True)
class _CpAsync:
    bits: int
    cache: str

    def ir_type(self) -> Any:
        """`!fly_nvvm.sm80.cp_async<...>`, checked against the target."""
        from flydsl_cuda.atoms.warp_types import CpAsyncType

        require("CpAsync", in_kernel=False)
        return checked("CpAsync", lambda: CpAsyncType(self.bits, self.cache))


def MMA(  # noqa: N802 - an operation, used like a class
    m: int, n: int, k: int, elem_ty_ab: Any, elem_ty_acc: type[Numeric] | None = None
) -> _Matrix:
    """D = A * B + C of a warp: 16x8x8 and 16x8x16 of Float16 and BFloat16, 16x8x4 and 16x8x8 of Float32, 16x8x16 and
    16x8x32 of Int8, 16x8x32 of Float8E4M3FN and Float8E5M2, of which a pair `elem_ty_ab` may give A and B one each.

    The accumulator is Float32, of Int8 Int32, and of Float16 also Float16. Float32 operands are read as tf32: of their
    23 bits of mantissa, the upper 10.
    """
    check_numbers("MMA", m=m, n=n, k=k)
    a, b, acc = element_types("MMA", elem_ty_ab, elem_ty_acc)
    return _Matrix((m, n, k), (a, b), acc)


def LdMatrix(num: int = 4, trans: bool = False) -> _Move:  # noqa: N802
    """`num` (1, 2 or 4) matrices of 8 x 8 16-bit elements from shared memory to the registers of a warp.

    Lane 8 i + r has the address, a multiple of 16 bytes, of row r of matrix i. A lane gets two neighbours of a row of
    each matrix, with `trans` of a column: the parts of operands of `MMA` that it multiplies.
    """
    return _move("LdMatrix", num, trans)


def StMatrix(num: int = 4, trans: bool = False) -> _Move:  # noqa: N802
    """`num` (1, 2 or 4) matrices of 8 x 8 16-bit elements from the registers of a warp to shared memory: see
    `LdMatrix`. From sm_90 on.
    """
    return _move("StMatrix", num, trans)


def _move(word: str, num: int, trans: bool) -> _Move:
    check_numbers(word, num=num)
    check_flag(word, "trans", trans)
    return _Move(word, num, trans)


def CpAsync(bits: int = 128, cache: str = "cg") -> _CpAsync:  # noqa: N802
    """A copy of 32, 64 or 128 bits from global to shared memory that goes on while the thread does other things.

    `cache` is `"ca"` (all levels keep the data) or, of 128 bits alone, `"cg"` (all but the first). The copies of a
    thread since the last `cp_async_commit_group` are a group; `cp_async_wait_group` waits for groups.
    """
    check_numbers("CpAsync", bits=bits)
    return _CpAsync(bits, cache if bits == 128 else "ca")  # narrower ones only go through all levels


def cp_async_commit_group() -> None:
    """The asynchronous copies of this thread since the last call are a group, also if there are none."""
    require("cp_async_commit_group")
    instruction("cp.async.commit_group;")


def cp_async_wait_group(groups: IntLike = 0) -> None:
    """Wait until all but the last `groups` groups of this thread's asynchronous copies have arrived.

    Only this thread's: `fx.barrier()` behind it makes those of all threads of the block visible.
    """
    require("cp_async_wait_group")
    count = immediate("cp_async_wait_group", "groups", groups, 0, _MOST_GROUPS)
    instruction(f"cp.async.wait_group {count};")
