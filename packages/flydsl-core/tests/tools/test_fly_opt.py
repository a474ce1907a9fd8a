"""`fly-opt`: options, streams, plugins, diagnostics."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainMissingError
from flydsl.plugins.manifests import CompileBackendManifest
from flydsl.testing.sandbox import PluginSandbox
from flydsl.toolchain.native import NativeToolchain
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


def test_a_round_trip_through_generic_text_changes_nothing(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(file, VIEW)
    custom = capsys.readouterr().out
    run(file, VIEW, "--mlir-print-op-generic")
    generic = capsys.readouterr().out
    assert '"fly.make_view"(' in generic
    monkeypatch.setattr(sys, "stdin", io.StringIO(generic))
    assert main([]) == 0
    assert capsys.readouterr().out == custom


def test_output_goes_to_a_file(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, VIEW, "-o", str(tmp_path / "out.mlir")) == 0
    assert "fly.make_view" in (tmp_path / "out.mlir").read_text()
    assert capsys.readouterr().out == ""


def test_help_lists_each_pass_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"--fly-layout-lowering +Lower tensors and layouts to pointers and integers\.\n", shown)


@pytest.mark.parametrize(
    "text, flags, message",
    [
        ("func.func @f(%a: i32) { %x = arith.addi %a, %a : f32 return }", [], ":1:41: error: use of value '%a'"),
        (VIEW.replace("(?,1)>) -> f32", "(?,2)>) -> f32"), [], ":6:28: error: operand is used with type"),
        (VIEW, ["--fly-layout-lowering", "--nonsense"], "'nonsense' does not refer to a registered pass"),
        (VIEW, ["--fly-canonicalize=depth=3"], "does not take the options {'depth': '3'}"),
        (VIEW, ["--pass-pipeline=builtin.module(func.func(fly-canonicalize))"], "runs on builtin.module, not on"),
        ('%0 = "own.op"() : () -> i32', [], "unregistered dialect"),
        (VIEW + '"own.op"() : () -> ()', [], "own.op is not registered"),
    ],
)
def test_what_is_wrong_is_a_diagnostic_and_1(
    text: str, flags: list[str], message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(file, text, *flags) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--pass-pipeline=builtin.module((", "-"], "expected a pass name at column 16"),
        (["--pass-pipeline=cse", "--cse", "-"], "exclude each other"),
        (["a", "b"], "one word too many"),
        (["/does/not/exist.mlir"], "cannot read '/does/not/exist.mlir'"),
    ],
)
def test_a_wrong_command_line_is_a_message_and_1(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags) == 1
    assert message in capsys.readouterr().err


def test_unknown_dialects_pass_when_they_are_let_through(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VIEW.replace("  return", '  "own.op"(%v) {n = 3 : i32} : (f32) -> ()\n  return')
    assert run(file, text, "--allow-unregistered-dialect", "--fly-canonicalize") == 0
    assert '"own.op"(%3) {n = 3 : i32} : (f32) -> ()' in capsys.readouterr().out


def test_a_target_dialect_parses_when_its_plugin_is_installed(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "ir"))
    types = "!fly.copy_atom<!fly_test.v1.pair_copy<64, cache = 2>, 32>, !fly.ptr<f32, #fly_test.buffer_desc>"
    text = f"func.func private @f({types})"
    with PluginSandbox() as plugins:
        assert run(file, text) == 1
        assert ":1:59: error: 'fly_test.v1.pair_copy' is not registered" in capsys.readouterr().err
        manifest = CompileBackendManifest(
            name="test",
            factory="nowhere:Backend",
            distribution="flydsl-test",
            version="1",
            runtime_kind="test",
            dialects=("fly_target:TARGET",),
            passes={"test-pass": "flydsl.passes.canonicalize:Canonicalize"},
        )
        plugins.register(manifest)
        assert run(file, text, "--test-pass") == 0
        assert text in capsys.readouterr().out


def test_a_broken_plugin_is_named_and_left_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with PluginSandbox() as plugins:
        broken = {"dialects": ("nowhere:DIALECT",), "passes": {"broken-pass": "nowhere:Pass"}}
        plugins.register(
            CompileBackendManifest(
                name="broken", factory="nowhere:B", distribution="d", version="1", runtime_kind="broken", **broken
            )
        )
        assert run(file, VIEW) == 0
        assert "dialect 'nowhere:DIALECT' of backend 'broken' is left out" in capsys.readouterr().err
        assert main(["--help"]) == 0
        assert "--broken-pass" in capsys.readouterr().out


def test_without_the_native_toolchain_fly_ir_is_still_printed(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(self: NativeToolchain, *args: object, **options: object) -> str:
        raise ToolchainMissingError("the native toolchain is not installed; pip install flydsl-mlir")

    monkeypatch.setattr(NativeToolchain, "run_pipeline", missing)
    assert run(file, VIEW, "--fly-canonicalize") == 0
    assert "fly.memref.load(%t, %c)" in capsys.readouterr().out
    assert run(file, VIEW, "--convert-scf-to-cf") == 1
    assert "pip install flydsl-mlir" in capsys.readouterr().err


EXPECTATIONS = """// expected-error@+2 {{result is declared}}
func.func @f(%l: !fly.layout<4:1>) {
  %n = fly.size(%l) : (!fly.layout<4:1>) -> !fly.int_tuple<5>
  return
}
"""


@pytest.mark.parametrize(
    "comment, place",
    [
        ("// expected-error@+2 {{gives !fly.int_tuple<4>}}", "before"),
        ("// expected-error@below {{gives !fly.int_tuple<4>}}", "line before"),
        ("// expected-error-re@below {{gives !fly.int_tuple<{{[0-9]}}>, but}}", "line before"),
        ("// expected-error@above {{gives}}", "line after"),
        ("// expected-error@-1 {{gives}}", "line after"),
        ("// expected-error {{gives}}", "same line"),
    ],
)
def test_expected_diagnostics_are_found(
    comment: str, place: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, wrong, tail = "func.func @f(%l: !fly.layout<4:1>) {", EXPECTATIONS.split("\n")[2], "  return\n}"
    lines = {
        "before": [comment, head, wrong, tail],
        "line before": [head, comment, wrong, tail],
        "line after": [head, wrong, comment, tail],
        "same line": [head, f"{wrong} {comment}", tail],
    }[place]
    assert run(file, "\n".join(lines), "--verify-diagnostics") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "comment, messages",
    [
        ("// expected-error@+2 {{something else}}", ["unexpected error: fly.size gives", '"something else" was not']),
        ("// expected-warning@+2 {{gives}}", ["unexpected error", 'expected warning "gives" was not produced']),
        ("// expected-error@+1 {{gives}}", ["unexpected error", 'expected error "gives" was not produced']),
        ("", [":3:8: error: unexpected error"]),
    ],
)
def test_differences_from_what_is_expected_are_told(
    comment: str, messages: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = EXPECTATIONS.replace("// expected-error@+2 {{result is declared}}", comment)
    assert run(file, text, "--verify-diagnostics") == 1
    shown = capsys.readouterr().err
    assert all(message in shown for message in messages)


def test_parts_of_a_file_keep_their_line_numbers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, f"{VIEW}// -----\n{EXPECTATIONS}", "--split-input-file") == 1
    shown = capsys.readouterr()
    assert f"{file}:{VIEW.count(chr(10)) + 4}:8: error: " in shown.err
    assert "fly.make_view" in shown.out
