"""Bundles of code objects, as clang writes them, through `Program`, `run` and HIP's functions."""

from __future__ import annotations

import ctypes
import struct
import sys
import zlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flydsl_hipsim
from flydsl_hipsim.errors import CodeObjectError, OtherTargetError
from flydsl_hipsim.program import Program

from .bundles import bundled, compressed

TARGETS = "gfx942", "gfx1100", "gfx1201"
HOST = "host-x86_64-unknown-linux-gnu-"


@pytest.fixture
def images(kernels: Any) -> dict[str, bytes]:
    return {f"hipv4-amdgcn-amd-amdhsa--{target}": kernels.image("control", 2, target) for target in TARGETS}


def ran(image: bytes, **options: Any) -> np.ndarray:
    a, found = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    flydsl_hipsim.run(image, "pointers", 1, 64, [a, found], **options)
    return found


EXPECTED = np.where(np.arange(64) & 1, np.arange(64) // 2, np.arange(64) * 2)


@pytest.mark.parametrize("arch", TARGETS)
def test_a_bundle_has_code_for_several_chips(images: dict[str, bytes], arch: str) -> None:
    bundle = bundled({HOST: b"", **images})
    np.testing.assert_array_equal(ran(bundle, arch=arch), EXPECTED)
    with Program(bundle, arch) as program:
        assert program.code.arch == arch


def test_the_only_code_of_a_bundle_needs_no_choice(images: dict[str, bytes]) -> None:
    image = images.popitem()[1]
    for name in (
        "hip-amdgcn-amd-amdhsa-gfx1201",
        "openmp-amdgcn-amd-amdhsa--gfx1201",
        "hipv4-amdgcn-amd-amdhsa-unknown-gfx1201",
    ):
        np.testing.assert_array_equal(ran(bundled({HOST: b"", name: image})), EXPECTED)


def test_errors_list_what_there_is(images: dict[str, bytes]) -> None:
    with pytest.raises(OtherTargetError, match="has code for gfx942, gfx1100, gfx1201: choose one of them with arch="):
        ran(bundled({HOST: b"", **images}))
    with pytest.raises(
        OtherTargetError, match="no code object for gfx950, only for host-.*gfx942, .*gfx1100, .*gfx1201"
    ):
        ran(bundled({HOST: b"", **images}), arch="gfx950")
    with pytest.raises(OtherTargetError, match="no code object for an AMD GPU, only for host-x86"):
        ran(bundled({HOST: b""}))
    with pytest.raises(OtherTargetError, match="the bundle has no code object for gfx942:xnack-"):
        ran(
            bundled({"hip-amdgcn-amd-amdhsa--gfx942:xnack+": images["hipv4-amdgcn-amd-amdhsa--gfx942"]}),
            arch="gfx942:xnack-",
        )


class LibZstd:
    """What of the package zstandard is used, on the C library that LLVM links."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libzstd.so.1")

    def decompressobj(self) -> LibZstd:
        return self

    def compress(self, data: bytes) -> bytes:
        made = ctypes.create_string_buffer(len(data) + 1024)
        size = self.library.ZSTD_compress(made, ctypes.c_size_t(len(made)), data, ctypes.c_size_t(len(data)), 3)
        return made.raw[:size]

    def decompress(self, data: bytes) -> bytes:
        self.library.ZSTD_getFrameContentSize.restype = ctypes.c_uint64
        size = self.library.ZSTD_getFrameContentSize(data, ctypes.c_size_t(len(data)))
        made = ctypes.create_string_buffer(size)
        self.library.ZSTD_decompress(made, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
        return made.raw


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", ["zlib", "zstd"])
def test_compressed_bundles(
    images: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, version: int, method: str
) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", SimpleNamespace(ZstdDecompressor=LibZstd))
    pack = zlib.compress if method == "zlib" else LibZstd().compress
    made = compressed(bundled({HOST: b"", **images}), version, int(method == "zstd"), pack)
    np.testing.assert_array_equal(ran(made, arch="gfx942"), EXPECTED)
    np.testing.assert_array_equal(ran(made + bytes(100), arch="gfx1100"), EXPECTED)


def test_what_cannot_be_decompressed_is_refused(images: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    bundle = bundled(images)
    for made, why in (
        (compressed(bundle, 2, 1, bytes), "compressed by zstd: install zstandard"),
        (compressed(bundle, 2, 5, bytes), "compressed by method 5"),
        (compressed(bundle, 2, 0, zlib.compress)[:-100], "bytes at offset 0 are not in memory"),
        (compressed(bundle, 1, 0, zlib.compress)[:-100], "decompresses to"),
        (compressed(bundle, 1, 0, bytes), "cannot be decompressed"),
        (b"CCOB" + struct.pack("<HH", 9, 0) + bytes(100), "of version 9"),
        (b"CCOB", "not in memory"),
    ):
        with pytest.raises(CodeObjectError, match=why):
            ran(made, arch="gfx942")


def test_damaged_bundles_are_refused(images: dict[str, bytes]) -> None:
    bundle = bundled(images)
    for place, value in ((24, 2000), (32, 1 << 60), (40, 1 << 60), (48, 1 << 60)):
        damaged = bytearray(bundle)
        struct.pack_into("<Q", damaged, place, value)
        with pytest.raises(CodeObjectError, match="the image is damaged"):
            ran(bytes(damaged), arch="gfx942")
    for end in range(24, 400, 7):
        with pytest.raises(CodeObjectError, match="the image is damaged"):
            ran(bundle[:end], arch="gfx942")
