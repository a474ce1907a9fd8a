"""`fly-opt` where MLIR reads, runs and prints what is not Fly."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from flydsl.tools.fly_opt import main

VIEW = """func.func @f(%p: !fly.ptr<f32, global>, %i: i32) -> f32 {
  %l = fly.static : !fly.layout<(4,8):(1,4)>
  %t = fly.make_view(%p, %l)
       : (!fly.ptr<f32, global>, !fly.layout<(4,8):(1,4)>) -> !fly.memref<f32, global, (4,8):(1,4)>
  %c = fly.make_coord(%i) : (i32) -> !fly.int_tuple<(?,1)>
  %v = fly.memref.load(%t, %c) : (!fly.memref<f32, global, (4,8):(1,4)>, !fly.int_tuple<(?,1)>) -> f32
  return %v : f32
}
"""
LOOP = """#map = affine_map<(d0) -> (d0 + 1)>
func.func @f(%a: memref<?xf32>, %n: index, %v: vector<8xf32>) -> (f32, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %cst) -> f32 {
    %j = affine.apply #map(%i)
    %x = memref.load %a[%j] : memref<?xf32>
    %s = arith.addf %acc, %x fastmath<fast> : f32
    scf.yield %s : f32
  }
  %e = vector.extract_strided_slice %v {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  return %r, %e : f32, vector<4xf32>
}
llvm.func @g(%p: !llvm.ptr<1>) {
  %0 = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  llvm.return
}
gpu.module @m {
  gpu.func @k(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %o = arith.constant 1 : i32
    %y, %ok = gpu.shuffle xor %x, %o, %o : f32
    gpu.barrier
    gpu.return
  }
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "input.mlir"


def run(file: Path, text: str, *flags: str) -> int:
    file.write_text(text)
    return main([*flags, str(file)])


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--mlir-print-op-generic"],
        ["--mlir-print-debuginfo"],
        ["-canonicalize", "--cse"],
        ["--convert-scf-to-cf", "--lower-affine"],
        ["--canonicalize=max-iterations=3 region-simplify=disabled"],
        ["--pass-pipeline=builtin.module(func.func(lower-affine,convert-scf-to-cf),cse)"],
        ["--split-input-file"],
    ],
)
def test_upstream_dialects_are_printed_as_mlir_opt_does(
    flags: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{LOOP}// -----\nfunc.func private @other()\n" if "--split-input-file" in flags else LOOP
    assert run(file, text, *flags) == 0
    expected = subprocess.run(
        ["/usr/lib/llvm-22/bin/mlir-opt", *flags, str(file)], capture_output=True, text=True, check=True
    )
    assert capsys.readouterr().out == expected.stdout


def test_passes_run_in_the_order_of_their_flags(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, VIEW, "--fly-canonicalize", "--fly-layout-lowering", "--canonicalize") == 0
    shown = capsys.readouterr().out
    assert "fly.ptr.load" in shown
    assert "arith.addi %arg1, %c4_i32" in shown
    assert "make_view" not in shown


def test_upstream_passes_run_while_fly_operations_remain(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VIEW.replace("  return", "  %b = arith.constant true\n  scf.if %b { fly.print(%v) : (f32) -> () }\n  return")
    flags = ["--convert-scf-to-cf", "--fly-canonicalize", "--fly-layout-lowering"]
    assert run(file, text, *flags) == 0
    shown = capsys.readouterr().out
    assert "cf.cond_br" in shown
    assert "fly.ptr.load" in shown


def test_python_passes_let_operations_pass_that_only_mlir_knows(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, LOOP, "--fly-canonicalize") == 0
    assert "affine.apply #map(" in capsys.readouterr().out


def test_syntax_that_xdsl_lacks_is_read_beside_fly_operations(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extra = """  %o = arith.constant 1 : i32
  %y, %ok = gpu.shuffle xor %v, %o, %o : f32  // fly.static : comments and "fly.size(" strings stay
  %u = fly.static : !fly.layout<1:0>
  %a = fly.append<4>(%l, %u) : (!fly.layout<(4,8):(1,4)>, !fly.layout<1:0>) -> !fly.layout<(4,8,1,1):(1,4,0,0)>
  return"""
    assert run(file, VIEW.replace("  return", extra)) == 0
    shown = capsys.readouterr().out
    assert "gpu.shuffle" in shown
    assert "fly.append<4>(%0, %4) : " in shown


def test_unknown_dialects_pass_when_they_are_let_through(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VIEW.replace("  return", '  "own.op"(%v) {n = 3 : i32} : (f32) -> ()\n  return')
    assert run(file, text, "--allow-unregistered-dialect", "--fly-canonicalize") == 0
    assert '"own.op"(%5) {n = 3 : i32} : (f32) -> ()' in capsys.readouterr().out


@pytest.mark.parametrize(
    "text, flags, message",
    [
        ("func.func @f(%a: i32) { %x = arith.addi %a, %a : f32 return }", [], ":1:41: error: use of value '%a'"),
        (VIEW, ["--fly-layout-lowering", "--nonsense"], "'nonsense' does not refer to a registered pass"),
        ('%0 = "own.op"() : () -> i32', [], "unregistered dialect"),
    ],
)
def test_what_mlir_refuses_is_a_diagnostic_and_1(
    text: str, flags: list[str], message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(file, text, *flags) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""
