"""The native toolchain through the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import CodegenTarget, Toolchain
from flydsl.toolchain.select import default_toolchain

KERNEL = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @store(%p: !llvm.ptr<1>, %x: f32) kernel {
      llvm.store %x, %p : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}
"""
PIPELINE = (
    "builtin.module(gpu.module(convert-gpu-to-rocdl{chipset=gfx942}),rocdl-attach-target{chip=gfx942},"
    "reconcile-unrealized-casts,gpu-module-to-binary{format=FORMAT})"
)
AMDGPU = CodegenTarget("amdgcn-amd-amdhsa", "gfx942")
HOST = "llvm.func @answer() -> i32 {\n  %a = llvm.mlir.constant(42 : i32) : i32\n  llvm.return %a : i32\n}"


@pytest.fixture
def toolchain(tmp_path: Path) -> NativeToolchain:
    return NativeToolchain(memo=tmp_path)


def test_it_is_a_toolchain(toolchain: NativeToolchain) -> None:
    assert isinstance(toolchain, Toolchain)
    assert toolchain.name == "native"
    assert toolchain.version().startswith("22.")


def test_bitcode_to_code_object_step_by_step(toolchain: NativeToolchain) -> None:
    (found,) = toolchain.gpu_objects(KERNEL, PIPELINE.replace("FORMAT", "offloading"))
    assert (found.module, found.format) == ("kernels", "offload")
    image = toolchain.link([toolchain.codegen(found.object, AMDGPU)])
    text = toolchain.disassemble(image, AMDGPU)
    assert text.startswith("store:\n  s_load_dword")
    assert "global_store_dword" in text
    assert "s_endpgm" in text


def test_assembly_of_both_ways_agrees(toolchain: NativeToolchain) -> None:
    (bitcode,) = toolchain.gpu_objects(KERNEL, PIPELINE.replace("FORMAT", "offloading"))
    (assembly,) = toolchain.gpu_objects(KERNEL, PIPELINE.replace("FORMAT", "isa"))
    assert toolchain.codegen(bitcode.object, AMDGPU, filetype="asm").split() == assembly.object.split()


def test_instructions_carry_addresses_and_encodings(toolchain: NativeToolchain) -> None:
    (found,) = toolchain.gpu_objects(KERNEL, PIPELINE.replace("FORMAT", "fatbin"))
    instructions = toolchain.instructions(found.object, AMDGPU)
    assert instructions[0].label == "store"
    assert [len(item.encoding) in (4, 8) for item in instructions] == [True] * len(instructions)


def test_host_object_is_for_the_chip_asked_for(toolchain: NativeToolchain) -> None:
    assert b"answer" in toolchain.emit_host_object(HOST)
    assert toolchain.emit_host_object(HOST, CodegenTarget(chip="native"))[:4] == b"\x7fELF"
    assert b"answer:" in toolchain.emit_host_object(HOST, filetype="asm")
    with pytest.raises(ToolchainError, match="unknown chip 'i286x'"):
        toolchain.emit_host_object(HOST, CodegenTarget("x86_64-pc-linux-gnu", "i286x"))


def test_a_host_object_of_a_pipeline_is_that_of_its_text(toolchain: NativeToolchain) -> None:
    text, pipeline = HOST.replace("llvm.func", "func.func").replace("llvm.return", "return"), "convert-func-to-llvm"
    lowered = toolchain.run_pipeline(text, pipeline)
    assert toolchain.emit_host_object(text, pipeline=pipeline) == toolchain.emit_host_object(lowered)
    with pytest.raises(ToolchainError, match="pipeline is not valid"):
        toolchain.emit_host_object(text, pipeline="no-such-pass")
    with pytest.raises(ToolchainError, match="cannot be translated|func.func"):
        toolchain.emit_host_object(text, pipeline="canonicalize")


def test_llvm_ir_is_text(toolchain: NativeToolchain) -> None:
    assert "ret i32 42" in toolchain.emit_llvm_ir(HOST)


def test_failure_carries_diagnostics(toolchain: NativeToolchain) -> None:
    with pytest.raises(ToolchainError, match="does not parse") as caught:
        toolchain.run_pipeline('module {\n  "a.b"() : () -> ()\n}', "cse")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.severity, diagnostic.line, diagnostic.column) == ("error", 2, 8)
    assert "unregistered dialect" in diagnostic.message


def test_unknown_filetype_is_an_error(toolchain: NativeToolchain) -> None:
    with pytest.raises(ToolchainError, match="'exe' is not one of 'obj', 'asm'"):
        toolchain.codegen(b"", AMDGPU, filetype="exe")  # type: ignore[arg-type]


def test_fingerprint_is_stable_and_names_the_libraries(toolchain: NativeToolchain, tmp_path: Path) -> None:
    found = toolchain.fingerprint()
    assert found == NativeToolchain().fingerprint() == NativeToolchain(memo=tmp_path).fingerprint()
    assert "libMLIR.so" in found
    assert "libLLVM.so" in found
    assert "/" not in found


def test_fingerprint_covers_the_linker_program(tmp_path: Path) -> None:
    linker = tmp_path / "ld.lld"
    linker.write_text("#!/bin/sh\n")
    linker.chmod(0o755)
    before = NativeToolchain(lld=linker).fingerprint()
    linker.write_text("#!/bin/sh\nexit 1\n")
    assert len({before, NativeToolchain(lld=linker).fingerprint(), NativeToolchain().fingerprint()}) == 3


def test_missing_linker_program_is_an_error(tmp_path: Path) -> None:
    toolchain = NativeToolchain(lld=tmp_path / "none")
    with pytest.raises(ToolchainMissingError, match="none"):
        toolchain.fingerprint()
    with pytest.raises(ToolchainMissingError, match="none"):
        toolchain.link([b""])


def test_missing_llvm_names_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ToolchainMissingError, match="apt install libmlir-22"):
        NativeToolchain(llvm_dir=tmp_path).fingerprint()


def test_llvm_setting_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_DIR", "/no/such/prefix")
    with pytest.raises(ToolchainError, match="/no/such/prefix"):
        default_toolchain().fingerprint()
