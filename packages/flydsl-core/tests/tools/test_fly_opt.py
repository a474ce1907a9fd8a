"""`fly-opt`: options, streams, plugins, diagnostics."""

from __future__ import annotations

import io
import re
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "input.mlir"


def run(file: Path, text: str, *flags: str) -> int:
    file.write_text(text)
    return main([*flags, str(file)])


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
        (VIEW.replace("(?,1)>) -> f32", "(?,2)>) -> f32"), [], ":6:28: error: operand is used with type"),
        (VIEW, ["--fly-canonicalize=depth=3"], "does not take the options {'depth': '3'}"),
        (VIEW, ["--pass-pipeline=builtin.module(func.func(fly-canonicalize))"], "runs on builtin.module, not on"),
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
        (["a", "b"], "one argument too many"),
        (["/does/not/exist.mlir"], "cannot read '/does/not/exist.mlir'"),
        (["\0"], "cannot read '\\x00'"),
        (["/dev/null", "-o", "/does/not/exist/file"], "cannot write '/does/not/exist/file'"),
        (["--pass-pipeline=builtin.module(" + "a(" * 2000], "at most 64 levels are allowed"),
    ],
)
def test_a_wrong_command_line_is_a_message_and_1(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags) == 1
    assert message in capsys.readouterr().err


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
