"""The native launch table over a driver that logs its calls: every argument, on a copy of the library for the test."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from flydsl.runtime.abi import FlyRuntimeApi
from flydsl_cuda.code_object import MAGIC, CodeObject


def test_table_has_the_version_and_size_of_the_abi(cuda: SimpleNamespace) -> None:
    assert (cuda.table.struct_size, cuda.table.abi_version) == (ctypes.sizeof(FlyRuntimeApi), 1)


def test_module_is_loaded_with_its_kernels_in_order(cuda: SimpleNamespace) -> None:
    cuda.driver.log()
    code, module = cuda.load(["first", "second"])
    assert code == 0
    assert len(set(cuda.handles(module, 2))) == 2
    assert cuda.driver.log() == [
        "cuDeviceGet(0)",
        "cuDevicePrimaryCtxRetain(0)",
        "cuCtxPushCurrent(0)",
        "cuThreadExchangeStreamCaptureMode(2)",
        "cuModuleLoadDataEx(CODE, 2 on 0)",
        "cuThreadExchangeStreamCaptureMode(0)",
        "cuModuleGetFunction(0x110, first)",
        "cuFuncGetAttribute(1, 0x120)",
        "cuModuleGetFunction(0x110, second)",
        "cuFuncGetAttribute(1, 0x130)",
        "cuCtxPopCurrent()",
    ]


def test_the_primary_context_is_retained_once(cuda: SimpleNamespace) -> None:
    cuda.load(["k"], ordinal=1)
    cuda.load(["k"], ordinal=1)
    assert cuda.driver.log().count("cuDevicePrimaryCtxRetain(1)") == 1


def test_a_thread_in_the_context_stays_there(cuda: SimpleNamespace) -> None:
    entered, again = ctypes.c_int32(), ctypes.c_int32()
    assert cuda.library.flycuda_enter(1, ctypes.byref(entered)) == 0
    _, module = cuda.load(["k"], ordinal=1)
    cuda.library.flycuda_enter(1, ctypes.byref(again))
    assert (entered.value, again.value) == (1, 0)
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 1)[0]) == 0
    assert [line[:14] for line in cuda.driver.log()] == ["cuLaunchKernel"]
    current = ctypes.c_int32()
    assert (cuda.library.flycuda_current_device(ctypes.byref(current)), current.value) == (0, 1)
    cuda.library.flycuda_leave(entered)
    assert (cuda.library.flycuda_current_device(ctypes.byref(current)), current.value) == (0, 0)


def test_launch_passes_every_argument(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["a", "b"])
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 2)[1], stream=0x5757) == 0
    assert cuda.driver.log()[1:-1] == ["cuLaunchKernel(0x130, 2 3 4, 64 2 1, 4096, 0x5757, 0 on 0)"]
    assert cuda.driver.params() == struct.pack("<Qf", 0xDEADBEEFCAFEF00D, 1.5)


def test_launch_is_on_the_kernels_device(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"], ordinal=1)
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 1)[0]) == 0
    log = cuda.driver.log()
    assert (log[0], log[1][-5:], log[2]) == ("cuCtxPushCurrent(1)", "on 1)", "cuCtxPopCurrent()")


def test_much_shared_memory_is_asked_for_once(cuda: SimpleNamespace) -> None:
    cuda.driver.static_shared.value = 1 << 10
    _, module = cuda.load(["k"])
    (kernel,) = cuda.handles(module, 1)
    asked = []
    for shared in (47 << 10, 48 << 10, 100 << 10, 64 << 10):
        cuda.driver.log()
        assert cuda.launch(kernel, shared_bytes=shared) == 0
        asked.append([line for line in cuda.driver.log() if line.startswith("cuFuncSetAttribute")])
    assert asked == [[], ["cuFuncSetAttribute(0x120, 8 = 49152)"], ["cuFuncSetAttribute(0x120, 8 = 102400)"], []]


NEEDY = CodeObject(".version", b"\x7fELF", shared_blocks={"other": 1 << 16, "k": 100 << 10, "kk": 8192}).to_bytes()


def load_needy(cuda: SimpleNamespace, *names: str, image: bytes = NEEDY) -> tuple[int, list[int]]:
    module = ctypes.c_void_p()
    array = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
    code = cuda.table.module_load(None, 0, image, len(image), array, len(names), ctypes.byref(module))
    return code, cuda.handles(module.value, len(names)) if module.value else []


def test_what_a_kernel_needs_itself_is_allowed_once_and_added_to_each_launch(cuda: SimpleNamespace) -> None:
    _, (kernel, small, plain) = load_needy(cuda, "k", "kk", "kkk")
    asked = [line for line in cuda.driver.log() if line.startswith("cuFuncSetAttribute")]
    assert asked == ["cuFuncSetAttribute(0x120, 8 = 102400)"]
    for handle, shape in ((kernel, {}), (kernel, {"flags": 1}), (small, {}), (plain, {})):
        assert cuda.launch(handle, shared_bytes=256, **shape) == 0
    launches = [line.split(", ")[3] for line in cuda.driver.log() if line.startswith("cuLaunch")]
    assert launches == ["102656", "102656", "8448", "256"]
    blocks = ctypes.c_int32()
    cuda.library.flycuda_max_blocks(ctypes.c_void_p(kernel), 64, ctypes.byref(blocks))
    assert "102400" in cuda.driver.log()[1]


def test_more_than_the_device_has_is_an_error_of_the_load(cuda: SimpleNamespace) -> None:
    cuda.driver.reset(failing="cuFuncSetAttribute", code=1)
    assert load_needy(cuda, "kk", "k") == (1, [])
    assert cuda.message(1).startswith("kernel 'k': cuFuncSetAttribute: 102400 bytes of dynamic shared memory: ")
    assert cuda.driver.log()[-2] == "cuModuleUnload(0x110)"


@pytest.mark.parametrize("end", [b"", b"\1\2\3", b"\0\0\1\0\0\0\0\0", b"\0\0\1\0\0\0\0\0k"])
def test_needs_that_are_cut_off_are_none(cuda: SimpleNamespace, end: bytes) -> None:
    image = b"\x7fELF\0" + end + struct.pack("<QQQ8s", 1, len(end), 0, MAGIC)
    code, (kernel,) = load_needy(cuda, "k", image=image)
    cuda.driver.log()
    assert (code, cuda.launch(kernel, shared_bytes=256)) == (0, 0)
    assert len(cuda.driver.log()) >= 1


def test_too_much_shared_memory_is_an_error_that_names_the_kernel(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"])
    cuda.driver.reset(failing="cuFuncSetAttribute", code=1)
    for _ in range(2):
        assert cuda.launch(cuda.handles(module, 1)[0], shared_bytes=1 << 20) == 1
        text = "kernel 'k': cuFuncSetAttribute: 1048576 bytes of dynamic shared memory: CUDA_ERROR_FAKE_1: fake error 1"
        assert cuda.message(1).startswith(text)
    assert cuda.driver.log()[-1] == "cuCtxPopCurrent()"


def test_cluster_becomes_a_launch_attribute(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"])
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 1)[0], stream=0x57, cluster=(2, 1, 4)) == 0
    assert cuda.driver.log()[1:-1] == ["cuLaunchKernelEx(0x120, 2 3 4, 64 2 1, 4096, 0x57, 4 = 2 1 4)"]
    assert cuda.driver.params() == struct.pack("<Qf", 0xDEADBEEFCAFEF00D, 1.5)


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ({"flags": 1}, "2 = 1 0 0"),
        ({"flags": 2}, "6 = 1 0 0"),
        ({"flags": 3, "cluster": (1, 2, 1)}, "4 = 1 2 1, 2 = 1 0 0, 6 = 1 0 0"),
    ],
)
def test_flags_become_launch_attributes(cuda: SimpleNamespace, shape: dict[str, object], attributes: str) -> None:
    _, module = cuda.load(["k"])
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 1)[0], stream=0x57, **shape) == 0
    assert cuda.driver.log()[1:-1] == [f"cuLaunchKernelEx(0x120, 2 3 4, 64 2 1, 4096, 0x57, {attributes})"]
    assert cuda.table.launch_flags == 3


def test_a_launch_of_an_older_launcher_has_no_flags(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"])
    cuda.driver.log()
    assert cuda.launch(cuda.handles(module, 1)[0], struct_size=56, flags=3) == 0
    assert [line[:15] for line in cuda.driver.log()[1:-1]] == ["cuLaunchKernel("]
    assert cuda.launch(cuda.handles(module, 1)[0], struct_size=52) == 1


def test_cluster_on_an_older_driver_is_an_error(open_cuda: Callable[..., SimpleNamespace]) -> None:
    cuda = open_cuda("-DOLD_CUDA")
    _, module = cuda.load(["k"])
    assert cuda.launch(cuda.handles(module, 1)[0], cluster=(2, 1, 1)) == 801
    assert cuda.message(801) == "kernel 'k': this driver cannot launch clusters of blocks, nor with use_pdl"
    assert cuda.launch(cuda.handles(module, 1)[0]) == 0


def test_missing_kernel_is_named_and_the_module_unloaded(cuda: SimpleNamespace) -> None:
    code, module = cuda.load(["k", "absent_kernel"])
    assert (code, module) == (500, 0)
    assert cuda.message(500) == "kernel 'absent_kernel': cuModuleGetFunction: CUDA_ERROR_FAKE_500: fake error 500"
    assert cuda.driver.log()[-2:] == ["cuModuleUnload(0x110)", "cuCtxPopCurrent()"]


def test_ptx_takes_the_place_of_machine_code_for_another_chip(cuda: SimpleNamespace) -> None:
    cuda.driver.reset(image=".ELF")
    module, image = ctypes.c_void_p(), CodeObject("//PTX .version", b"\x7fELF code").to_bytes()
    code = cuda.table.module_load(None, 0, image, len(image), None, 0, ctypes.byref(module))
    loads = [line for line in cuda.driver.log() if "ModuleLoad" in line]
    assert (code, loads) == (0, ["cuModuleLoadDataEx(.ELF, 2 on 0)", "cuModuleLoadDataEx(//PT, 2 on 0)"])


@pytest.mark.parametrize("image", [b"\x7fELF code", b"\x7fELF" + bytes(60), b"CODE", b"\x7fELF\xff" + MAGIC * 4])
def test_machine_code_without_ptx_is_loaded_once(cuda: SimpleNamespace, image: bytes) -> None:
    cuda.driver.reset(image=".ELF" if image[0] == 0x7F else "CODE")
    module = ctypes.c_void_p()
    assert cuda.table.module_load(None, 0, image, len(image), None, 0, ctypes.byref(module)) == 209
    assert sum("ModuleLoad" in line for line in cuda.driver.log()) == 1


@pytest.mark.parametrize(
    ("failing", "code", "text"),
    [
        ("cuModuleLoadDataEx", 218, "cuModuleLoadDataEx: the code object cannot be loaded"),
        ("cuDeviceGet", 101, "cuDeviceGet"),
        ("cuDevicePrimaryCtxRetain", 2, "cuDevicePrimaryCtxRetain"),
        ("cuCtxPushCurrent", 201, "cuCtxPushCurrent"),
        ("cuCtxGetCurrent", 3, "cuCtxGetCurrent"),
    ],
)
def test_driver_error_of_a_load_is_returned_with_what_was_tried(
    cuda: SimpleNamespace, failing: str, code: int, text: str
) -> None:
    cuda.driver.reset(failing=failing, code=code)
    assert cuda.load(["k"], ordinal=1) == (code, 0)
    log = ": the log of the driver's compiler" if "code object" in text else ""
    assert cuda.message(code) == f"{text}: CUDA_ERROR_FAKE_{code}: fake error {code}{log}"


@pytest.mark.parametrize("ordinal", [-1, 64])
def test_a_device_beyond_all_is_an_error(cuda: SimpleNamespace, ordinal: int) -> None:
    assert cuda.load(["k"], ordinal=ordinal) == (101, 0)
    assert cuda.message(101) == f"there is no device {ordinal}"


def test_a_load_that_fails_leaves_the_mode_of_captures_as_it_was(cuda: SimpleNamespace) -> None:
    cuda.driver.reset(failing="cuModuleLoadDataEx")
    cuda.load(["k"])
    assert [line for line in cuda.driver.log() if "Capture" in line] == [
        "cuThreadExchangeStreamCaptureMode(2)",
        "cuThreadExchangeStreamCaptureMode(0)",
    ]


def test_a_mode_of_captures_that_cannot_be_set_is_not_put_back(cuda: SimpleNamespace) -> None:
    cuda.driver.reset(failing="cuThreadExchangeStreamCaptureMode")
    assert cuda.load(["k"])[0] == 0
    assert [line for line in cuda.driver.log() if "Capture" in line] == ["cuThreadExchangeStreamCaptureMode(2)"]


def test_driver_error_of_an_unload_is_returned_and_the_context_left(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"], ordinal=1)
    cuda.driver.reset(failing="cuModuleUnload", code=400)
    assert cuda.table.module_unload(None, module) == 400
    assert cuda.message(400) == "cuModuleUnload: CUDA_ERROR_FAKE_400: fake error 400"
    assert cuda.driver.log()[-1] == "cuCtxPopCurrent()"


@pytest.mark.parametrize("cluster", [(1, 1, 1), (2, 1, 1)])
def test_driver_error_of_a_launch_is_returned_and_the_context_left(cuda: SimpleNamespace, cluster: object) -> None:
    _, module = cuda.load(["k"], ordinal=1)
    function = "cuLaunchKernel" if cluster == (1, 1, 1) else "cuLaunchKernelEx"
    cuda.driver.reset(failing=function, code=801)
    assert cuda.launch(cuda.handles(module, 1)[0], cluster=cluster) == 801
    assert cuda.message(801) == f"kernel 'k': {function}: CUDA_ERROR_FAKE_801: fake error 801"
    assert cuda.driver.log()[-1] == "cuCtxPopCurrent()"


def test_unloaded_module_cannot_be_used(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"], ordinal=1)
    cuda.driver.log()
    assert cuda.table.module_unload(None, module) == 0
    assert cuda.driver.log() == ["cuCtxPushCurrent(1)", "cuModuleUnload(0x110)", "cuCtxPopCurrent()"]
    assert cuda.launch(cuda.handles(module, 1)[0]) == 400
    assert cuda.table.module_unload(None, module) == 400
    assert cuda.driver.log() == []


def test_codes_that_the_driver_does_not_know_have_a_text(cuda: SimpleNamespace) -> None:
    assert cuda.message(-7) == "an unknown error: the driver has no text for it"


def test_text_of_another_code_is_the_drivers(cuda: SimpleNamespace) -> None:
    cuda.load(["absent"])
    assert cuda.message(3) == "CUDA_ERROR_FAKE_3: fake error 3"


def test_null_pointers_are_refused(cuda: SimpleNamespace) -> None:
    assert cuda.table.module_load(None, 0, None, 0, None, 0, None) == 1
    assert cuda.table.module_unload(None, None) == 1
    assert cuda.table.launch(None, None, None, None, None) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [(b"/nowhere/libcuda.so.1", "cannot open shared object"), (b"libc.so.6", "no function cuInit")],
)
def test_library_that_is_not_the_driver_is_refused(
    tmp_path: Path, build_table: Callable[[Path], ctypes.CDLL], path: bytes, text: str
) -> None:
    library = build_table(tmp_path)
    assert library.flycuda_open(path) == 3
    assert text in library.flycuda_error_message(3).decode()
    table = FlyRuntimeApi.from_address(library.flycuda_api())
    assert table.module_load(None, 0, b"CODE", 4, None, 0, ctypes.byref(ctypes.c_void_p())) == 3
