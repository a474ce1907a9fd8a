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


BACKGROUND = """
import ctypes, sys, threading, flydsl_mlir
flydsl_mlir.begin_loading({prefix!r})
[thread.join() for thread in threading.enumerate() if thread.name == "flydsl-libraries"]
mapped = "libLLVM" in open("/proc/self/maps").read()
print(mapped, "flydsl_mlir._native" in sys.modules)
try:
    print(flydsl_mlir.run_pipeline("module {{}}", "cse") if {prefix!r} is None else flydsl_mlir.load({prefix!r}))
except ImportError as error:
    print(error)
flydsl_mlir.begin_loading({prefix!r})
print(len([thread for thread in threading.enumerate() if thread.name == "flydsl-libraries"]))
"""


def said_in_background(prefix: str | None) -> list[str]:
    script = BACKGROUND.format(prefix=prefix)
    return subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.splitlines()


def test_libraries_are_mapped_by_a_thread_and_used_by_the_module() -> None:
    assert said_in_background(None)[0] == "True True"
    assert said_in_background(None)[-1] == "0"


def test_what_the_thread_does_not_find_is_told_by_the_use(tmp_path: Path) -> None:
    mapped, error, *_ = said_in_background(str(tmp_path))
    assert mapped == "False False"
    assert "apt install libmlir-22 libllvm22" in error
