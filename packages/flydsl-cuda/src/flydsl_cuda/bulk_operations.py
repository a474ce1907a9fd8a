"""Copies of neighbouring bytes by the copy engine, as operations: what they read and write is known to every pass."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.utils.exceptions import VerifyException

from flydsl.backend.dialect import BY_OPERANDS, READ, WRITE, FlyOp, Operand
from flydsl.backend.ir import GLOBAL, SHARED, PointerType


class _BulkOp(FlyOp):
    """Operands in the spaces of `spaces`, and the number of bytes last."""

    results_expected = (0, 0)
    traits = BY_OPERANDS
    spaces: ClassVar[tuple[object, ...]] = ()

    def verify_types(self) -> None:
        for operand, space in zip(self.operands, self.spaces, strict=False):
            if not isinstance(operand.type, PointerType) or operand.type.space != space:
                raise VerifyException(f"{self.name} takes a pointer to {space}, found {operand.type}")
        if self.operands[-1].type != IntegerType(32):
            raise VerifyException(f"{self.name} takes its bytes as i32, found {self.operands[-1].type}")


class BulkLoadOp(_BulkOp):
    """`(global, shared, barrier, bytes)`: global to shared memory; the barrier is told of the bytes."""

    name = "fly_nvvm.bulk_load"
    spaces = (GLOBAL, SHARED, SHARED)
    src, dst, barrier, bytes = Operand(READ), Operand(WRITE), Operand(WRITE), Operand()


class BulkStoreOp(_BulkOp):
    """`(shared, global, bytes)`: shared to global memory, as a part of the thread's group of stores."""

    name = "fly_nvvm.bulk_store"
    spaces = (SHARED, GLOBAL)
    src, dst, bytes = Operand(READ), Operand(WRITE), Operand()
