"""Modules and launches of the simulated HIP: clang's kernels, with parameters of every kind, limits and faults."""

from __future__ import annotations

import ctypes
import re
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.bench import HipsimBench

from ..bundles import bundled, compressed
from ..device_libraries import compile_hip

ILLEGAL_ADDRESS, LAUNCH_FAILURE, PATIENCE = 700, 719, 30


@pytest.fixture
def memory(hip: Any) -> Iterator[int]:
    """4096 bytes of device memory, all zero."""
    address = hip.malloc(4096)
    hip.hipMemset(address, 0, 4096)
    yield address
    hip.native.hipFree(ctypes.c_void_p(address))


def integers(hip: Any, address: int, count: int) -> list[int]:
    return np.frombuffer(hip.read(address, 4 * count), np.int32).tolist()


P, I32 = ctypes.c_void_p, ctypes.c_int32


def test_a_kernel_runs_over_a_grid(hip: Any, module: Any, memory: int) -> None:
    module.launch("fill", 5, 64, P(memory), I32(100), I32(300), I32(64))
    assert integers(hip, memory, 301) == [*range(100, 400), 0]


def test_parameters_of_every_size_arrive_where_they_belong(hip: Any, module: Any, memory: int) -> None:
    class Mixed(ctypes.Structure):
        _fields_ = [("c", ctypes.c_int8), ("s", ctypes.c_int16), ("i", I32), ("d", ctypes.c_double)]

    values = ctypes.c_int8(-3), ctypes.c_int64(-(1 << 40)), Mixed(-1, -300, 70000, 0.125)
    module.launch("pack", 1, 64, P(memory), *values, (ctypes.c_float * 4)(1.5, 2, 3, -4.25), ctypes.c_int16(-9))
    expected = [-3, -(2.0**40), -1, -300, 70000, 0.125, 1.5, -4.25, -9]
    assert np.frombuffer(hip.read(memory, 72), np.float64).tolist() == expected


def test_parameters_may_come_as_one_buffer(hip: Any, module: Any, memory: int, error: Any) -> None:
    def extra(packed: bytes) -> Any:
        buffer, size = ctypes.create_string_buffer(packed, len(packed)), ctypes.c_size_t(len(packed))
        made = (P * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 3)
        made.kept = buffer, size
        return made

    module.launch("fill", 1, 64, extra=extra(struct.pack("<Qiii", memory, 7, 3, 64)))
    assert integers(hip, memory, 4) == [7, 8, 9, 0]
    with pytest.raises(error, match="kernel fill takes 20 bytes of parameters, found 12"):
        module.launch("fill", 1, 64, extra=extra(struct.pack("<Qi", memory, 7)))
    with pytest.raises(error, match="extra holds tag 0x9, expected 1, 2 or 3"):
        module.launch("fill", 1, 64, extra=(P * 3)(9, 0, 3))


def test_a_launch_returns_at_once_and_keeps_its_parameters(
    hip: Any, module: Any, memory: int, streams: list[int], callbacks: Any
) -> None:
    proceed, value = threading.Event(), I32(5)
    callbacks.launch(streams[0], lambda: proceed.wait(PATIENCE))
    module.launch("fill", 1, 64, P(memory), value, I32(2), I32(64), stream=streams[0])
    value.value = 99
    assert integers(hip, memory, 1) == [0]
    proceed.set()
    hip.hipStreamSynchronize(streams[0])
    assert integers(hip, memory, 3) == [5, 6, 0]


def test_globals_are_read_and_written_by_the_host(hip: Any, module: Any, memory: int, error: Any) -> None:
    address, size = P(), ctypes.c_size_t()
    find = hip.native.hipModuleGetGlobal
    hip.check("global", find(ctypes.byref(address), ctypes.byref(size), module.handle, b"table"))
    assert (size.value, integers(hip, address.value or 0, 4)) == (16, [1, 20, 300, 4000])
    hip.write((address.value or 0) + 4, struct.pack("<i", 55))
    module.launch("scaled_table", 1, 64, P(memory), I32(10))
    assert integers(hip, memory, 5) == [10, 550, 3000, 40000, 0]
    with pytest.raises(error, match="over a module's memory"):
        hip.read(address.value or 0, 1 << 20)
    assert find(None, None, module.handle, b"absent") == 500


