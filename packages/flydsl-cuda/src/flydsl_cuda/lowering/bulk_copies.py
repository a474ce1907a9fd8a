"""Lowering of the copy engine's copies of neighbouring bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.lowering import Conversion
from flydsl_cuda.bulk_operations import BulkLoadOp, BulkStoreOp
from flydsl_cuda.lowering.assembly import MEMORY, assembly

_LOAD = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$0], $3, [$2];"
_STORE = "cp.async.bulk.global.shared::cta.bulk_group [$1], [$0], $2;"


def _load(conversion: Conversion, op: BulkLoadOp) -> None:
    addresses = [_address(conversion, op.src, i64), *(_address(conversion, p, i32) for p in (op.dst, op.barrier))]
    assembly(conversion.build, _LOAD, [*addresses, conversion.value(op.bytes)], clobbers=[MEMORY])


def _store(conversion: Conversion, op: BulkStoreOp) -> None:
    addresses = [_address(conversion, op.src, i32), _address(conversion, op.dst, i64)]
    assembly(conversion.build, _STORE, [*addresses, conversion.value(op.bytes)], clobbers=[MEMORY])


def _address(conversion: Conversion, pointer: SSAValue, type_: Attribute) -> SSAValue:
    """The address without a swizzle: the bytes stay in their order."""
    return conversion.build.value(llvm.PtrToIntOp, (conversion.value(pointer),), type_)


BULK_HANDLERS: Mapping[type[Operation], Any] = {BulkLoadOp: _load, BulkStoreOp: _store}
