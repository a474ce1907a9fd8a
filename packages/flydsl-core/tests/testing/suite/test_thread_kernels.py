"""The kernels traced: what each of them is made of."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.compiler.jit import JitFunction
from flydsl.plugins.entry_points import EntryPoint
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.testing.suite import thread_kernels as kernels

INT, FLOAT = np.int32, np.float32
TRACED = {
    "sort_rows": ((np.zeros((32, 4), INT),), {"scf.if", "arith.cmpi"}),
    "overwrite": ((np.zeros(32, INT), np.zeros((32, 8), INT)), {"register"}),
    "loops": ((np.zeros(32, INT), np.zeros((4, 32), INT)), {"scf.while", "scf.for", "scf.if"}),
    "vectors": ((np.zeros((3, 32), FLOAT), np.zeros((12, 32), FLOAT)), {"vector.reduction", "arith.select"}),
    "exchange": ((np.zeros(128, INT), np.zeros((10, 128), INT)), {"gpu.shuffle", "gpu.lane_id"}),
    "update": (
        (np.zeros(9, INT), np.zeros(3, np.uint32), np.zeros(1, FLOAT), np.zeros(32, INT), np.zeros((3, 32), INT),
         np.zeros(32, FLOAT)),
        {"llvm.atomicrmw", "llvm.cmpxchg"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRACED)
def test_a_kernel_has_the_operations_that_it_is_for(name: str, isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.install(EntryPoint("core", "flydsl-core", "1", "flydsl.adaptors.plugin"))
    isolated_plugins.register(fake_backend(), fake_runtime())
    arguments, operations = TRACED[name]
    function: JitFunction = getattr(kernels, name)
    text = str(JitFunction(function.__wrapped__).trace(*arguments).lower().device_text)
    assert [operation for operation in operations if operation not in text] == []
