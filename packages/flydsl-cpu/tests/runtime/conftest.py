"""The cpu runtime's device and the code object of kernels.c."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.runtime.abi import include_dir
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl_cpu.runtime.device_runtime import CpuRuntime

SOURCE = Path(__file__).with_name("kernels.c")
NAMES = ("count", "describe", "add", "chain", "memory", "wait_for", "set", "wide", "greedy", "endless", "failing")


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """kernels.c as a CPU code object."""
    output = tmp_path_factory.mktemp("kernels") / "kernels.so"
    command = ["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", f"-I{include_dir()}", str(SOURCE), "-o", str(output)]
    subprocess.run(command, check=True)
    return output.read_bytes()


@pytest.fixture(scope="session")
def device() -> Device:
    return Device(runtime=CpuRuntime())


@pytest.fixture
def code(device: Device, image: bytes) -> Iterator[ObjectCode]:
    with ObjectCode.load(device, image, NAMES) as loaded:
        yield loaded
