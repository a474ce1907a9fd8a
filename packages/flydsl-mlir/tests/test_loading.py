"""Loading of the native module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import flydsl_mlir
from flydsl_mlir import identity


def test_missing_libraries_name_the_packages_to_install(tmp_path: Path) -> None:
    script = f"import flydsl_mlir\ntry: flydsl_mlir.load({str(tmp_path)!r})\nexcept ImportError as e: print(e)"
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert "apt install libmlir-22 libllvm22" in said
    assert "libLLVM.so" in said


def test_other_prefix_with_the_libraries_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    for there in identity.shared_libraries():
        (folder / there.name).symlink_to(there)
    script = (
        f"import flydsl_mlir; flydsl_mlir.load({str(tmp_path)!r}); flydsl_mlir.load({str(tmp_path)!r});"
        "print(flydsl_mlir.run_pipeline('module {}', 'cse'))"
    )
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert "builtin.module" in said


def test_second_prefix_is_refused(tmp_path: Path) -> None:
    flydsl_mlir.load()
    with pytest.raises(ImportError, match="loaded already"):
        flydsl_mlir.load(tmp_path)


def test_import_of_the_package_loads_no_compiler() -> None:
    script = "import sys, flydsl_mlir; sys.exit('flydsl_mlir._native' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        flydsl_mlir.nonsense