def test_a_kernel_is_described(hip: Any, module: Any) -> None:
    attributes, function = hip.module.hipFunction_attribute, module.function("staged")

    def attribute(name: str) -> int:
        value = ctypes.c_int()
        number = int(getattr(attributes, f"HIP_FUNC_ATTRIBUTE_{name}"))
        hip.check(name, hip.native.hipFuncGetAttribute(ctypes.byref(value), number, function))
        return value.value

    assert attribute("SHARED_SIZE_BYTES") == 4096 * 4
    assert attribute("MAX_THREADS_PER_BLOCK") == 256
    assert attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES") == 65536 - 4096 * 4
    assert attribute("NUM_REGS") > 0


def test_occupancy_is_limited_by_waves_and_by_shared_memory(hip: Any, module: Any) -> None:
    def blocks(name: str, size: int, shared: int = 0) -> int:
        count = ctypes.c_int()
        find = hip.native.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
        hip.check(name, find(ctypes.byref(count), module.function(name), size, ctypes.c_size_t(shared)))
        return count.value

    assert (blocks("fill", 64), blocks("fill", 256)) == (32, 8)
    assert (blocks("staged", 64), blocks("staged", 64, 16384)) == (4, 2)


@pytest.mark.parametrize(
    ("kernel", "grid", "block", "shared", "code", "words"),
    [
        ("fill", 0, 64, 0, 9, r"an empty grid \(0, 1, 1\)"),
        ("fill", 1, 0, 0, 9, r"an empty grid \(1, 1, 1\) or block \(0, 1, 1\)"),
        ("fill", 1, 1025, 0, 9, r"a block of \(1025, 1, 1\) has more than 1024 threads"),
        ("small", 1, 65, 0, 9, "kernel small: a block of 65 threads, the kernel was compiled for at most 64"),
        ("fill", 1 << 26, 64, 0, 9, r"has 2\^32 threads or more along a side"),
        ("staged", 1, 64, 49153, 701, "16384 static and 49153 dynamic bytes of LDS, gfx942 has 65536"),
    ],
)
def test_launches_beyond_a_limit_are_refused(
    module: Any, memory: int, error: Any, kernel: str, grid: int, block: int, shared: int, code: int, words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        module.launch(kernel, grid, block, P(memory), I32(0), I32(0), I32(0), shared=shared)
    assert caught.value.code == code


@pytest.mark.parametrize("check", ["", "all"])
def test_addresses_below_null_are_faults(hip: Any, hipsim: HipsimBench, module: Any, error: Any, check: str) -> None:
    hipsim.set_check(check)
    module.launch("store_at", 1, 64, P(0), ctypes.c_int64(-1))
    with pytest.raises(error, match=f"an invalid write: 4 bytes at {(1 << 64) - 4:#x}"):
        hip.hipDeviceSynchronize()


TALKS = r"""
GLOBAL talks(int *n) {
  printf("thread %u has %d\n", THREAD, n[THREAD]);
  if (n[THREAD]) __builtin_trap();
}
"""


@pytest.mark.parametrize("kind", ["hostcall", "buffered"])
def test_what_kernels_print_is_out_when_their_stream_is_done(
    hip: Any, load: Any, memory: int, capfd: pytest.CaptureFixture[str], tmp_path: Path, kind: str
) -> None:
    module = load(compile_hip(TALKS, "gfx942", tmp_path, printf=kind))
    for _ in range(3):
        module.launch("talks", 1, 64, P(memory))
    hip.hipStreamSynchronize(None)
    assert capfd.readouterr().out.splitlines() == [f"thread {k} has 0" for k in range(64)] * 3


def test_a_failed_assertion_is_a_launch_failure_after_what_it_prints(
    hip: Any, load: Any, memory: int, error: Any, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hip.hipMemset(memory, 1, 4)
    load(compile_hip(TALKS, "gfx942", tmp_path)).launch("talks", 1, 2, P(memory))
    with pytest.raises(error, match="unspecified launch failure: the kernel trapped") as caught:
        hip.hipDeviceSynchronize()
    assert caught.value.code == LAUNCH_FAILURE
    assert capfd.readouterr().out.splitlines() == [f"thread 0 has {0x01010101}", "thread 1 has 0"]


def test_damaged_headers_are_refused(load: Any, hip: Any, build: Callable[[str], bytes], error: Any) -> None:
    image = build("gfx942")
    for place, value in ((0x28, 1 << 60), (0x20, 1 << 45), (0x36, 1), (64 + 32, 1 << 50)):  # sections, segments, sizes
        damaged = bytearray(image)
        struct.pack_into("<H" if place == 0x36 else "<Q", damaged, place, value)
        with pytest.raises(error, match="the image is damaged") as caught:
            load(bytes(damaged))
        assert caught.value.code == 200
    bundle = bytearray(bundled({"hipv4-amdgcn-amd-amdhsa--gfx942": image}))
    struct.pack_into("<Q", bundle, 32, 1 << 50)
    with pytest.raises(error, match="the image is damaged: .* bytes at offset .* are not in memory"):
        load(bytes(bundle))


def test_code_for_another_chip_or_for_none_is_refused(
    load: Any, hip: Any, build: Callable[[str], bytes], error: Any
) -> None:
    with pytest.raises(error, match="the code object is for gfx1100, the device is a gfx942") as caught:
        load(build("gfx1100"))
    assert caught.value.code == 209
    with pytest.raises(error, match="neither an ELF file nor a bundle"):
        load(b"not a code object" + bytes(64))
    with pytest.raises(error, match="an ELF file for AMD GPUs is expected"):
        load(Path("/proc/self/exe").read_bytes()[:4096])
    with pytest.raises(error, match="no kernel absent"):
        load(build("gfx942")).function("absent")


def test_a_bundle_holds_code_for_several_chips(
    load: Any, hip: Any, build: Callable[[str], bytes], memory: int, error: Any
) -> None:
    code = {f"hipv4-amdgcn-amd-amdhsa--{arch}": build(arch) for arch in ("gfx1100", "gfx942")}
    bundle = bundled({"host-x86_64-unknown-linux-gnu-": b"", **code})
    for number, image in enumerate((bundle, compressed(bundle, 2, 0, zlib.compress)), 3):
        module = load(image)
        module.launch("fill", 1, 64, P(memory), I32(number), I32(1), I32(64))
        assert integers(hip, memory, 2) == [number, 0]
        hip.hipModuleUnload(module.handle.value)
    hip.hipSetDevice(2)
    with pytest.raises(error, match="the bundle has no code object for gfx950:.*, only for host-.*gfx1100, .*gfx942"):
        load(bundle)


@pytest.mark.parametrize("target", ["gfx9-4-generic", "gfx9-4-generic:xnack-", "gfx942:sramecc+", "gfx942:xnack-"])
def test_code_for_a_target_that_the_chip_belongs_to_is_loaded(
    load: Any, hip: Any, build: Callable[[str], bytes], memory: int, target: str
) -> None:
    module = load(bundled({f"hipv4-amdgcn-amd-amdhsa--{target}": build(target)}))
    module.launch("fill", 1, 64, P(memory), I32(3), I32(1), I32(64))
    assert integers(hip, memory, 2) == [3, 0]
    load(build(target)).launch("fill", 1, 64, P(memory), I32(4), I32(1), I32(64))
    assert integers(hip, memory, 2) == [4, 0]


@pytest.mark.parametrize(
    "target", ["gfx942:xnack+", "gfx942:sramecc-:xnack-", "gfx9-4-generic:xnack+", "gfx11-generic"]
)
def test_code_for_another_state_of_the_chip_is_refused(
    load: Any, build: Callable[[str], bytes], target: str, error: Any
) -> None:
    device = "gfx942:sramecc.:xnack-" if ":" in target else "gfx942"
    with pytest.raises(error, match=re.escape(f"the code object is for {target}, the device is a ") + device) as caught:
        load(build(target))
    assert caught.value.code == 209
    with pytest.raises(error, match="the bundle has no code object for gfx942"):
        load(bundled({f"hip-amdgcn-amd-amdhsa--{target}": build(target)}))


def test_a_bundle_gives_the_code_for_the_chip_rather_than_generic_code(
    load: Any, hip: Any, build: Callable[[str], bytes]
) -> None:
    for first, second in (("gfx942", "gfx9-4-generic"), ("gfx9-4-generic", "gfx942")):
        code = {f"hipv4-amdgcn-amd-amdhsa--{target}": build(target) for target in (first, second)}
        code["hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"] = b"\x7fELF" + bytes(60)  # refused when it is chosen
        assert load(bundled(code)).function("fill")


def test_functions_of_an_unloaded_module_are_errors(
    load: Any, hip: Any, build: Callable[[str], bytes], error: Any
) -> None:
    module = load(build("gfx942"))
    function = module.function("fill")
    hip.hipModuleUnload(module.handle.value)
    shape = [ctypes.c_uint32(1)] * 6
    code = hip.native.hipModuleLaunchKernel(function, *shape, ctypes.c_uint32(0), None, None, None)
    assert code == 400
    with pytest.raises(error, match="is no module, or one destroyed already"):
        hip.hipModuleUnload(module.handle.value)


def test_a_kernel_and_a_stream_of_two_devices_do_not_meet(hip: Any, module: Any, memory: int, error: Any) -> None:
    hip.hipSetDevice(1)
    with pytest.raises(error, match="kernel fill is on device 0, the stream on device 1"):
        module.launch("fill", 1, 64, P(memory), I32(0), I32(0), I32(0))


def test_a_fault_stays_until_the_device_is_forgiven(
    hipsim: HipsimBench, hip: Any, module: Any, memory: int, streams: list[int], error: Any
) -> None:
    texts = list[str]()
    module.launch("store_at", 1, 64, P(memory), ctypes.c_int64(1000), stream=streams[0])
    for call in (
        lambda: hip.hipStreamSynchronize(streams[0]),
        lambda: hip.malloc(4),
        lambda: hip.read(memory, 4),
        lambda: module.launch("fill", 1, 64, P(memory), I32(0), I32(0), I32(0)),
        hip.hipDeviceSynchronize,
    ):
        with pytest.raises(error, match="an illegal memory access was encountered: .*kernel 'store_at'") as caught:
            call()
        assert caught.value.code == ILLEGAL_ADDRESS
        texts.append(str(caught.value))
    assert [text.endswith("; this was an earlier call, hipDeviceReset forgets it") for text in texts] == [False] + [
        True
    ] * 4
    hip.hipSetDevice(1)
    hip.hipFree(hip.malloc(4))  # another device goes on
    hip.hipSetDevice(0)
    hip.native.flysim_hip_clear_faults()
    module.launch("fill", 1, 64, P(memory), I32(1), I32(2), I32(64))
    assert integers(hip, memory, 2) == [1, 2]


def test_a_fault_names_instruction_lane_and_distance(hip: Any, module: Any, memory: int, error: Any) -> None:
    module.launch("store_at", 1, 64, P(memory), ctypes.c_int64(1000))
    with pytest.raises(error, match=r"global_store_dword .*") as caught:
        hip.hipDeviceSynchronize()
    text = str(caught.value)
    assert "lane 24" in text  # 1000 + 24 is the first element behind the 1024
    assert "past the end of an allocation of 4096 bytes" in text


def test_an_access_to_freed_memory_is_named(hip: Any, module: Any, error: Any) -> None:
    address = hip.malloc(4096)
    hip.hipFree(address)
    module.launch("fill", 1, 64, P(address), I32(1), I32(64), I32(64))
    with pytest.raises(error, match="use after free"):
        hip.hipDeviceSynchronize()


def test_a_captured_kernel_runs_with_the_parameters_of_its_capture(
    hip: Any, module: Any, memory: int, streams: list[int]
) -> None:
    hip.hipStreamBeginCapture(streams[0], hip.module.hipStreamCaptureMode.hipStreamCaptureModeGlobal)
    value = I32(40)
    module.launch("fill", 1, 64, P(memory), value, I32(2), I32(64), stream=streams[0])
    graph = hip.hipStreamEndCapture(streams[0])
    value.value = 0
    made = P()
    hip.check(
        "instantiate", hip.native.hipGraphInstantiateWithFlags(ctypes.byref(made), P(int(graph)), ctypes.c_uint64(0))
    )
    for _ in range(2):
        hip.hipMemset(memory, 0, 8)
        hip.hipGraphLaunch(made.value, streams[0])
        hip.hipStreamSynchronize(streams[0])
        assert integers(hip, memory, 3) == [40, 41, 0]
    hip.hipGraphExecDestroy(made.value)
    hip.hipGraphDestroy(graph)


def test_a_missing_barrier_shows_in_one_order_of_waves(hipsim: HipsimBench, hip: Any, module: Any, memory: int) -> None:
    found = {}
    for order in ("forward", "backward"):
        hipsim.set_order(order)
        module.launch("forgetful", 1, 128, P(memory))
        found[order] = integers(hip, memory, 128)
    mirrored = list(range(127, -1, -1))
    assert found["forward"][64:] == mirrored[64:]  # wave 1 ran last and read what wave 0 had stored
    assert found["backward"][:64] == mirrored[:64]
    assert found["forward"] != found["backward"]


def test_clusters_are_refused_and_single_blocks_launched(hip: Any, module: Any, memory: int) -> None:
    class Attribute(ctypes.Structure):
        _fields_ = [("id", I32), ("padding", I32), ("cluster", ctypes.c_uint32 * 16)]

    class Config(ctypes.Structure):
        _fields_ = [
            ("shape", ctypes.c_uint32 * 7),
            ("stream", P),
            ("attributes", ctypes.POINTER(Attribute)),
            ("count", ctypes.c_uint32),
        ]

    values = P(memory), I32(6), I32(1), I32(64)
    params = (P * 4)(*(ctypes.addressof(value) for value in values))
    for width, expected in ((1, 0), (2, 801)):
        attribute = Attribute(4, 0, (ctypes.c_uint32 * 16)(width, 1, 1))
        config = Config((ctypes.c_uint32 * 7)(1, 1, 1, 64, 1, 1, 0), None, ctypes.pointer(attribute), 1)
        launch = hip.native.hipDrvLaunchKernelEx
        assert launch(ctypes.byref(config), module.function("fill"), params, None) == expected
    assert integers(hip, memory, 2) == [6, 0]
    assert b"kernel fill: clusters of blocks (2, 1, 1), gfx942 has none" in hip.native.hipGetErrorString(801)


def test_a_reset_gives_back_memory_and_forgets_the_fault(
    load: Any, hipsim: HipsimBench, hip: Any, module: Any, error: Any
) -> None:
    hip.hipSetDevice(1)
    before = [line for line in hipsim.report() if "device 1" in line]
    loaded, address = load(module.image), hip.malloc(64)
    loaded.launch("store_at", 1, 64, P(address), ctypes.c_int64(16))  # the first one behind, in the same page
    with pytest.raises(error, match=r"an invalid write: .*\(0 bytes past the end of an allocation of 64 bytes"):
        hip.hipDeviceSynchronize()
    hip.hipDeviceReset()
    hip.hipDeviceSynchronize()
    assert [line for line in hipsim.report() if "device 1" in line] == before
    with pytest.raises(error, match="freed already"):
        hip.hipFree(address)
    hip.hipModuleUnload(loaded.handle.value)
