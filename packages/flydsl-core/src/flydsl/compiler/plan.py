"""Loaded code and the arguments of one call in, the plan of all calls like it out: what a stub needs to launch."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_void_p
from struct import Struct
from typing import Any

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import CompileError
from flydsl.compiler.arguments import BoundArgument
from flydsl.compiler.stages import Loaded
from flydsl.frontend.signature import ArgSpec, ConstexprSpec, PointerSpec, ProtocolSpec, ScalarSpec, TensorSpec
from flydsl.toolchain.slots import Slot

Plan = tuple[Any, ...]
"""(fly_launch_packed, table, module, ordinal, pack, device; then of each tensor its mask and packed layout, and of each
pointer its mask).

`device` is where the first tensor is, None on the host: there is no current stream to ask for.
"""

_BLOCK = 8


def make_plan(loaded: Loaded, table: int, bound: Sequence[BoundArgument]) -> Plan:
    """What a stub needs to launch `loaded` for arguments like `bound`."""
    slots = list(loaded.artifact.slots)
    codes, tensors = [], []
    for argument in bound:
        if isinstance(argument.spec, ConstexprSpec):
            continue
        if isinstance(argument.spec, ProtocolSpec):
            codes.append(_object_code([slots.pop(0) for _ in argument.abi if slots], argument))
            continue
        codes.append(_code(slots.pop(0), argument.spec))
        if isinstance(argument.spec, TensorSpec):
            blob = _packed_layout(slots.pop(0), argument.dynamic) if argument.dynamic else b""
            codes.append(f"{len(blob)}s")
            tensors += [argument.spec.align - 1, blob]
        elif isinstance(argument.spec, PointerSpec):
            tensors.append(argument.spec.align - 1)
    pack = Struct("<" + "".join(codes)).pack
    # ready-made pointers: ctypes converts an integer at every call
    places = c_void_p(table), c_void_p(loaded.module), loaded.ordinal
    device = next((argument.desc.device for argument in bound if argument.desc is not None), None)
    if device is not None and device.kind == DeviceKind.CPU:
        device = None
    return (loaded.launcher.fly_launch_packed, *places, pack, device, *tensors)


def _packed_layout(slot: Slot, dynamic: Sequence[int]) -> bytes:
    """The shape and strides that fill the dynamic leaves of a tensor, as its struct slot holds them."""
    return Struct("<" + slot.format).pack(*dynamic).ljust(-(-slot.size // _BLOCK) * _BLOCK, b"\0")


def _code(slot: Slot, spec: ArgSpec) -> str:
    """The `struct` codes of a slot, padded; unsigned numbers take their own letter, so that they are range-checked."""
    unsigned = isinstance(spec, ScalarSpec) and not spec.element.is_signed and spec.element.width > 1
    padding = -slot.size % _BLOCK
    return (slot.format.upper() if unsigned else slot.format) + (f"{padding}x" if padding else "")


def _object_code(slots: Sequence[Slot], argument: BoundArgument) -> str:
    """One code for all values that an object packs itself; CompileError when they are not what its IR types ask for."""
    sizes = tuple(slot.size for slot in slots)
    if sizes != argument.abi:
        raise CompileError(f"__c_abi_spec__ gives values of {argument.abi} bytes, and its IR types take {sizes}")
    return f"{sum(-(-size // _BLOCK) * _BLOCK for size in sizes)}s"
