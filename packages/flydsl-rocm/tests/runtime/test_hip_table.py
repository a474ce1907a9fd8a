"""The native launch table over a driver that logs its calls: every argument, on a copy of the library for the test."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flydsl.runtime.abi import FlyLaunchConfig, FlyRuntimeApi, include_dir

TABLE_SOURCE = Path(__file__).parents[2] / "src" / "native" / "hip_table.c"


def build_table(folder: Path) -> ctypes.CDLL:
    path = folder / "table.so"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{include_dir()}"]
    subprocess.run(["cc", *flags, str(TABLE_SOURCE), "-o", str(path), "-ldl"], check=True)
    library = ctypes.CDLL(str(path))
    library.flyrocm_api.restype = ctypes.c_void_p
    library.flyrocm_error_message.restype = ctypes.c_char_p
    return library


@pytest.fixture
def open_hip(tmp_path: Path, build_driver: Any, attach_driver: Any) -> Callable[..., SimpleNamespace]:
    """A table, opened over a fake driver of its own, built with some flags."""

    def opened(*flags: str) -> SimpleNamespace:
        path = build_driver(tmp_path / "fake_hip.so", *flags)
        library = build_table(tmp_path)
        assert library.flyrocm_open(str(path).encode()) == 0
        table = FlyRuntimeApi.from_address(library.flyrocm_api())
        return SimpleNamespace(library=library, table=table, driver=attach_driver(path))

    return opened


@pytest.fixture
def hip(open_hip: Callable[..., SimpleNamespace]) -> SimpleNamespace:
    return open_hip()


def load(hip: SimpleNamespace, names: list[str], ordinal: int = 0) -> tuple[int, int]:
    module = ctypes.c_void_p()
    array = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
    code = hip.table.module_load(None, ordinal, b"CODE....", 8, array, len(names), ctypes.byref(module))
    return code, module.value or 0


def handles(module: int, count: int) -> list[int]:
    return list((ctypes.c_uint64 * count).from_address(module))


def launch(hip: SimpleNamespace, kernel: int, stream: int = 0, **shape: object) -> int:
    given = {"grid": (2, 3, 4), "block": (64, 2, 1), "cluster": (1, 1, 1), "shared_bytes": 4096} | shape
    config = FlyLaunchConfig(struct_size=ctypes.sizeof(FlyLaunchConfig), **given)
    values = ctypes.c_uint64(0xDEADBEEFCAFEF00D), ctypes.c_float(1.5)
    params = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    hip.driver.param_sizes[0:2] = [8, 4]
    code: int = hip.table.launch(None, kernel, ctypes.byref(config), stream, params)
    return code


def message(hip: SimpleNamespace, code: int) -> str:
    return hip.library.flyrocm_error_message(code).decode()


def test_table_has_the_version_and_size_of_the_abi(hip: SimpleNamespace) -> None:
    assert (hip.table.struct_size, hip.table.abi_version) == (ctypes.sizeof(FlyRuntimeApi), 1)


def test_module_is_loaded_with_its_kernels_in_order(hip: SimpleNamespace) -> None:
    code, module = load(hip, ["first", "second"])
    assert code == 0
    assert len(set(handles(module, 2))) == 2
    assert hip.driver.log() == [
        "hipThreadExchangeStreamCaptureMode(2)",
        "hipModuleLoadData(CODE)",
        "hipThreadExchangeStreamCaptureMode(0)",
        "hipModuleGetFunction(0x110, first)",
        "hipModuleGetFunction(0x110, second)",
    ]


def test_module_is_loaded_on_its_device_and_the_current_one_comes_back(hip: SimpleNamespace) -> None:
    load(hip, ["k"], ordinal=1)
    log = hip.driver.log()
    assert (log[0], log[-1]) == ("hipSetDevice(1)", "hipSetDevice(0)")


def test_launch_passes_every_argument(hip: SimpleNamespace) -> None:
    _, module = load(hip, ["a", "b"])
    hip.driver.log()
    assert launch(hip, handles(module, 2)[1], stream=0x5757) == 0
    assert hip.driver.log() == ["hipModuleLaunchKernel(0x130, 2 3 4, 64 2 1, 4096, 0x5757, 0 on 0)"]
    assert hip.driver.params() == struct.pack("<Qf", 0xDEADBEEFCAFEF00D, 1.5)


def test_launch_is_on_the_kernels_device(hip: SimpleNamespace) -> None:
    _, module = load(hip, ["k"], ordinal=1)
    hip.driver.log()
    assert launch(hip, handles(module, 1)[0]) == 0
    log = hip.driver.log()
    assert (log[0], log[1][-5:], log[2]) == ("hipSetDevice(1)", "on 1)", "hipSetDevice(0)")


def test_cluster_becomes_a_launch_attribute(hip: SimpleNamespace) -> None:
    _, module = load(hip, ["k"])
    hip.driver.log()
    assert launch(hip, handles(module, 1)[0], stream=0x57, cluster=(2, 1, 4)) == 0
    assert hip.driver.log() == ["hipDrvLaunchKernelEx(0x120, 2 3 4, 64 2 1, 4096, 0x57, 1: 4 = 2 1 4)"]
    assert hip.driver.params() == struct.pack("<Qf", 0xDEADBEEFCAFEF00D, 1.5)


def test_cluster_on_an_older_driver_is_an_error(open_hip: Callable[..., SimpleNamespace]) -> None:
    hip = open_hip("-DOLD_HIP")
    _, module = load(hip, ["k"])
    assert launch(hip, handles(module, 1)[0], cluster=(2, 1, 1)) == 801
    assert message(hip, 801) == "kernel 'k': this HIP library cannot launch clusters of blocks"
    assert launch(hip, handles(module, 1)[0]) == 0


def test_missing_kernel_is_named_and_the_module_unloaded(hip: SimpleNamespace) -> None:
    code, module = load(hip, ["k", "absent_kernel"])
    assert (code, module) == (500, 0)
    assert message(hip, 500) == "kernel 'absent_kernel': hipModuleGetFunction: hipErrorFake500: fake error 500"
    assert hip.driver.log()[-1] == "hipModuleUnload(0x110)"


@pytest.mark.parametrize(
    ("failing", "code", "text"),
    [
        ("hipModuleLoadData", 200, "hipModuleLoadData: the code object cannot be loaded"),
        ("hipModuleLoadData", 700, "an earlier kernel failed; the device does nothing more until hipDeviceReset"),
        ("hipModuleLoadData", 719, "an earlier kernel failed; the device does nothing more until hipDeviceReset"),
        ("hipSetDevice", 719, "hipSetDevice"),
        ("hipGetDevice", 101, "hipGetDevice"),
    ],
)
def test_driver_error_of_a_load_is_returned_with_what_was_tried(
    hip: SimpleNamespace, failing: str, code: int, text: str
) -> None:
    hip.driver.reset(failing=failing, code=code)
    assert load(hip, ["k"], ordinal=1) == (code, 0)
    assert message(hip, code) == f"{text}: hipErrorFake{code}: fake error {code}"


def test_a_load_that_fails_leaves_the_mode_of_captures_as_it_was(hip: SimpleNamespace) -> None:
    hip.driver.reset(failing="hipModuleLoadData")
    load(hip, ["k"])
    assert [line for line in hip.driver.log() if "Capture" in line] == [
        "hipThreadExchangeStreamCaptureMode(2)",
        "hipThreadExchangeStreamCaptureMode(0)",
    ]


def test_a_mode_of_captures_that_cannot_be_set_is_not_put_back(hip: SimpleNamespace) -> None:
    hip.driver.reset(failing="hipThreadExchangeStreamCaptureMode")
    assert load(hip, ["k"])[0] == 0
    assert [line for line in hip.driver.log() if "Capture" in line] == ["hipThreadExchangeStreamCaptureMode(2)"]


def test_driver_error_of_an_unload_is_returned_and_the_device_comes_back(hip: SimpleNamespace) -> None:
    _, module = load(hip, ["k"], ordinal=1)
    hip.driver.reset(failing="hipModuleUnload", code=400)
    assert hip.table.module_unload(None, module) == 400
    assert message(hip, 400) == "hipModuleUnload: hipErrorFake400: fake error 400"
    assert hip.driver.log()[-1] == "hipSetDevice(0)"


@pytest.mark.parametrize("cluster", [(1, 1, 1), (2, 1, 1)])
def test_driver_error_of_a_launch_is_returned_and_the_device_comes_back(hip: SimpleNamespace, cluster: object) -> None:
    _, module = load(hip, ["k"], ordinal=1)
    function = "hipModuleLaunchKernel" if cluster == (1, 1, 1) else "hipDrvLaunchKernelEx"
    hip.driver.reset(failing=function)
    assert launch(hip, handles(module, 1)[0], cluster=cluster) == 719
    assert message(hip, 719) == f"kernel 'k': {function}: hipErrorFake719: fake error 719"
    assert hip.driver.log()[-1] == "hipSetDevice(0)"


def test_unloaded_module_cannot_be_used(hip: SimpleNamespace) -> None:
    _, module = load(hip, ["k"], ordinal=1)
    hip.driver.log()
    assert hip.table.module_unload(None, module) == 0
    assert hip.driver.log() == ["hipSetDevice(1)", "hipModuleUnload(0x110)", "hipSetDevice(0)"]
    assert launch(hip, handles(module, 1)[0]) == 400
    assert hip.table.module_unload(None, module) == 400
    assert hip.driver.log() == []


def test_text_of_another_code_is_the_drivers(hip: SimpleNamespace) -> None:
    load(hip, ["absent"])
    assert message(hip, 3) == "hipErrorFake3: fake error 3"


def test_null_pointers_are_refused(hip: SimpleNamespace) -> None:
    assert hip.table.module_load(None, 0, None, 0, None, 0, None) == 1
    assert hip.table.module_unload(None, None) == 1
    assert hip.table.launch(None, None, None, None, None) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [(b"/nowhere/libamdhip64.so", "cannot open shared object"), (b"libc.so.6", "no function hipGetDeviceCount")],
)
def test_library_that_is_not_hip_is_refused(tmp_path: Path, path: bytes, text: str) -> None:
    library = build_table(tmp_path)
    assert library.flyrocm_open(path) == 3
    assert text in library.flyrocm_error_message(3).decode()
    table = FlyRuntimeApi.from_address(library.flyrocm_api())
    assert load(SimpleNamespace(table=table), ["k"]) == (3, 0)
