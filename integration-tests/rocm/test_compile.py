"""The same functions as on the CPU, compiled for AMD GPUs that need not be here: code objects and instructions."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.kernels import add_by_fours, add_by_ones, scale

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import NoDeviceError, UnsupportedTargetError
from flydsl.plugins.device_runtime import DeviceStatus

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
# EF_AMDGPU_MACH of each target, the low byte of e_flags in the ELF header (LLVM's AMDGPU usage guide)
MACH = {"gfx90a": 0x3F, "gfx942": 0x4C, "gfx950": 0x4F, "gfx1100": 0x41, "gfx1201": 0x4E}
ELF_AMDGPU = 224


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def artifact_of(function, arch: str, *arguments):
    return function.trace(*arguments, arch=arch).lower().compile()


@pytest.mark.parametrize("arch", TARGETS)
def test_a_vector_add_becomes_a_code_object_of_the_target(arch):
    artifact = artifact_of(add_by_fours, arch, floats(100, 1000), floats(100, 1000), floats(100, 1000))
    assert artifact.device[:4] == b"\x7fELF"
    machine, flags = struct.unpack_from("<H", artifact.device, 18)[0], struct.unpack_from("<I", artifact.device, 48)[0]
    assert machine == ELF_AMDGPU
    assert flags & 0xFF == MACH[arch]
    assert artifact.kernels == ("add_tiles_0",)
    assert artifact.kernels[0].encode() in artifact.device
    assert artifact.written == (2,)


@pytest.mark.parametrize(("arch", "load", "store"), [
    ("gfx942", "global_load_dwordx4", "global_store_dwordx4"),
    ("gfx950", "global_load_dwordx4", "global_store_dwordx4"),
    ("gfx1100", "global_load_b128", "global_store_b128"),
    ("gfx1201", "global_load_b128", "global_store_b128"),
])  # fmt: skip
def test_four_floats_are_one_instruction(arch, load, store):
    isa = artifact_of(add_by_fours, arch, floats(8, 64), floats(8, 64), floats(8, 64)).disassemble()
    assert isa.count(load) == 2
    assert isa.count(store) == 1
    assert "s_endpgm" in isa


def test_one_float_is_a_scalar_access():
    isa = artifact_of(add_by_ones, "gfx942", floats(8, 64), floats(8, 64), floats(8, 64)).disassemble()
    assert "global_load_dwordx4" not in isa
    assert isa.count("global_load_dword ") == 2


def test_scalars_and_one_dimensional_tensors_compile():
    artifact = artifact_of(scale, "gfx942", floats(100), floats(100), 2.0, 100)
    assert "v_mul_f32" in artifact.disassemble()


def test_two_targets_have_two_keys_and_the_same_program_one():
    arguments = floats(8, 64), floats(8, 64), floats(8, 64)
    first, again = artifact_of(add_by_fours, "gfx942", *arguments), artifact_of(add_by_fours, "gfx942", *arguments)
    other = artifact_of(add_by_fours, "gfx1100", *arguments)
    assert first.key == again.key
    assert first.device == again.device
    assert first.key != other.key


def test_an_unknown_target_lists_the_known_ones():
    with pytest.raises(UnsupportedTargetError, match=r"gfx9999.*gfx942"):
        add_by_fours.trace(floats(8, 64), floats(8, 64), floats(8, 64), arch="gfx9999")


def test_without_a_device_a_call_says_why_and_compiling_goes_on(monkeypatch):
    absent = DeviceStatus(False, "no device is in this machine")
    monkeypatch.setattr(type(flyc.active_pair().runtime.create()), "status", lambda self: absent)
    with pytest.raises(NoDeviceError, match="no device is in this machine"):
        add_by_fours(floats(8, 64), floats(8, 64), floats(8, 64))
    assert artifact_of(add_by_fours, "gfx942", floats(8, 64), floats(8, 64), floats(8, 64)).device


@flyc.kernel
def exchange(x: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i]
    fx.barrier()
    x[63 - i] = value


@flyc.jit
def reverse(x: fx.Tensor):
    exchange(x).launch(grid=1, block=64)


def test_a_barrier_is_an_instruction_where_a_block_has_several_waves():
    @flyc.jit
    def reverse_wide(x: fx.Tensor):
        exchange(x).launch(grid=1, block=256)

    assert "s_barrier" in artifact_of(reverse_wide, "gfx942", floats(256)).disassemble()
    assert artifact_of(reverse, "gfx1100", floats(64)).device


def test_the_known_block_size_reaches_the_kernel_descriptor():
    artifact = artifact_of(add_by_fours, "gfx942", floats(8, 64), floats(8, 64), floats(8, 64))
    # .max_flat_workgroup_size of the metadata note, as msgpack writes it
    assert b".max_flat_workgroup_size\xcc\x80" in artifact.device
