"""Pass pipelines on MLIR text."""

from __future__ import annotations

import threading

import pytest

import flydsl_mlir
from flydsl_mlir import MlirError

REPEATED = """
func.func @f(%a: i32) -> i32 {
  %x = arith.addi %a, %a : i32
  %y = arith.addi %a, %a : i32
  %z = arith.muli %x, %y : i32
  return %z : i32
}
"""

UNTARGETED = 'module attributes {gpu.container_module} { gpu.module @kernels {} loc("kernel.py":3:1) }'


def test_pass_rewrites_the_module() -> None:
    assert flydsl_mlir.run_pipeline(REPEATED, "builtin.module(cse)").count("arith.addi") == 1


@pytest.mark.parametrize(
    "pipeline", ["cse", " builtin.module(cse) ", "func.func(cse)", "builtin.module(func.func(cse))"]
)
def test_pipeline_may_leave_out_its_anchor(pipeline: str) -> None:
    assert flydsl_mlir.run_pipeline(REPEATED, pipeline).count("arith.addi") == 1


@pytest.mark.parametrize("pipeline", ["", "builtin.module()"])
def test_empty_pipeline_changes_nothing(pipeline: str) -> None:
    text = flydsl_mlir.run_pipeline(REPEATED, pipeline)
    assert flydsl_mlir.run_pipeline(text, pipeline) == text


def test_output_is_generic_unless_asked_otherwise() -> None:
    assert '"func.func"()' in flydsl_mlir.run_pipeline(REPEATED, "")
    assert "func.func @f(%arg0: i32)" in flydsl_mlir.run_pipeline(REPEATED, "", generic=False)


def test_locations_are_kept_when_asked_for() -> None:
    text = 'func.func private @f() loc("kernel.py":7:3)'
    assert 'loc("kernel.py":7:3)' in flydsl_mlir.run_pipeline(text, "", locations=True)
    assert "loc(" not in flydsl_mlir.run_pipeline(text, "")


def test_dump_sees_the_module_after_each_pass() -> None:
    stages: list[tuple[str, int]] = []
    flydsl_mlir.run_pipeline(
        REPEATED,
        "func.func(canonicalize,cse),symbol-dce",
        dump=lambda name, text: stages.append((name, text.count("arith.addi"))),
    )
    assert stages == [("canonicalize", 2), ("cse", 1), ("symbol-dce", 1)]


def test_dump_sees_the_passes_before_a_failure() -> None:
    stages: list[str] = []
    with pytest.raises(MlirError):
        flydsl_mlir.run_pipeline(
            UNTARGETED, "cse,symbol-dce,gpu-module-to-binary,canonicalize", dump=lambda name, _: stages.append(name)
        )
    assert stages == ["cse", "symbol-dce"]


def test_exception_in_dump_reaches_the_caller() -> None:
    def dump(name: str, text: str) -> None:
        raise KeyError(name)

    with pytest.raises(KeyError, match="cse"):
        flydsl_mlir.run_pipeline(REPEATED, "cse", dump=dump)


def test_parse_error_points_at_the_line() -> None:
    with pytest.raises(MlirError, match="does not parse") as caught:
        flydsl_mlir.run_pipeline("module {\n  func.func @f() { return 3 }\n}", "cse")
    (first, *_) = caught.value.diagnostics
    assert (first.severity, first.file, first.line) == ("error", "module.mlir", 2)
    assert "func.func @f() { return 3 }" in first.message


def test_verification_error_shows_the_users_location() -> None:
    text = """
    "func.func"() <{function_type = (i32) -> i64, sym_name = "f"}> ({
    ^bb0(%a: i32):
      "func.return"(%a) : (i32) -> () loc("kernel.py":12:5)
    }) : () -> ()
    """
    with pytest.raises(MlirError, match="does not verify") as caught:
        flydsl_mlir.run_pipeline(text, "cse")
    assert ("kernel.py", 12, 5) in [(d.file, d.line, d.column) for d in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("nope", "'nope' does not refer to a registered pass"),
        ("builtin.module(cse", "not valid"),
        ("cse)", "not valid"),
        ("canonicalize{no-such-option=1}", "no-such-option"),
        ("canonicalize{max-iterations=many}", "many"),
        ("builtin.module(gpu.module(func.func))", "not valid"),
        ("\0", "not valid"),
    ],
)
def test_bad_pipeline_is_an_error(pipeline: str, message: str) -> None:
    with pytest.raises(MlirError, match=r"pipeline is not valid|a pass failed") as caught:
        flydsl_mlir.run_pipeline(REPEATED, pipeline)
    assert message in str(caught.value)


def test_failing_pass_says_why_and_where() -> None:
    with pytest.raises(MlirError, match="a pass failed") as caught:
        flydsl_mlir.run_pipeline(UNTARGETED, "gpu-module-to-binary")
    (first, *_) = caught.value.diagnostics
    assert (first.file, first.line) == ("kernel.py", 3)
    assert "no target attributes" in first.message


def test_threads_compile_apart() -> None:
    texts = [REPEATED.replace("@f", f"@f{i}") for i in range(16)]
    found: dict[int, str] = {}

    def work(i: int) -> None:
        found[i] = flydsl_mlir.run_pipeline(texts[i], "cse")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f'"f{i}"' in found[i] and found[i].count("arith.addi") == 1 for i in range(len(texts)))


def test_operations_of_unknown_dialects_pass_when_they_are_let_through() -> None:
    text = '%0 = "own.make"() {n = 4 : i32} : () -> !own.thing<(?,?):(1E0,2)>'
    with pytest.raises(MlirError, match="unregistered dialect"):
        flydsl_mlir.run_pipeline(text, "canonicalize")
    assert text in flydsl_mlir.run_pipeline(text, "canonicalize", generic=False, allow_unregistered=True)
