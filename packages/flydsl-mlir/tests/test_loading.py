"""Loading of the native module."""

from __future__ import annotations

import shutil
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


def said_by_a_build_whose_module_is(content: bytes, where: str, folder: Path, prefix: str = "") -> str:
    """What `load` says in a copy of the package whose native module has that content and that LLVM.

    Without site: an editable installation has a finder there that knows the package elsewhere.
    """
    package = folder / "flydsl_mlir"
    sources = Path(flydsl_mlir.__file__).parent
    shutil.copytree(sources, package, ignore=shutil.ignore_patterns("*.so", "fly-passes", "_build.py", "__pycache__"))
    (package / identity.native_file().name).write_bytes(content)
    facts = {"VERSION": "0.1.0", "LLVM_VERSION": identity.llvm_version(), "LLVM_LIBRARY_DIR": where}
    (package / "_build.py").write_text("".join(f"{name} = {value!r}\n" for name, value in facts.items()))
    script = f"import sys; sys.path.insert(0, {str(folder)!r}); import flydsl_mlir\n"
    script += f"try: flydsl_mlir.load({prefix!r} or None)\nexcept ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("length", [0, 40, 4096, 100_000])
def test_a_truncated_module_is_told_apart_from_missing_libraries(length: int, tmp_path: Path) -> None:
    said = said_by_a_build_whose_module_is(identity.native_file().read_bytes()[:length], "", tmp_path)
    assert "LLVM and MLIR are inside it, so that the file is damaged" in said
    assert "reinstall flydsl-mlir" in said
    assert "apt install" not in said


def test_a_module_for_another_llvm_names_the_packages_to_install(tmp_path: Path) -> None:
    for_other = identity.native_file().read_bytes().replace(b"libLLVM.so.22.1", b"libLLVM.so.99.1")
    said = said_by_a_build_whose_module_is(for_other, "/usr/lib/llvm-22/lib", tmp_path)
    assert "libLLVM.so.99.1" in said
    assert "apt install libmlir-22 libllvm22" in said


def test_a_self_contained_build_loads_no_other_llvm(tmp_path: Path) -> None:
    said = said_by_a_build_whose_module_is(b"", "", tmp_path / "here", str(tmp_path))
    assert f"has LLVM {identity.llvm_version()} inside and loads no other; {str(tmp_path)!r} holds neither lib/" in said
