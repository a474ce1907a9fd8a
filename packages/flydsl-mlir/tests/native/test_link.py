"""The linker in the process."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import flydsl_mlir
from flydsl_mlir import MlirError

X86 = "x86_64-pc-linux-gnu"


def compile_text(text: str) -> bytes:
    return flydsl_mlir.codegen(text.encode(), triple=X86)


def test_shared_object_exports_its_functions() -> None:
    image = flydsl_mlir.link([compile_text("define i32 @answer() { ret i32 42 }")])
    assert image[:4] == b"\x7fELF"
    assert image[16] == 3  # ET_DYN
    assert b"answer" in image


def test_several_objects_and_arguments(tmp_path: Path) -> None:
    one = compile_text("declare i32 @g()\ndefine i32 @f() {\n %a = call i32 @g()\n ret i32 %a\n}")
    two = compile_text("define hidden i32 @g() { ret i32 7 }")
    image = flydsl_mlir.link([one, two], args=["--no-undefined", "-e", "f"], shared=False)
    assert image[16] == 2  # ET_EXEC


def test_undefined_symbol_is_named() -> None:
    code = compile_text("declare i32 @nowhere()\ndefine i32 @f() {\n %a = call i32 @nowhere()\n ret i32 %a\n}")
    with pytest.raises(MlirError, match="undefined symbol: nowhere") as caught:
        flydsl_mlir.link([code], args=["--no-undefined"])
    assert "flydsl-link" not in str(caught.value)


@pytest.mark.parametrize(
    "garbage", [b"", b"INPUT(/etc/passwd)", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\xff" * 200, b"!<arch>\nxx"]
)
def test_garbage_is_an_error_and_the_linker_still_works(garbage: bytes, amdgpu_object: bytes) -> None:
    for _ in range(3):
        with pytest.raises(MlirError, match="linking failed"):
            flydsl_mlir.link([garbage])
    assert flydsl_mlir.link([amdgpu_object])[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    "args", [["--bogus"], ["-T", "no/such/script"], ["-mllvm", "-bogus"], ["-m", "no_such_target"]]
)
def test_bad_argument_is_an_error(args: list[str], amdgpu_object: bytes) -> None:
    with pytest.raises(MlirError, match="linking failed"):
        flydsl_mlir.link([amdgpu_object], args=args)
    assert flydsl_mlir.link([amdgpu_object])[:4] == b"\x7fELF"


def test_nothing_to_link_is_an_error() -> None:
    with pytest.raises(MlirError, match="linking failed"):
        flydsl_mlir.link([])


def test_objects_of_different_machines_are_refused(amdgpu_object: bytes) -> None:
    with pytest.raises(MlirError, match="incompatible"):
        flydsl_mlir.link([compile_text("define void @f() { ret void }"), amdgpu_object])


def test_nothing_is_left_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, amdgpu_object: bytes
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    flydsl_mlir.link([amdgpu_object])
    with pytest.raises(MlirError):
        flydsl_mlir.link([amdgpu_object, amdgpu_object])
    assert list(tmp_path.iterdir()) == []


def test_unwritable_temporary_folder_is_an_error(monkeypatch: pytest.MonkeyPatch, amdgpu_object: bytes) -> None:
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    with pytest.raises(MlirError, match="temporary folder"):
        flydsl_mlir.link([amdgpu_object])


def test_threads_take_turns(amdgpu_object: bytes) -> None:
    expected = flydsl_mlir.link([amdgpu_object])
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(flydsl_mlir.link([amdgpu_object]))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 16


FORK = """
import multiprocessing, os
import flydsl_mlir
ir = b'target triple = "amdgcn-amd-amdhsa" define amdgpu_kernel void @k() { ret void }'
code = flydsl_mlir.codegen(ir, triple="amdgcn-amd-amdhsa", chip="gfx942")
expected = flydsl_mlir.link([code])
child = multiprocessing.get_context("fork").Process(target=lambda: os._exit(flydsl_mlir.link([code]) != expected))
child.start()
child.join(60)
assert child.exitcode == 0, child.exitcode
"""


def test_forked_child_links() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True)


CRASH = """
import flydsl_mlir
ir = b'target triple = "amdgcn-amd-amdhsa" define amdgpu_kernel void @k() { ret void }'
code = flydsl_mlir.codegen(ir, triple="amdgcn-amd-amdhsa", chip="gfx942")
before = flydsl_mlir.link([code])
for args, said in (["--defsym=a=" + "(" * 2_000_000], "crashed"), (["--no-such"], "unknown argument '--no-such'"):
    try:
        flydsl_mlir.link([code], args=args)
    except flydsl_mlir.MlirError as error:
        assert said in str(error), error
    else:
        raise AssertionError(args[0][:20])
    assert flydsl_mlir.link([code]) == before
"""


def test_after_a_crash_of_the_linker_its_program_takes_over() -> None:
    subprocess.run([sys.executable, "-c", CRASH], check=True)
