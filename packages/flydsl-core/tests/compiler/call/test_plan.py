"""Launch plans: `struct` codes of all arguments, and the device whose stream is asked for."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import numpy as np

import flydsl.expr as fx
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.plan import make_plan
from flydsl.frontend.signature import Parameter
from flydsl.toolchain.slots import slot_table

SLOTS = slot_table(
    [
        ("scalar", "i16"),
        ("pointer", "!llvm.ptr"),
        ("struct", "!llvm.struct<packed (struct<packed (i32)>, struct<packed ()>)>"),
        ("stream", "!llvm.ptr"),
    ]
)
PARAMETERS = [
    Parameter("n", "scalar", fx.Uint16),
    Parameter("c", "constexpr"),
    Parameter("x", "tensor"),
    Parameter("s", "stream"),
]


def plan_of(*values):
    loaded = SimpleNamespace(
        artifact=SimpleNamespace(slots=SLOTS),
        launcher=SimpleNamespace(fly_launch_packed="launch"),
        module=0x20,
        ordinal=3,
    )
    return make_plan(loaded, 0x10, BoundCall.of(PARAMETERS, values))


def test_a_plan_has_what_a_stub_unpacks():
    x = np.zeros(5, np.float32)
    launch, table, module, ordinal, pack, device, mask, layout = plan_of(1, "code", x, None)
    assert (launch, table.value, module.value, ordinal, device) == ("launch", 0x10, 0x20, 3, None)
    assert (mask, layout) == (3, struct.pack("<i4x", 5))
    assert pack(65535, 64, layout, 7) == struct.pack("<H6xQi4xQ", 65535, 64, 5, 7)
