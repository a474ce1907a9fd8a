"""What a backend does with a toolchain, without one: text, options and bitcode."""

from __future__ import annotations

from pathlib import Path

from flydsl.backend.toolchain import (
    CodegenTarget,
    LlvmPasses,
    Toolchain,
    bitcode_files,
    distrust,
    gpu_module_contents,
    llvm_passes,
    take_bitcode,
)
from flydsl.testing.fake_toolchain import FakeToolchain


def test_kernels_are_taken_out_of_their_module() -> None:
    text = """"builtin.module"() ({
  "gpu.module"() <{sym_name = "k"}> ({
    "x.y"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    contents = gpu_module_contents(text)
    assert '"x.y"()' in contents
    assert "gpu.module" not in contents


def test_options_carry_the_passes_of_users() -> None:
    assert not llvm_passes(None)
    assert not llvm_passes({"opt_level": 2})
    passes = LlvmPasses("default<O1>")
    assert llvm_passes({"llvm_passes": passes}) is passes


def test_bitcode_and_files() -> None:
    assert take_bitcode('"builtin.module"()') == ('"builtin.module"()', [])
    with bitcode_files([b"BC"]) as (file,):
        assert file.read_bytes() == b"BC"


def test_a_fake_one_stands_for_the_toolchain() -> None:
    toolchain: Toolchain = FakeToolchain()
    target = CodegenTarget("x86_64-linux-gnu", "x86-64", "", 2)
    assert toolchain.emit_host_object("module", target) == toolchain.emit_host_object("module", target)


def test_a_file_that_anybody_may_replace_is_not_trusted(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.write_bytes(b"")
    library.chmod(0o666)
    assert str(library) in distrust([library])
