"""Objects that hold bytes, linked and read back through the dynamic loader."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from flydsl.runtime.kernel import load_shared_object
from flydsl.toolchain.data_object import data_object
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import CodegenTarget

READER = """
llvm.mlir.global external hidden constant @blob() : !llvm.array<0 x i8>
llvm.mlir.global external hidden constant @blob_size() : i64
llvm.func @start() -> !llvm.ptr {
  %0 = llvm.mlir.addressof @blob : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @size() -> i64 {
  %0 = llvm.mlir.addressof @blob_size : !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> i64
  llvm.return %1 : i64
}
"""


@pytest.fixture(scope="module")
def reader() -> bytes:
    return NativeToolchain().emit_host_object(READER, CodegenTarget(opt_level=0))


@pytest.mark.parametrize("size", [0, 1, 7, 8, 4096, 1_000_003])
@pytest.mark.parametrize("alignment", [8, 64, 4096])
def test_linked_program_sees_the_bytes_and_their_size(reader: bytes, size: int, alignment: int) -> None:
    data = bytes(i * 31 % 251 for i in range(size))
    image = NativeToolchain().link([reader, data_object(data, "blob", like=reader, alignment=alignment)])
    library = load_shared_object(image, "blob")
    library.start.restype, library.size.restype = ctypes.c_void_p, ctypes.c_int64
    assert library.size() == size
    assert ctypes.string_at(library.start(), size) == data
    assert library.start() % alignment == 0


def test_symbols_stay_inside(reader: bytes) -> None:
    image = NativeToolchain().link([reader, data_object(b"x", "blob", like=reader, alignment=8)])
    library = load_shared_object(image, "blob")
    assert not hasattr(library, "blob")


def test_object_is_well_formed_for_another_reader(reader: bytes, tmp_path: Path) -> None:
    (tmp_path / "data.o").write_bytes(data_object(b"abc", "blob", like=reader, alignment=16))
    read = subprocess.run(["readelf", "-SsW", "data.o"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert read.stderr == ""
    assert " OBJECT  GLOBAL HIDDEN     1 blob_size" in read.stdout
