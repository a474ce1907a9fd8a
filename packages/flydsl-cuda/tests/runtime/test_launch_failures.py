"""What the native table says of launches that the driver refuses, of faults, and of code that it does not take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("code", "shape", "text"),
    [
        (1, {"block": (33, 32, 1)}, "a block of (33, 32, 1) threads is above the limit of 1024 threads"),
        (1, {"block": (1, 1, 65)}, "a block has at most 64 threads along z, found (1, 1, 65)"),
        (1, {"grid": (1, 65536, 1)}, "a grid has at most 65535 blocks along y and z, found (1, 65536, 1): have"),
        (1, {"grid": (4, 3, 2), "cluster": (2, 2, 1)}, "clusters of (2, 2, 1) blocks do not divide the grid (4, 3, 2)"),
        (400, {}, "the stream is closed, or is of another device than the kernel's tensors"),
        (701, {"block": (512, 1, 1)}, "168 registers each, too many for a block of 512 threads on a device that has"),
        (720, {"grid": (9, 999, 1), "flags": 1}, "all 8991 blocks of a cooperative launch run at a time"),
        (720, {"flags": 1}, "and the device runs 2112 of this kernel: 16 on each of 132 multiprocessors"),
        (900, {}, "a stream is being captured, and this call would wait or act at once"),
    ],
)  # fmt: skip
def test_launch_beyond_a_limit_is_an_error_that_names_it(
    cuda: SimpleNamespace, code: int, shape: dict[str, object], text: str
) -> None:
    _, module = cuda.load(["k"], ordinal=1)
    function = "cuLaunchKernelEx" if {"cluster", "flags"} & shape.keys() else "cuLaunchKernel"
    cuda.driver.reset(failing=function, code=code)
    assert cuda.launch(cuda.handles(module, 1)[0], **shape) == code
    assert cuda.message(code).startswith(f"kernel 'k': {function}: CUDA_ERROR_FAKE_{code}: fake error {code}: ")
    assert text in cuda.message(code)


def test_block_that_the_code_is_not_made_for_is_named(cuda: SimpleNamespace) -> None:
    _, module = cuda.load(["k"])
    cuda.driver.most_threads.value = 96
    cuda.driver.reset(failing="cuLaunchKernel", code=1)
    assert cuda.launch(cuda.handles(module, 1)[0]) == 1
    text = "a block of (64, 2, 1) threads is above the limit of 96 threads, with so many registers as the kernel has"
    assert text in cuda.message(1)


def test_shared_memory_that_the_device_has_is_told(cuda: SimpleNamespace) -> None:
    cuda.driver.static_shared.value = 1000
    _, module = cuda.load(["k"])
    cuda.driver.reset(failing="cuFuncSetAttribute", code=1)
    assert cuda.launch(cuda.handles(module, 1)[0], shared_bytes=227 << 10) == 1
    assert cuda.message(1).endswith(": a block has at most 232448 bytes, 1000 of which the kernel's code allocates")
    assert cuda.launch(cuda.handles(module, 1)[0], shared_bytes=(1 << 32) - 8) == 1
    assert cuda.message(1) == "kernel 'k': a launch asks for -8 bytes of shared memory"


NO_MORE = "the process can use the device no more"


@pytest.mark.parametrize(
    ("blocking", "launches", "text"),
    [
        ("", 0, f"a kernel has failed; {NO_MORE}"),
        ("", 1, "a kernel has failed, 'first', the last that FlyDSL launched, or another: CUDA_LAUNCH_BLOCKING=1"),
        ("1", 1, f"this is how 'second' has failed; {NO_MORE}"),
    ],
)  # fmt: skip
def test_a_fault_is_told_once_with_the_kernel(
    cuda: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, blocking: str, launches: int, text: str
) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", blocking)
    _, module = cuda.load(["first", "second"])
    first, second = cuda.handles(module, 2)
    for _ in range(launches):
        assert cuda.launch(first) == 0
    cuda.driver.reset(failing="cuLaunchKernel", code=700)
    start = "kernel 'second': cuLaunchKernel: CUDA_ERROR_FAKE_700: fake error 700: "
    assert cuda.launch(second) == 700
    assert cuda.message(700).startswith(start + text)
    assert cuda.launch(second) == 700
    assert cuda.message(700) == f"{start}an earlier kernel has failed; {NO_MORE}"
    cuda.driver.reset(failing="cuModuleLoadDataEx", code=719)
    assert cuda.load(["k"])[0] == 719
    text = f"cuModuleLoadDataEx: CUDA_ERROR_FAKE_719: fake error 719: an earlier kernel has failed; {NO_MORE}"
    assert cuda.message(719) == text


@pytest.mark.parametrize(
    ("code", "advice"), [(222, "update it, or set FLYDSL_CUDA_PTXAS=none"), (209, "FLYDSL_COMPILE_ARCH chooses that")]
)
def test_code_that_the_driver_does_not_take_comes_with_advice(cuda: SimpleNamespace, code: int, advice: str) -> None:
    cuda.driver.reset(failing="cuModuleLoadDataEx", code=code)
    assert cuda.load(["k"])[0] == code
    assert advice in cuda.message(code)
