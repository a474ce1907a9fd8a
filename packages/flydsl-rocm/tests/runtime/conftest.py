"""A HIP driver that logs its calls: building fake_hip.c, and its variables in the process that loaded it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("fake_hip.c")


class FakeDriver:
    """A loaded driver."""

    def __init__(self, path: Path | str) -> None:
        self.library = ctypes.CDLL(str(path))
        self._log = (ctypes.c_char * (1 << 16)).in_dll(self.library, "fake_log")
        self._failing = (ctypes.c_char * 64).in_dll(self.library, "fake_failing")
        self.param_sizes = (ctypes.c_uint32 * 8).in_dll(self.library, "fake_param_sizes")
        self._params = (ctypes.c_char * 256).in_dll(self.library, "fake_params")
        self.properties = (ctypes.c_char * 2048).in_dll(self.library, "fake_properties")
        self.has_pools = ctypes.c_int.in_dll(self.library, "fake_has_pools")
        self.has_peers = ctypes.c_int.in_dll(self.library, "fake_has_peers")
        self._devices = ctypes.c_int.in_dll(self.library, "fake_devices")
        self._code = ctypes.c_int.in_dll(self.library, "fake_code")

    def reset(self, *, failing: str = "", code: int = 719, devices: int = 2) -> None:
        """Clear the log and choose what fails."""
        self._log.value = b""
        self._failing.value = failing.encode()
        self._code.value = code
        self._devices.value = devices

    def log(self) -> list[str]:
        """The calls since the last look."""
        lines = self._log.value.decode().splitlines()
        self._log.value = b""
        return lines

    def params(self) -> bytes:
        """The parameters of the last launch, one behind the other."""
        return self._params.raw[: sum(self.param_sizes)]


@pytest.fixture
def build_driver() -> Callable[..., Path]:
    """Compile the driver to a path."""

    def build(path: Path, *flags: str) -> Path:
        subprocess.run(["cc", "-shared", "-fPIC", *flags, str(SOURCE), "-o", str(path)], check=True)
        return path

    return build


@pytest.fixture
def attach_driver() -> type[FakeDriver]:
    """Find the variables of a driver by its path."""
    return FakeDriver
