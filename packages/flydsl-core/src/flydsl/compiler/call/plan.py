"""Launch plans: what a stub needs to launch loaded code for calls like one that was bound."""

from __future__ import annotations

from ctypes import c_void_p
from struct import Struct
from typing import Any

from flydsl.base.dlpack import DeviceKind
from flydsl.compiler.artifact import Loaded
from flydsl.compiler.call.bound_call import BoundCall

Plan = tuple[Any, ...]
"""(fly_launch_packed, table, module, ordinal, pack, device; then what each argument adds: the mask and the packed
layout of a tensor, the mask of a pointer).

`device` is where the first tensor is, None on the host: there is no current stream to ask for.
"""


def make_plan(loaded: Loaded, table: int, call: BoundCall) -> Plan:
    """What a stub needs to launch `loaded` for calls like `call`, by the launch table at an address."""
    slots = iter(loaded.artifact.slots)
    parts = [argument.plan_part(slots) for argument in call.arguments]
    pack = Struct("<" + "".join(part.codes for part in parts)).pack
    # ready-made pointers: ctypes converts an integer at every call
    addresses = c_void_p(table), c_void_p(loaded.module), loaded.ordinal
    device = next(call.devices(), None)
    if device is not None and device.kind == DeviceKind.CPU:
        device = None
    values = [value for part in parts for value in part.values]
    return (loaded.launcher.fly_launch_packed, *addresses, pack, device, *values)
