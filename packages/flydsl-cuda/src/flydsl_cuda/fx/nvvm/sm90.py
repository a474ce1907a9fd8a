"""API of Hopper, sm_90a: matrix multiply-adds of warp groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flydsl.backend.language import current
from flydsl.base.errors import FrontendError
from flydsl.expr import Numeric, Tensor

from .arguments import check_numbers, checked, element_types
from .chips import SM90A, require
from .emit import create, immediate

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = ["WGMMA", "wgmma_commit", "wgmma_fence", "wgmma_wait"]

_ROWS = 64
_MOST_GROUPS = 7


@dataclass(frozen=True, slots=True)
class MatrixOp:
    """A matrix operation of the dialect, made and checked for the target of the trace."""

    shape: tuple[int, int]
    types: tuple[type[Numeric], type[Numeric], type[Numeric]]
    a_from: str
    majors: tuple[str, str]

    def ir_type(self) -> Any:
        """The operation's type in the dialect."""
        from flydsl_cuda.atoms.wgmma_types import WgmmaType

        require("sm90.WGMMA", SM90A, in_kernel=False)
        a, b, acc = (kind.ir_type_of() for kind in self.types)
        shape = (_ROWS, *self.shape)
        return checked("sm90.WGMMA", lambda: WgmmaType(shape, a, b, acc, self.a_from, self.majors))


def WGMMA(  # noqa: N802 - an operation, used like a class
    n: int,
    k: int,
    elem_ty_ab: Any,
    elem_ty_acc: type[Numeric] | None = None,
    *,
    a: str = "smem",
    major_a: str = "k",
    major_b: str = "k",
) -> MatrixOp:
    """D = A * B + C of a warp group, 64 x `n` x `k`: A is (64, k), B (n, k); for `fx.make_mma_atom`.

    `elem_ty_ab` is BFloat16, Float16, Float32 (as tf32, 19 bits of it), Float8E4M3FN, Float8E5M2 or Int8, or a pair of
    the two of 8 bits; `k` is 32 bytes of it. B is in shared memory, and A too, unless `a` is "reg"; `major_a` and
    `major_b` say along which direction neighbours are: "k", or "mn" (of 16-bit types). `smem_layout_atom` gives the
    layouts. Parts of operands in shared memory, `partition_A` and `partition_B` of a tile, are passed to `fx.gemm`
    without copying. State: accumulate, 0 for D = A * B. The result is there after `wgmma_commit` and `wgmma_wait`.
    """
    check_numbers("sm90.WGMMA", n=n, k=k)
    types = element_types("sm90.WGMMA", elem_ty_ab, elem_ty_acc)
    return MatrixOp((n, k), types, a, (major_a, major_b))


def wgmma_fence() -> None:
    """Let the matrix instructions that follow see what this warp group has written to registers.

    `fx.gemm` has one in front of its first instruction where nothing else has.
    """
    from flydsl_cuda.wgmma_operations import WgmmaFenceOp

    require("sm90.wgmma_fence", SM90A)
    create(WgmmaFenceOp)


def wgmma_commit() -> None:
    """Make the matrix instructions since the last commit a group that `wgmma_wait` can wait for."""
    from flydsl_cuda.wgmma_operations import WgmmaCommitOp

    require("sm90.wgmma_commit", SM90A)
    create(WgmmaCommitOp)


def wgmma_wait(outstanding: IntLike = 0, *accumulators: Tensor) -> None:
    """Wait until at most `outstanding` groups of matrix instructions are under way.

    Then shared memory that the others read may be written again. When none is outstanding, all accumulators may be
    read; else those that are named here.
    """
    from flydsl_cuda.wgmma_operations import WgmmaWaitOp

    require("sm90.wgmma_wait", SM90A)
    count = immediate("sm90.wgmma_wait", "outstanding", outstanding, 0, _MOST_GROUPS)
    for accumulator in accumulators:
        if not isinstance(accumulator, Tensor):
            raise FrontendError(f"fx.nvvm.sm90.wgmma_wait takes accumulators, register tensors; found {accumulator!r}")
    values = [accumulator.load() for accumulator in accumulators]
    operands = [value.ir_value() for value in values]
    made = create(WgmmaWaitOp, operands, [operand.type for operand in operands], {"count": current().integer(count)})
    for accumulator, value, result in zip(accumulators, values, made.results, strict=True):
        accumulator.store(type(value)(result, value.shape, value.dtype))
