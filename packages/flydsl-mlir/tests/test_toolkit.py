"""The toolkit folder for device libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

import flydsl_mlir
from flydsl_mlir.toolkit import create_toolkit


@pytest.fixture
def rocm(tmp_path: Path) -> Path:
    """A ROCm folder whose ocml defines one function."""
    folder = tmp_path / "rocm" / "amdgcn" / "bitcode"
    folder.mkdir(parents=True)
    for name in ("ocml", "ockl"):
        (folder / f"{name}.bc").write_bytes(b"BC")
    return tmp_path / "rocm"


def test_toolkit_links_libraries_and_linker(tmp_path: Path, rocm: Path) -> None:
    linker = tmp_path / "my-lld"
    linker.touch()
    for _ in range(2):
        root = create_toolkit(tmp_path / "kit", device_libraries=rocm / "amdgcn" / "bitcode", lld=linker)
    assert {file.name for file in (root / "amdgcn" / "bitcode").iterdir()} == {"ocml.bc", "ockl.bc"}
    assert (root / "llvm" / "bin" / "ld.lld").readlink() == linker


def test_toolkit_without_libraries_is_empty(tmp_path: Path) -> None:
    root = create_toolkit(tmp_path)
    assert list((root / "amdgcn" / "bitcode").iterdir()) == []


def test_call_of_a_device_function_without_libraries_is_an_error(tmp_path: Path, rocdl_pipeline: str) -> None:
    text = """
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @f(%p: !llvm.ptr<1>, %x: f64) kernel {
          %y = math.tan %x : f64
          llvm.store %y, %p : f64, !llvm.ptr<1>
          gpu.return
        }
      }
    }"""
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", f"fatbin toolkit={create_toolkit(tmp_path)}")
    with pytest.raises(flydsl_mlir.MlirError):
        flydsl_mlir.gpu_objects(text, pipeline)
