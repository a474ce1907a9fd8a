"""A CUDA driver that logs its calls: building fake_cuda.c, and its variables in the process that loaded it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.fake_driver import FakeDriver, builder

from flydsl.runtime.abi import FlyLaunchConfig, FlyRuntimeApi, include_dir

TABLE_SOURCE = Path(__file__).parents[2] / "src" / "native" / "cuda_table.c"


class FakeCuda(FakeDriver):
    """A loaded driver."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self._image, self._image_code = self.text("failing_image", 8), self.number("image_code")
        self.static_shared, self.most_threads = self.number("static_shared"), self.number("most_threads")
        self.major, self.minor = self.number("major"), self.number("minor")

    def reset(
        self, *, failing: str = "", code: int = 719, devices: int = 2, image: str = "", image_code: int = 209
    ) -> None:
        """Clear the log and choose what fails: a function, and images that begin with some text."""
        super().reset(failing=failing, code=code, devices=devices)
        self._image.value, self._image_code.value = image.encode(), image_code


@pytest.fixture
def build_driver() -> Callable[..., Path]:
    """Compile the driver to a path."""
    return builder(Path(__file__).with_name("fake_cuda.c"))


@pytest.fixture
def attach_driver() -> type[FakeCuda]:
    """Find the variables of a driver by its path."""
    return FakeCuda


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


class Cuda(SimpleNamespace):
    """A table with its `library` and `driver`."""

    def load(self, names: list[str], ordinal: int = 0) -> tuple[int, int]:
        """The code of a load of some image with these kernels, and the module."""
        module = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
        code = self.table.module_load(None, ordinal, b"CODE....", 8, array, len(names), ctypes.byref(module))
        return code, module.value or 0

    def handles(self, module: int, count: int) -> list[int]:
        """The kernels of a module."""
        return list((ctypes.c_uint64 * count).from_address(module))

    def launch(self, kernel: int, stream: int = 0, **shape: object) -> int:
        """The code of a launch with two arguments."""
        given = {"grid": (2, 3, 4), "block": (64, 2, 1), "cluster": (1, 1, 1), "shared_bytes": 4096} | shape
        config = FlyLaunchConfig(**({"struct_size": ctypes.sizeof(FlyLaunchConfig)} | given))
        values = ctypes.c_uint64(0xDEADBEEFCAFEF00D), ctypes.c_float(1.5)
        params = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
        self.driver.param_sizes[0:2] = [8, 4]
        code: int = self.table.launch(None, kernel, ctypes.byref(config), stream, params)
        return code

    def message(self, code: int) -> str:
        """What the table says of a code."""
        text: bytes = self.library.flycuda_error_message(code)
        return text.decode()


@pytest.fixture
def open_cuda(tmp_path: Path, build_driver: Any, attach_driver: Any) -> Callable[..., SimpleNamespace]:
    """A table, opened over a fake driver of its own, built with some flags."""

    def opened(*flags: str) -> SimpleNamespace:
        path = build_driver(tmp_path / "fake_cuda.so", *flags)
        library = _build_table(tmp_path)
        assert library.flycuda_open(str(path).encode()) == 0
        table = FlyRuntimeApi.from_address(library.flycuda_api())
        return Cuda(library=library, table=table, driver=attach_driver(path))

    return opened


@pytest.fixture
def cuda(open_cuda: Callable[..., SimpleNamespace]) -> SimpleNamespace:
    return open_cuda()
