"""Custom passes in processes of their own: `fly-passes` of the same LLVM, and `opt` of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.llvm_plugins import passes as build_passes

import flydsl_mlir
from flydsl_mlir import MachinePass, MlirError, PassError, pass_process
from flydsl_mlir.identity import llvm_prefix

AMDGPU: Any = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}
KERNEL = b"""
define amdgpu_kernel void @f(ptr addrspace(1) %p) {
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, %v
  store float %w, ptr addrspace(1) %p
  ret void
}
"""
BAD = [
    ("instcombin", "unknown pass name 'instcombin'"),
    ("break-ir", "pass 'break-ir' made LLVM IR that is not valid: .*terminator"),
    ("crash-on-ir", "LLVM pass '.*crash-on-ir.*' crashed: "),
    ("refuse-ir", "nothing to do in 'f'"),
]


@pytest.fixture(scope="session")
def plugin() -> Path:
    return build_passes()


@pytest.fixture(scope="session")
def same_llvm() -> Path:
    """The prefix of the LLVM that this build uses."""
    return llvm_prefix()


@pytest.fixture
def other_llvm(tmp_path: Path, same_llvm: Path) -> Path:
    """A prefix with nothing but `opt`, as that of another version is seen."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/opt").symlink_to(same_llvm / "bin/opt")
    return tmp_path


def ir_after(pipeline: str, plugin: Path, prefix: Path) -> str:
    ir = flydsl_mlir.run_ir_passes(KERNEL, pipeline, plugins=[plugin], llvm_dir=prefix, **AMDGPU)
    return flydsl_mlir.llvm_text(ir)


def test_the_result_is_that_of_this_process(plugin: Path, same_llvm: Path) -> None:
    pipeline = "count-loads,default<O2>"
    here = flydsl_mlir.run_ir_passes(KERNEL, pipeline, plugins=[plugin], **AMDGPU)
    assert flydsl_mlir.run_ir_passes(KERNEL, pipeline, plugins=[plugin], llvm_dir=same_llvm, **AMDGPU) == here
    for options in ({"assembly": True}, {"optimize": True}, {"opt_level": 0, "chip": "gfx1100"}):
        requests, chosen = [MachinePass("nop-sled", "machine-cp", "after", 1)], {**AMDGPU, **options}
        if options.get("opt_level") == 0:
            requests = [MachinePass("nop-sled", "pre-emit")]
        there = flydsl_mlir.codegen_with_passes(here, requests, plugins=[plugin], llvm_dir=same_llvm, **chosen)
        assert there == flydsl_mlir.codegen_with_passes(here, requests, plugins=[plugin], **chosen)


def test_code_around_passes_is_dumped_from_there(plugin: Path, same_llvm: Path) -> None:
    dumps: list[tuple[list[str], list[str]]] = []
    for prefix in (None, same_llvm):
        stages: list[str] = []
        texts: list[str] = []
        requests = [MachinePass("nop-sled", "pre-emit"), MachinePass("nop-sled", "pre-ra")]

        def dump(stage: str, text: str, stages: list[str] = stages, texts: list[str] = texts) -> None:
            stages.append(stage)
            texts.append(text)

        flydsl_mlir.codegen_with_passes(KERNEL, requests, plugins=[plugin], dump=dump, llvm_dir=prefix, **AMDGPU)
        dumps.append((stages, texts))
    assert dumps[0] == dumps[1]
    assert dumps[0][0] == ["nop-sled_before", "nop-sled_after"] * 2


@pytest.mark.parametrize(("pipeline", "message"), BAD)
def test_a_bad_pass_is_an_error_and_this_process_goes_on(
    plugin: Path, same_llvm: Path, pipeline: str, message: str
) -> None:
    with pytest.raises(PassError, match=f"(?s){message}"):
        ir_after(pipeline, plugin, same_llvm)


@pytest.mark.parametrize(("pipeline", "message"), BAD)
def test_so_it_is_with_opt(plugin: Path, other_llvm: Path, pipeline: str, message: str) -> None:
    with pytest.raises(PassError, match=f"(?s){message}"):
        ir_after(pipeline, plugin, other_llvm)


