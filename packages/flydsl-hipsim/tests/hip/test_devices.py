"""Simulated devices: what they say of themselves, by properties and by attributes."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from flydsl_hipsim.bench import HipsimBench
from flydsl_rocm.target import TARGETS, target_of


def test_every_device_describes_its_chip(hipsim: HipsimBench, hip: Any) -> None:
    assert hip.hipGetDeviceCount() == len(hipsim.archs)
    for ordinal, arch in enumerate(hipsim.archs):
        found, target = hip.hipGetDeviceProperties(ordinal), target_of(arch)
        assert found.gcnArchName.partition(":")[0] == arch
        assert found.name.startswith("simulated AMD ")
        assert (found.warpSize, found.sharedMemPerBlock) == (target.wave, target.lds_bytes)
        assert (found.maxThreadsPerBlock, found.major) == (1024, int(arch[3:-2]))
        assert found.pciBusID == ordinal + 1


def test_attributes_are_the_properties(hip: Any) -> None:
    found, names = hip.hipGetDeviceProperties(0), hip.module.hipDeviceAttribute_t
    pairs = {
        "WarpSize": found.warpSize,
        "MaxThreadsPerBlock": found.maxThreadsPerBlock,
        "MaxSharedMemoryPerBlock": found.sharedMemPerBlock,
        "MultiprocessorCount": found.multiProcessorCount,
        "ComputeCapabilityMajor": found.major,
        "ComputeCapabilityMinor": found.minor,
        "MaxBlockDimZ": found.maxThreadsDim[2],
        "MaxGridDimX": found.maxGridSize[0],
        "ClockRate": found.clockRate,
        "L2CacheSize": found.l2CacheSize,
        "ManagedMemory": found.managedMemory,
        "UnifiedAddressing": found.unifiedAddressing,
        "PciBusId": found.pciBusID,
        "CooperativeMultiDeviceLaunch": 0,
    }
    for name, value in pairs.items():
        assert hip.hipDeviceGetAttribute(getattr(names, f"hipDeviceAttribute{name}"), 0) == value, name


def test_devices_that_are_not_there_are_errors(hipsim: HipsimBench, hip: Any, error: Any) -> None:
    absent = len(hipsim.archs)
    for call in (hip.hipSetDevice, hip.hipGetDeviceProperties, hip.hipDeviceGet, hip.hipDeviceTotalMem):
        for ordinal in (-1, absent):
            with pytest.raises(error, match=f"there is no device {ordinal}: {absent} are simulated") as caught:
                call(ordinal)
            assert caught.value.code == 101


def test_unknown_attributes_are_errors(hip: Any) -> None:
    value = ctypes.c_int()
    assert hip.native.hipDeviceGetAttribute(ctypes.byref(value), 5000, 0) == 1
    assert b"there is no device attribute 5000" in hip.native.hipGetErrorString(1)


def test_peers_are_enabled_once(hip: Any, error: Any) -> None:
    assert (hip.hipDeviceCanAccessPeer(0, 1), hip.hipDeviceCanAccessPeer(0, 0)) == (1, 0)
    hip.native.hipDeviceDisablePeerAccess(1)  # tests before this one may have left it on
    hip.hipDeviceEnablePeerAccess(1, 0)
    with pytest.raises(error, match="peer access is already enabled"):
        hip.hipDeviceEnablePeerAccess(1, 0)
    hip.hipDeviceDisablePeerAccess(1)
    with pytest.raises(error, match="peer access has not been enabled"):
        hip.hipDeviceDisablePeerAccess(1)


def test_every_chip_of_the_compiler_can_be_simulated() -> None:
    from flydsl_hipsim.images import chips_of
    from flydsl_hipsim.options import CHIPS

    generic = {chip for chip in TARGETS if chip.endswith("-generic")}
    assert set(CHIPS) == set(TARGETS) - generic
    assert all(set(chips_of(name)) <= set(CHIPS) for name in generic)


def test_functions_have_the_version_that_native_programs_ask_for(hip: Any) -> None:
    import subprocess

    from flydsl_hipsim.toolkit import library_path

    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(library_path())], capture_output=True, text=True, check=True
    )
    functions = [line.split()[-1] for line in listing.stdout.splitlines() if " T hip" in line]
    assert len(functions) > 120
    assert all(name.endswith("@@hip_4.2") for name in functions)
