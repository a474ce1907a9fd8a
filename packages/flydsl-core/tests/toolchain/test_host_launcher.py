"""Launchers before code generation: slots, the module's text, and what is refused; flydsl-mlir runs them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.func import FuncOp

from flydsl.base.errors import CompileError, ToolchainError
from flydsl.ir.parse import parse_module
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.toolchain.host_launcher import HostLauncher, begin_launcher, host_launcher

VIEW = "!llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>"
LAUNCH = "  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)"


def host(arguments: str, body: str) -> FuncOp:
    """The host function of those arguments and that body, with the constants %c1 and %c64 at hand."""
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (1, 64))
    module = parse_module(f"func.func @host({arguments}) {{\n{constants}{body}\n  func.return\n}}")
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    return function


def launcher(arguments: str, body: str, kernels: Sequence[str] = ("k",)) -> HostLauncher:
    return host_launcher(host(arguments, body), kernels)


def test_each_argument_has_a_slot_of_its_kind() -> None:
    arguments = f"%p: !llvm.ptr, %v: {VIEW}, %n: i32, %f: f16, %s: !gpu.async.token, %q: !fly.ptr<f32, global>"
    slots = launcher(arguments, LAUNCH).slots
    assert [slot.kind for slot in slots] == ["pointer", "struct", "scalar", "scalar", "stream", "pointer"]
    assert [slot.format for slot in slots] == ["Q", "iq", "i", "e", "Q", "Q"]
    assert [slot.offset for slot in slots] == [0, 8, 24, 32, 40, 48]


def test_launches_become_calls_of_their_functions() -> None:
    text = launcher("%n: i32", f"{LAUNCH} args(%n : i32)\n{LAUNCH} args(%n : i32)").text
    assert "gpu.launch_func" not in text
    assert text.count("func.func private @fly_host_launch_") == text.count("callee = @fly_host_launch_") == 2
    for entry in ("@fly_load", "@fly_launch(", "@fly_launch_packed", "@fly_host"):
        assert entry in text


def test_names_of_kernels_stand_in_order_with_the_kernels_number() -> None:
    body = LAUNCH.replace("@k", "@b")
    text = launcher("", body, ("a", "b")).text
    assert text.index('@fly_name_0("a\\00")') < text.index('@fly_name_1("b\\00")')
    assert "%kernel = arith.constant 1 : i32" in text


def test_narrow_floats_travel_as_their_bits() -> None:
    text = launcher("%h: bf16", f"  %x = arith.extf %h : bf16 to f32\n{LAUNCH} args(%h : bf16)").text
    assert '"arith.bitcast"(%' in text
    assert "(i16) -> bf16" in text
    assert "bf16)" not in text.split("func.func private @fly_host_launch_0")[1].split("{")[0]


def test_divisions_of_host_code_do_not_trap() -> None:
    text = launcher("%n: i32, %d: i32", f"  %q = arith.divsi %n, %d : i32\n{LAUNCH} args(%q : i32)").text
    assert text.count('"arith.select"') == 2


def test_a_function_without_kernels_loads_nothing() -> None:
    text = launcher("%n: i32", "", ()).text
    assert "@fly_names" not in text
    assert "llvm.store %null, %module" in text


def test_the_function_is_left_unchanged() -> None:
    function = host("%n: i32", f"{LAUNCH} args(%n : i32)")
    before = str(function)
    host_launcher(function, ["k"])
    assert str(function) == before


@pytest.mark.parametrize(
    ("arguments", "body", "message"),
    [
        ("", LAUNCH.replace("@k", "@other"), r"kernel 'other' is launched but is not .* which has \['k'\]"),
        ("%n: i32, %t: tensor<4xf32>", LAUNCH, r"argument 1 of 'host': .*tensor<4xf32>"),
        ("%t: !gpu.async.token", '  "gpu.wait"(%t) : (!gpu.async.token) -> ()', r"'gpu\.wait' cannot run on the host"),
    ],
)
def test_what_a_host_function_cannot_hold(arguments: str, body: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        launcher(arguments, body)


def test_code_is_made_by_the_toolchain_while_the_device_code_is() -> None:
    toolchain = FakeToolchain()
    pending = begin_launcher(host("", LAUNCH), ["k"], toolchain)
    image = pending.finish(b"code")
    assert toolchain.asked("emit_host_object")[0].options["pipeline"] == launcher("", LAUNCH).pipeline
    (linked,) = toolchain.asked("link")
    assert len(linked.input) == 2
    assert b"code" in image
    assert pending.finish(b"other") != image


def test_the_pass_for_vectors_is_run_for_those_that_compute_with_them() -> None:
    taken = '  %x = "vector.extract"(%v) <{static_position = array<i64: 0>}> : (vector<2xi32>) -> i32\n'
    plain, vectors = launcher("", LAUNCH), launcher("%v: vector<2xi32>", taken + LAUNCH)
    assert "convert-vector-to-llvm" not in plain.pipeline
    assert "convert-vector-to-llvm,convert-math-to-llvm" in vectors.pipeline


def test_a_failure_in_the_launchers_thread_is_raised_when_it_is_finished() -> None:
    pending = begin_launcher(host("", LAUNCH), ["k"], FakeToolchain(failing="emit_host_object"))
    with pytest.raises(ToolchainError, match="emit_host_object fails"):
        pending.finish(b"code")
