"""A CUDA driver that logs its calls: building fake_cuda.c, and its variables in the process that loaded it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flydsl.runtime.abi import FlyRuntimeApi, include_dir

TABLE_SOURCE = Path(__file__).parents[2] / "src" / "native" / "cuda_table.c"
SOURCE = Path(__file__).with_name("fake_cuda.c")


class FakeDriver:
    """A loaded driver."""

    def __init__(self, path: Path | str) -> None:
        self.library = ctypes.CDLL(str(path))
        self._log = (ctypes.c_char * (1 << 16)).in_dll(self.library, "fake_log")
        self._failing = (ctypes.c_char * 64).in_dll(self.library, "fake_failing")
        self.param_sizes = (ctypes.c_uint32 * 8).in_dll(self.library, "fake_param_sizes")
        self._params = (ctypes.c_char * 256).in_dll(self.library, "fake_params")
        self._image = (ctypes.c_char * 8).in_dll(self.library, "fake_failing_image")
        self._image_code = ctypes.c_int.in_dll(self.library, "fake_image_code")
        self.static_shared = ctypes.c_int.in_dll(self.library, "fake_static_shared")
        self.major, self.minor = (ctypes.c_int.in_dll(self.library, f"fake_{name}") for name in ("major", "minor"))
        self.has_pools = ctypes.c_int.in_dll(self.library, "fake_has_pools")
        self.has_peers = ctypes.c_int.in_dll(self.library, "fake_has_peers")
        self._devices = ctypes.c_int.in_dll(self.library, "fake_devices")
        self._code = ctypes.c_int.in_dll(self.library, "fake_code")

    def reset(
        self, *, failing: str = "", code: int = 719, devices: int = 2, image: str = "", image_code: int = 209
    ) -> None:
        """Clear the log and choose what fails: a function, and images that begin with some text."""
        self._image.value, self._image_code.value = image.encode(), image_code
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


def _build_table(folder: Path) -> ctypes.CDLL:
    path = folder / "table.so"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{include_dir()}"]
    subprocess.run(["cc", *flags, str(TABLE_SOURCE), "-o", str(path), "-ldl"], check=True)
    library = ctypes.CDLL(str(path))
    library.flycuda_api.restype = ctypes.c_void_p
    library.flycuda_error_message.restype = ctypes.c_char_p
    return library


@pytest.fixture
def build_table() -> Callable[[Path], ctypes.CDLL]:
    """Compile the native table into a folder, and load it."""
    return _build_table


@pytest.fixture
def open_cuda(tmp_path: Path, build_driver: Any, attach_driver: Any) -> Callable[..., SimpleNamespace]:
    """A table, opened over a fake driver of its own, built with some flags."""

    def opened(*flags: str) -> SimpleNamespace:
        path = build_driver(tmp_path / "fake_cuda.so", *flags)
        library = _build_table(tmp_path)
        assert library.flycuda_open(str(path).encode()) == 0
        table = FlyRuntimeApi.from_address(library.flycuda_api())
        return SimpleNamespace(library=library, table=table, driver=attach_driver(path))

    return opened


@pytest.fixture
def cuda(open_cuda: Callable[..., SimpleNamespace]) -> SimpleNamespace:
    return open_cuda()
