"""Code objects on the cpu runtime: loading, unloading, and what is refused."""

from __future__ import annotations

import struct
import subprocess
import sys

import numpy as np
import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch


def test_modules_of_one_image_are_independent(device: Device, image: bytes) -> None:
    modules = [ObjectCode.load(device, image, ["set"]) for _ in range(20)]
    assert len({module.get_kernel("set").handle for module in modules}) == 20
    for module in modules[::2]:
        module.close()
    flags = np.zeros(20, np.int32)
    for i in range(1, 20, 2):
        memory = Buffer.from_handle(flags[i:].ctypes.data, 4, device)
        launch(device.default_stream, LaunchConfig(1, 1), modules[i].get_kernel("set"), memory)
    assert flags.tolist() == [0, 1] * 10


def test_kernel_of_an_unloaded_module_is_an_error(device: Device, image: bytes) -> None:
    module = ObjectCode.load(device, image, ["count"])
    kernel = module.get_kernel("count")
    module.close()
    with pytest.raises(RuntimeFailure, match="is not a kernel of a loaded module"):
        launch(device.default_stream, LaunchConfig(1, 1), kernel, 0)


def test_module_may_be_unloaded_while_its_kernels_run(device: Device, image: bytes) -> None:
    module = ObjectCode.load(device, image, ["wait_for"])
    stream = device.create_stream()
    flags = np.zeros(2, np.int32)
    flag, out = (Buffer.from_handle(flags[i:].ctypes.data, 4, device) for i in range(2))
    launch(stream, LaunchConfig(1, 1), module.get_kernel("wait_for"), flag, out)
    module.close()
    flags[0] = 1
    stream.sync()
    assert flags[1] == 1


@pytest.mark.parametrize(("name", "message"), [("absent", "no kernel 'absent'"), ("lonely", "no 'lonely_info'")])
def test_missing_symbol_is_named(device: Device, image: bytes, name: str, message: str) -> None:
    with pytest.raises(RuntimeFailure, match=f"the code object has {message}"):
        ObjectCode.load(device, image, ["set", name])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda elf: b"", "shorter than an ELF header"),
        (lambda elf: b"#!" + elf[2:], "not an ELF file"),
        (lambda elf: elf[:4] + b"\x01" + elf[5:], "not a 64-bit shared object"),
        (lambda elf: elf[:16] + struct.pack("<H", 1) + elf[18:], "not a 64-bit shared object"),
        (lambda elf: elf[:18] + struct.pack("<H", 224) + elf[20:], "made for another machine"),
        (lambda elf: elf[:32] + struct.pack("<Q", 2**63) + elf[40:], "program headers are outside"),
        (lambda elf: elf[: len(elf) // 4], "truncated"),
    ],
)
def test_image_that_is_no_code_object_is_refused_with_the_reason(
    device: Device, image: bytes, change: object, message: str
) -> None:
    assert callable(change)
    with pytest.raises(RuntimeFailure, match=f"cannot be loaded: .*{message}"):
        ObjectCode.load(device, change(image), ["set"])


def test_image_that_needs_what_is_not_there_is_refused_by_the_loader(device: Device, image: bytes) -> None:
    broken = image.replace(b"clock_gettime", b"clock_gettimf")
    with pytest.raises(RuntimeFailure, match="undefined symbol: clock_gettimf"):
        ObjectCode.load(device, broken, ["set"])


def test_another_ordinal_is_refused(image: bytes, device: Device) -> None:
    script = """
import sys, ctypes
from flydsl.runtime.abi import FlyRuntimeApi
from flydsl_cpu.runtime.device_runtime import CpuRuntime
runtime = CpuRuntime()
table = FlyRuntimeApi.from_address(runtime.api_table())
module = ctypes.c_void_p()
code = table.module_load(table.self, 1, b"x", 1, None, 0, ctypes.byref(module))
print(code, runtime.error_message(code))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "1 there is no cpu device 1, only device 0\n"
