"""A device runtime in Python and a call that is launched through it, for programs that tests run.

The first argument of the program is the path of the launcher. Programs end by themselves: a runtime is set once in a
process.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import jax
import numpy as np

from flydsl.jax.plan import Buffer, CallPlan, PlanField, PlanTensor
from flydsl.jax.platforms import CALL
from flydsl.runtime.abi import ABI_VERSION, FlyRuntimeApi, LaunchFn, ModuleLoadFn, ModuleUnloadFn

launched: list[tuple[int, int, bytes]] = []
"""The module, the stream and the packed arguments of each launch."""
fail: list[int] = []
"""The code with which launches fail."""


def _load(_self, ordinal, _image, _size, _names, _count, module):
    module[0] = 4096 + ordinal
    return 0


def _launch(_self, kernel, _config, stream, params):
    launched.append((kernel, stream, ctypes.string_at(params[0], 32)))
    return fail[0] if fail else 0


table = FlyRuntimeApi(
    *(ctypes.sizeof(FlyRuntimeApi), ABI_VERSION, None),
    *(ModuleLoadFn(_load), ModuleUnloadFn(lambda _self, _module: 0), LaunchFn(_launch)),
)


class Runtime:
    """What the native library asks of a device runtime."""

    def __init__(self, table=table):
        self.table = table

    def api_table(self):
        return ctypes.addressof(self.table)

    def error_message(self, code):
        if code == 9:
            raise KeyboardInterrupt("stopped")
        return f"kernel 'fake' failed, {code}"


_tensors = [PlanTensor(Buffer(False, 0), (None,), 32), PlanTensor(Buffer(True, 0), (None,), 32)]
_fields = [PlanField(0, 8, 0, "address"), PlanField(8, 4, 0, "shape"), PlanField(16, 8, 1, "address")]
plan = CallPlan("fake", bytes(32), 1, 1, _tensors, _fields).encode()
image = Path(sys.argv[1]).read_bytes()
x = np.arange(5, dtype=np.float32)


def call(x):
    """A call of one input and one output, which the runtime leaves as it is."""
    return jax.ffi.ffi_call(CALL, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, key="0e" * 32, plan=plan, module=image)
