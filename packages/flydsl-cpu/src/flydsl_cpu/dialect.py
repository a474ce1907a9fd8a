"""The `cpu` dialect: what passes of this backend leave in a kernel for `cpu-thread-loops`, and LLVM's `ldexp`."""

from __future__ import annotations

from xdsl.ir import Dialect

from flydsl.backend.dialect import upstream_op
from flydsl.backend.llvm import raw_operation

AgreedOp = upstream_op("cpu.agreed")
"""The value of any thread, at block scope; `cpu-mark-uniform-results` puts it where all are the same."""

ButterflyOp = upstream_op("cpu.butterfly")
"""All steps of one reduction over lanes; its operand is what the first exchanges (`cpu-unite-butterflies`)."""

AheadOp = upstream_op("cpu.ahead")
"""Says that the next iteration reads from an address (`cpu-insert-prefetches`)."""

SharedAddressOp = upstream_op("cpu.shared_address", pure=True)
"""The address `offset` bytes into the block's shared memory (`cpu-lower-shared-memory`)."""

BlockOp = upstream_op("cpu.block", pure=True)
"""The `FlyCpuBlock` that runs (`cpu-lower-assertions`)."""

StopFunctionOp = upstream_op("cpu.stop_function", pure=True)
"""The address of what ends the launch with an error (`cpu-lower-assertions`)."""

SHARED_MARK = "flydsl.shared"
"""The attribute that makes an `llvm.mlir.global` a piece of each block's shared memory (`convert-fly-to-cpu`)."""

SHARED_BYTES = "cpu.shared_bytes"
"""The attribute of a kernel that says how much static shared memory its blocks have."""

LDEXP = raw_operation("llvm.intr.ldexp")
"""x * 2 ** n, lane by lane, vectors included: MLIR's operation takes scalar powers only."""

CPU = Dialect("cpu", [AgreedOp, AheadOp, BlockOp, ButterflyOp, SharedAddressOp, StopFunctionOp], [])
