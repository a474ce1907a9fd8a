"""Custom passes in this process: what they do, where they go, what is refused, and many at once."""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.llvm_plugins import passes as build_passes
from support.llvm_plugins import passes_with_sled

import flydsl_mlir
from flydsl_mlir import CodegenPoint, MachinePass, MlirError, PassError

AMDGPU: Any = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}
X86: Any = {"triple": "x86_64-pc-linux-gnu"}
KERNEL = b"""
define amdgpu_kernel void @f(ptr addrspace(1) %p, float %x) {
entry:
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %g
  %w = fadd float %v, %x
  store float %w, ptr addrspace(1) %g
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
PLAIN = b"define i32 @f(i32 %a) {\n  %b = add i32 %a, 0\n  ret i32 %b\n}\n"
POINTS = ("post-isel", "pre-ra", "post-ra", "pre-sched2", "pre-emit", "pre-emit2")


@pytest.fixture(scope="session")
def plugin() -> Path:
    return build_passes()


def ir_after(pipeline: str, plugins: list[Path], ir: bytes = KERNEL, **target: Any) -> str:
    return flydsl_mlir.llvm_text(flydsl_mlir.run_ir_passes(ir, pipeline, plugins=plugins, **(target or AMDGPU)))


def code(requests: list[MachinePass], plugins: list[Path], **options: Any) -> str:
    chosen = {**AMDGPU, "assembly": True, **options}
    return flydsl_mlir.codegen_with_passes(KERNEL, requests, plugins=plugins, **chosen).decode()


def sled(point: str, where: str = "", instance: int = 0) -> list[MachinePass]:
    return [MachinePass("nop-sled", point, where, instance)]


def test_a_pipeline_is_what_opt_takes_and_passes_of_plugins_are_in_it(plugin: Path) -> None:
    assert '"loads"="1"' in ir_after("function(count-loads)", [plugin])
    assert '"loads"="1"' in ir_after("count-loads,instcombine", [plugin])
    assert "%b" not in ir_after("instcombine", [], PLAIN, **X86)


def test_passes_of_different_levels_may_stand_side_by_side(plugin: Path) -> None:
    text = ir_after("count-loads,default<O2>,count-functions", [plugin])
    assert '"loads"="1"' in text
    assert '"functions"="1"' in text


def test_a_plugin_that_was_not_asked_for_is_not_used(plugin: Path) -> None:
    ir_after("count-loads", [plugin])
    with pytest.raises(PassError, match="unknown pass name 'count-loads'"):
        ir_after("count-loads", [])
    code(sled("pre-emit2"), [plugin])
    with pytest.raises(PassError, match="no machine pass 'nop-sled': the plugins have none"):
        code(sled("pre-emit2"), [])


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("instcombin", r"unknown pass name 'instcombin'; did you mean 'instcombine'\?"),
        ("function(gvn,licn)", r"unknown function pass 'licn'; did you mean"),
        ("loop(licm", r"invalid pipeline 'loop\(licm'"),
        ("", "unknown pass name ''"),
        ("break-ir", "pass 'break-ir' made LLVM IR that is not valid: .*terminator"),
        ("crash-on-ir", "LLVM pass 'crash-on-ir' crashed: signal 11"),
        ("refuse-ir", "LLVM pass 'refuse-ir' failed: .*nothing to do in 'f'"),
    ],
)
def test_a_bad_pipeline_or_pass_is_an_error_that_names_it(plugin: Path, pipeline: str, message: str) -> None:
    with pytest.raises(PassError, match=f"(?s){message}"):
        ir_after(pipeline, [plugin])
    assert '"loads"="1"' in ir_after("count-loads", [plugin])


def test_input_that_is_bad_itself_is_not_blamed_on_passes() -> None:
    with pytest.raises(MlirError, match="not LLVM IR") as caught:
        flydsl_mlir.run_ir_passes(b"nonsense", "instcombine", **X86)
    assert not isinstance(caught.value, PassError)


def test_no_request_is_the_code_of_codegen_bit_for_bit() -> None:
    assert flydsl_mlir.codegen_with_passes(KERNEL, [], **AMDGPU) == flydsl_mlir.codegen(KERNEL, **AMDGPU)


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("opt_level", [0, 2])
def test_a_machine_pass_goes_to_each_alias(plugin: Path, chip: str, opt_level: int) -> None:
    for point in POINTS:
        assert code(sled(point), [plugin], chip=chip, opt_level=opt_level).count("s_nop 5") == 3, point


def test_aliases_are_in_the_order_of_the_pipeline() -> None:
    points = flydsl_mlir.codegen_points(**AMDGPU)
    assert [alias for point in points for alias in point.aliases] == list(POINTS)
    named = {alias: point.name for point in points for alias in point.aliases}
    assert named["pre-sched2"] == "postmisched"
    assert (points[-2].title, points[-2].aliases) == ("AMDGPU Assembly Printer", ("pre-emit2",))


def test_x86_has_all_aliases_too() -> None:
    points = flydsl_mlir.codegen_points(**X86)
    assert [alias for point in points for alias in point.aliases] == list(POINTS)
    out = flydsl_mlir.codegen_with_passes(PLAIN, [MachinePass("any-nop", "pre-emit")], plugins=[build_passes()], **X86)
    assert out != flydsl_mlir.codegen(PLAIN, **X86)


def machine_points() -> list[CodegenPoint]:
    points = flydsl_mlir.codegen_points(**AMDGPU)
    return [point for point in points if point.is_machine_pass and point.name and not point.is_analysis]


def test_each_named_point_of_machine_code_takes_a_pass_or_says_why_not(plugin: Path) -> None:
    refused: dict[str, str] = {}
    for point in machine_points():
        for where in ("before", "after"):
            try:
                count = code(sled(point.name, where, point.instance), [plugin]).count("s_nop 5")
            except PassError as error:
                refused[f"{where}:{point.name}"] = str(error)
            else:
                assert count == 3
    assert "works on machine code" in refused.pop("before:amdgpu-isel")
    assert {"after:greedy", "before:virtregrewriter"} < refused.keys()
    assert all("registers are being allocated there" in reason for reason in refused.values())
    assert not {"before:machine-scheduler", "after:si-insert-waitcnts", "after:postmisched"} & refused.keys()


def test_the_order_of_points_is_that_of_the_code(plugin: Path) -> None:
    """Before the waits for memory are inserted there are none."""
    seen: dict[str, str] = {}
    for where in ("before", "after"):
        code(
            sled("si-insert-waitcnts", where),
            [plugin],
            dump=lambda stage, text, w=where: seen.update({w + stage: text}),
        )
    assert "S_WAITCNT" not in seen["beforenop-sled_before"]
    assert "S_WAITCNT" in seen["afternop-sled_before"]
    assert seen["afternop-sled_before"].count("S_NOP 5") == 0
    assert seen["afternop-sled_after"].count("S_NOP 5") == 3


def test_passes_are_inserted_in_the_order_of_the_requests_and_instances_are_apart(plugin: Path) -> None:
    stages: list[str] = []
    first, second = (MachinePass("nop-sled", "machine-cp", "after", n) for n in (2, 1))
    text = code([first, second, *sled("pre-emit")], [plugin], dump=lambda stage, _: stages.append(stage))
    assert text.count("s_nop 5") == 9
    assert stages == ["nop-sled_before", "nop-sled_after"] * 3


def test_passes_of_llvm_can_be_run_again(plugin: Path) -> None:
    assert "s_endpgm" in code([MachinePass("machine-cse", "pre-ra")], [])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (("nop-slad", "pre-ra"), "no machine pass 'nop-slad': the plugins have any-nop, .*did you mean 'nop-sled'"),
        (("machinedomtree", "pre-ra"), "'machinedomtree' is registered as an analysis"),
        (("nop-sled", "pre-emti"), "has no pass 'pre-emti'; did you mean 'pre-emit'"),
        (("nop-sled", "si-insert-waitcnt", "after"), "has no pass .*; did you mean 'si-insert-waitcnts'"),
        (("nop-sled", "machine-loops", "after"), "'machine-loops' is an analysis, .*: name a pass"),
        (("nop-sled", "machinedomtree", "after"), "'machinedomtree' is an analysis, .*: name a pass"),
        (("nop-sled", "x86-avoid-SFB", "after"), "'x86-avoid-SFB' (does not run for|'?.*has no pass)|has no pass"),
        (
            ("nop-sled", "machine-cp", "after"),
            "'machine-cp' runs 2 times for gfx942; say which one, such as machine-cp#1",
        ),
        (("nop-sled", "machine-cp", "after", 3), "'machine-cp' does not run 3 times for gfx942"),
        (("nop-sled", "post-ra", "after"), "'post-ra' is a point of its own: write nop-sled@post-ra"),
        (("nop-sled", "postmisched"), "a pass goes before:postmisched or after:postmisched"),
        (("nop-sled", "codegenprepare", "after"), "works on machine code, which is made by 'amdgpu-isel'"),
        (("sink", "post-ra"), "'sink' works on LLVM IR, which 'amdgpu-isel' has turned into machine code"),
        (("nop-sled", "virtregrewriter", "before", 1), "registers are being allocated there"),
        (("crash-on-code", "pre-ra"), "machine pass 'crash-on-code' crashed: signal 11"),
        (("unknown-opcode", "pre-ra"), "machine pass 'unknown-opcode' failed: .*has no instruction 'S_NIP'"),
    ],
)
def test_what_cannot_be_inserted_is_refused_with_the_reason(
    plugin: Path, request_: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(PassError, match=f"(?s){message}"):
        code([MachinePass(*request_)], [plugin])


def test_code_that_is_not_valid_after_a_pass_is_an_error_that_names_it(plugin: Path) -> None:
    with pytest.raises(
        PassError, match="pass 'cut-code' made code of function 'f' that is not valid: .*Bad machine code"
    ):
        code([MachinePass("cut-code", "pre-emit")], [plugin])


def test_each_content_of_a_file_is_another_plugin(tmp_path: Path) -> None:
    counts = []
    for length in (2, 7, 2):
        shutil.copyfile(passes_with_sled(length, tmp_path), tmp_path / "same.so")
        counts.append(code(sled("pre-emit2"), [tmp_path / "same.so"]).count("s_nop 5"))
    assert counts == [2, 7, 2]


def test_threads_with_different_plugins_points_and_pipelines_do_not_meet(tmp_path: Path) -> None:
    plugins = [passes_with_sled(length, tmp_path) for length in range(1, 9)]

    def compile_once(number: int) -> tuple[int, bool]:
        plugin, where = plugins[number % 8], POINTS[number % len(POINTS)]
        counted = number % 3 == 0
        ir = flydsl_mlir.run_ir_passes(KERNEL, "count-loads" if counted else "instcombine", plugins=[plugin], **AMDGPU)
        out = flydsl_mlir.codegen_with_passes(ir, sled(where), plugins=[plugin], assembly=True, **AMDGPU).decode()
        return out.count("s_nop 5"), '"loads"' in flydsl_mlir.llvm_text(ir)

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(compile_once, range(48)))
    assert results == [(number % 8 + 1, number % 3 == 0) for number in range(48)]
    assert flydsl_mlir.codegen_with_passes(KERNEL, [], **AMDGPU) == flydsl_mlir.codegen(KERNEL, **AMDGPU)


def test_passes_of_a_plugin_are_listed(plugin: Path) -> None:
    names = flydsl_mlir.plugin_passes(plugin)
    assert names[0] == ""
    assert {"nop-sled", "any-nop", "swap-neighbours"} < set(names)


def test_a_native_module_of_before_is_said_to_be_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    from flydsl_mlir import _native

    monkeypatch.delattr(_native, "codegen_with_passes")
    with pytest.raises(PassError, match=r"built before there were custom passes: reinstall flydsl-mlir"):
        flydsl_mlir.codegen_points(**AMDGPU)


def test_temporary_files_do_not_stay(plugin: Path, tmp_path: Path) -> None:
    copy = passes_with_sled(11, tmp_path)
    before = {name for name in os.listdir("/tmp") if re.match("flydsl-plugin-", name)}
    code(sled("pre-emit2"), [copy])
    assert {name for name in os.listdir("/tmp") if re.match("flydsl-plugin-", name)} <= before
