"""A GPU driver in C that logs its calls and fails where it is told to: building it, and its variables once loaded."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path


class FakeDriver:
    """A loaded driver: the variables `fake_*` of its source."""

    def __init__(self, path: Path | str) -> None:
        self.library = ctypes.CDLL(str(path))
        self._log = self.text("log", 1 << 16)
        self._failing = self.text("failing", 64)
        self.param_sizes = (ctypes.c_uint32 * 8).in_dll(self.library, "fake_param_sizes")
        self._params = self.text("params", 256)
        self.has_pools, self.has_peers = self.number("has_pools"), self.number("has_peers")
        self._devices, self._code = self.number("devices"), self.number("code")

    def number(self, name: str) -> ctypes.c_int:
        """A number of the driver's."""
        return ctypes.c_int.in_dll(self.library, f"fake_{name}")

    def text(self, name: str, size: int) -> ctypes.Array[ctypes.c_char]:
        """Bytes of the driver's."""
        return (ctypes.c_char * size).in_dll(self.library, f"fake_{name}")

    def reset(self, *, failing: str = "", code: int = 719, devices: int = 2) -> None:
        """Clear the log and choose what fails."""
        self._log.value = b""
        self._failing.value = failing.encode()
        self._code.value, self._devices.value = code, devices

    def log(self) -> list[str]:
        """The calls since the last look."""
        lines = self._log.value.decode().splitlines()
        self._log.value = b""
        return lines

    def params(self) -> bytes:
        """The parameters of the last launch, one behind the other."""
        return self._params.raw[: sum(self.param_sizes)]


def builder(source: Path) -> Callable[..., Path]:
    """What compiles a driver's source to a path, with flags."""

    def build(path: Path, *flags: str) -> Path:
        subprocess.run(["cc", "-shared", "-fPIC", *flags, str(source), "-o", str(path)], check=True)
        return path

    return build