@pytest.mark.parametrize("name", ["same_llvm", "other_llvm"])
def test_a_pass_that_ends_its_process_is_an_error(plugin: Path, name: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(PassError, match="the process of the LLVM passes .*ended with exit code 7"):
        ir_after("exit-on-ir", plugin, request.getfixturevalue(name))


def test_crashing_machine_passes_are_errors(plugin: Path, same_llvm: Path) -> None:
    with pytest.raises(PassError, match="machine pass 'crash-on-code' crashed: signal 11"):
        flydsl_mlir.codegen_with_passes(
            KERNEL, [MachinePass("crash-on-code", "pre-ra")], plugins=[plugin], llvm_dir=same_llvm, **AMDGPU
        )


def test_opt_of_another_llvm_runs_pipelines(plugin: Path, other_llvm: Path) -> None:
    assert '"loads"="1"' in ir_after("count-loads", plugin, other_llvm)


def test_machine_passes_need_the_same_llvm(plugin: Path, other_llvm: Path) -> None:
    with pytest.raises(PassError, match="machine passes and options need LLVM 22.1: .* has another version"):
        flydsl_mlir.codegen_with_passes(
            KERNEL, [MachinePass("nop-sled", "pre-ra")], plugins=[plugin], llvm_dir=other_llvm, **AMDGPU
        )


def test_bad_ir_is_not_blamed_on_passes(plugin: Path, same_llvm: Path) -> None:
    with pytest.raises(MlirError, match="not LLVM IR") as caught:
        flydsl_mlir.run_ir_passes(b"nonsense", "instcombine", llvm_dir=same_llvm, **AMDGPU)
    assert not isinstance(caught.value, PassError)
    assert caught.value.diagnostics


def test_a_prefix_without_llvm_names_what_is_missing(plugin: Path, tmp_path: Path) -> None:
    with pytest.raises(PassError, match=r"holds neither lib/libLLVM\.so\.22\.1 nor bin/opt"):
        ir_after("count-loads", plugin, tmp_path)


def test_a_missing_program_names_what_to_reinstall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pass_process, "native_file", lambda: tmp_path / "_native.so")
    with pytest.raises(PassError, match="lacks its program 'fly-passes'.*reinstall flydsl-mlir"):
        pass_process.program()


def test_options_of_llvm_are_for_one_call(plugin: Path) -> None:
    plain = flydsl_mlir.codegen(KERNEL, assembly=True, **AMDGPU)
    waiting = flydsl_mlir.codegen_with_passes(
        KERNEL, [], assembly=True, llvm_options=["--amdgpu-waitcnt-forcezero=true"], **AMDGPU
    )
    assert waiting.count(b"s_waitcnt") > plain.count(b"s_waitcnt")
    assert flydsl_mlir.codegen(KERNEL, assembly=True, **AMDGPU) == plain
    ir = flydsl_mlir.run_ir_passes(
        KERNEL, "count-loads", plugins=[plugin], llvm_options=["--enable-post-misched=false"], **AMDGPU
    )
    assert "fadd" in flydsl_mlir.llvm_text(ir)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--enable-post-mischd=0", "'enable-post-mischd=0': there is none; did you mean 'enable-post-misched'"),
        ("--enable-post-misched=perhaps", "LLVM options: for the --enable-post-misched option: 'perhaps' is invalid"),
        ("--version", "it prints a text and ends the process"),
    ],
)
def test_bad_options_of_llvm_are_named(option: str, words: str) -> None:
    with pytest.raises(PassError, match=words):
        flydsl_mlir.run_ir_passes(KERNEL, "instcombine", llvm_options=[option], **AMDGPU)


@pytest.mark.usefixtures("self_contained")
def test_a_self_contained_build_asks_for_an_llvm_that_plugins_see(plugin: Path) -> None:
    advice = r"name the prefix of an LLVM 22\.1 in FLYDSL_COMPILE_LLVM_DIR"
    with pytest.raises(PassError, match=advice):
        flydsl_mlir.codegen_with_passes(KERNEL, [], llvm_options=["--enable-post-misched=false"], **AMDGPU)
    with pytest.raises(PassError, match=advice):
        pass_process.probe(plugin)


@pytest.mark.usefixtures("self_contained")
def test_the_program_of_a_self_contained_build_gets_its_llvm_loaded_ahead(same_llvm: Path, plugin: Path) -> None:
    assert pass_process._with_llvm(same_llvm) == ["env", f"LD_PRELOAD={same_llvm / 'lib/libLLVM.so.22.1'}"]
    assert "ret void" in ir_after("count-loads,default<O2>", plugin, same_llvm)
