"""The `fly_nvvm` dialect: tensor maps, copies of neighbouring bytes, copy and matrix atoms and what orders them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Dialect

from flydsl.backend.atoms import FlyAttribute
from flydsl_cuda.atoms.global_copies import GlobalCopyType
from flydsl_cuda.atoms.warp_types import CpAsyncType, LdMatrixType, MmaSyncType, StMatrixType
from flydsl_cuda.atoms.wgmma_types import WgmmaType
from flydsl_cuda.bulk_operations import BulkLoadOp, BulkStoreOp
from flydsl_cuda.wgmma_operations import WgmmaCommitOp, WgmmaFenceOp, WgmmaWaitOp


@dataclass(frozen=True, eq=False, repr=False)
class TensorMapAttr(FlyAttribute):
    """`#fly_nvvm.tensor_map`: the address space of pointers to a tensor map, which is a parameter of a kernel."""

    name: ClassVar[str] = "fly_nvvm.tensor_map"


TENSOR_MAP = TensorMapAttr()

FLY_NVVM = Dialect(
    "fly_nvvm",
    [BulkLoadOp, BulkStoreOp, WgmmaCommitOp, WgmmaFenceOp, WgmmaWaitOp],
    [CpAsyncType, GlobalCopyType, LdMatrixType, MmaSyncType, StMatrixType, TensorMapAttr, WgmmaType],
)
