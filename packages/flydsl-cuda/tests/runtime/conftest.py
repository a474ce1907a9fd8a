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

from flydsl.runtime.abi import FlyRuntimeApi, include_dir

TABLE_SOURCE = Path(__file__).parents[2] / "src" / "native" / "cuda_table.c"


class FakeCuda(FakeDriver):
    """A loaded driver."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self._image, self._image_code = self.text("failing_image", 8), self.number("image_code")
        self.static_shared = self.number("static_shared")
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
