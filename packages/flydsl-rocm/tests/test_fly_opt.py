"""`fly-opt` with the types, operations and passes of this plugin, and without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.fly_opt import main

BUFFER = "!fly.copy_atom<!fly_rocdl.cdna3.buffer_copy<128>, 32>"
TEXT = f"""func.func @f(%atom: {BUFFER}, %offset: i32, %p: !fly.ptr<f32, #fly_rocdl.buffer_desc>) -> {BUFFER} {{
  %set = fly.atom.set_value(%atom, %offset) {{field = "soffset"}} : ({BUFFER}, i32) -> {BUFFER}
  %rsrc = fly_rocdl.get_buffer_rsrc(%p) : (!fly.ptr<f32, #fly_rocdl.buffer_desc>) -> !llvm.ptr<8>
  return %set : {BUFFER}
}}
func.func private @g(!fly.mma_atom<!fly_rocdl.cdna3.mfma<16x16x4, (f32, f32) -> f32>>)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "input.mlir"
    path.write_text(TEXT)
    return path


def test_target_types_and_operations_are_read_and_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file)]) == 0
    shown = capsys.readouterr().out
    assert f'fly.atom.set_value(%arg0, "soffset", %arg1) : ({BUFFER}, i32) -> {BUFFER}' in shown
    assert "fly_rocdl.get_buffer_rsrc(%arg2) : (!fly.ptr<f32, #fly_rocdl.buffer_desc>) -> !llvm.ptr<8>" in shown
    assert "!fly.mma_atom<!fly_rocdl.cdna3.mfma<16x16x4, (f32, f32) -> f32>>" in shown


def test_the_text_survives_the_generic_form(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file)]) == 0
    custom = capsys.readouterr().out
    assert main([str(file), "--mlir-print-op-generic"]) == 0
    file.write_text(capsys.readouterr().out)
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == custom


def test_without_the_plugin_its_types_are_unknown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with PluginSandbox():
        assert main([str(file)]) == 1
    assert "'fly_rocdl.cdna3.buffer_copy' is not registered" in capsys.readouterr().err


def test_the_passes_of_the_plugin_run_by_name(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(
        """gpu.module @kernels {
  gpu.func @k(%p: !fly.ptr<f32, global>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
    fly.ptr.store(%x, %p) : (f32, !fly.ptr<f32, global>) -> ()
    gpu.return
  }
}
"""
    )
    assert main([str(file), "--convert-fly-to-rocdl", "--canonicalize"]) == 0
    assert "llvm.load %arg0 {alignment = 4 : i64} : !llvm.ptr<1> -> f32" in capsys.readouterr().out


def test_a_host_function_hands_on_pointers_of_the_kernels_address_space(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tensor = "!fly.memref<f32, global, 4:1>"
    file.write_text(
        f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @k(%a: {tensor}) kernel {{
      gpu.return
    }}
  }}
  func.func @host(%a: {tensor}) {{
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : {tensor})
    return
  }}
}}"""
    )
    assert main([str(file), "--convert-fly-to-rocdl"]) == 0
    shown = capsys.readouterr().out
    assert "func.func @host(%arg0: !llvm.ptr<1>)" in shown
    assert "args(%arg0 : !llvm.ptr<1>)" in shown


def test_a_part_of_the_conversion_runs_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(
        """gpu.module @kernels {
  gpu.func @k(%a: i32, %b: i32) kernel {
    %q = arith.divsi %a, %b : i32
    %w = gpu.subgroup_id : index
    gpu.return
  }
}
"""
    )
    assert main([str(file), "--guard-divisions"]) == 0
    shown = capsys.readouterr().out
    assert "arith.select" in shown
    assert "gpu.subgroup_id" in shown
    assert main([str(file), "--pass-pipeline=builtin.module(rocdl-expand-index-operations)"]) == 0
    shown = capsys.readouterr().out
    assert "arith.select" not in shown
    assert "gpu.subgroup_id" not in shown
