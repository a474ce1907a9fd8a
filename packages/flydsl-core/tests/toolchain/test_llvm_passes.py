"""What backends hand LLVM IR to: which steps a request comes to, and how requests are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.toolchain.llvm_passes import NO_PASSES, LlvmPasses, insertion_points, llvm_passes, parse_machine_passes
from flydsl.toolchain.protocol import CodegenPoint, CodegenTarget, MachinePass

TARGET = CodegenTarget("triple", "chip", "", 3)
PLUGIN, OTHER = Path("a.so"), Path("b.so")


def steps(passes: LlvmPasses, *, optimize: bool = False) -> list[tuple[str, object]]:
    toolchain = FakeToolchain()
    assert passes.machine_code(b"ir", TARGET, toolchain, optimize=optimize)
    return [(request.method, request.options.get("optimize")) for request in toolchain.requests]


def test_without_passes_the_toolchain_is_asked_for_code_alone() -> None:
    assert not NO_PASSES
    assert steps(NO_PASSES) == [("codegen", False)]
    assert steps(NO_PASSES, optimize=True) == [("codegen", True)]


def test_a_pipeline_takes_the_place_of_the_middle_end() -> None:
    assert steps(LlvmPasses("p"), optimize=True) == [("run_llvm_passes", None), ("codegen", False)]


def test_machine_passes_come_after_the_pipeline_or_the_middle_end() -> None:
    machine = parse_machine_passes("x@pre-ra")
    assert steps(LlvmPasses(machine=machine), optimize=True) == [("codegen_with_passes", True)]
    both = steps(LlvmPasses("p", machine=machine), optimize=True)
    assert both == [("run_llvm_passes", None), ("codegen_with_passes", False)]


def test_requests_name_their_plugins_and_what_is_compiled() -> None:
    toolchain = FakeToolchain()
    passes = LlvmPasses("p", (PLUGIN,), parse_machine_passes("x@pre-ra"), (OTHER,))
    passes.machine_code(b"ir", TARGET, toolchain)
    first, second = toolchain.requests
    assert (first.input, first.options["pipeline"], first.options["plugins"]) == (b"ir", "p", (PLUGIN,))
    assert second.input != b"ir"
    assert second.options["passes"] == (MachinePass("x", "pre-ra"),)


def test_options_of_llvm_go_to_every_step() -> None:
    passes = LlvmPasses("p", options=("--some-option=1",))
    assert passes
    assert steps(passes, optimize=True) == [("run_llvm_passes", None), ("codegen_with_passes", False)]
    other = LlvmPasses("p", options=("--some-option=2",))
    made = [one.machine_code(b"ir", TARGET, FakeToolchain()) for one in (passes, other)]
    assert made[0] != made[1]


def test_code_is_dumped_around_the_pipeline_and_each_machine_pass() -> None:
    dumped: list[tuple[str, str]] = []
    passes = LlvmPasses("p", machine=parse_machine_passes("x@pre-ra"), dump=lambda *stage: dumped.append(stage[:2]))
    passes.machine_code(b"ir", TARGET, FakeToolchain())
    assert dumped == [("llvm_before_passes", "ll"), ("llvm_after_passes", "ll"), ("x", "mir")]


def test_options_without_passes_have_none() -> None:
    assert llvm_passes(None) is llvm_passes({"opt_level": 2}) is NO_PASSES
    passes = LlvmPasses("p")
    assert llvm_passes({"llvm_passes": passes}) is passes


def test_requests_are_read_as_they_are_documented() -> None:
    assert parse_machine_passes("") == ()
    text = "snop-insert@after:si-insert-waitcnts, my-sched@before:machine-cp#2,trace@pre-emit,"
    assert parse_machine_passes(text) == (
        MachinePass("snop-insert", "si-insert-waitcnts", "after"),
        MachinePass("my-sched", "machine-cp", "before", 2),
        MachinePass("trace", "pre-emit"),
    )


@pytest.mark.parametrize(
    "text", ["a", "a@", "@pre-emit", "a@during:b", "a@before:", "a@b#0", "a@b#x", "a b@c", "a@b@c"]
)
def test_what_is_no_request_is_shown_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(ArgumentError, match="a machine pass is NAME@before:PASS, .* found '") as caught:
        parse_machine_passes(f"good@pre-emit, {text}")
    assert repr(text) in str(caught.value)


def test_analyses_and_passes_without_a_name_are_no_points() -> None:
    named = CodegenPoint("isel", 1, "Selection", True, False)
    emitter = CodegenPoint("", 0, "Printer", True, False, ("pre-emit2",))
    analysis = CodegenPoint("loops", 1, "Loops", True, True)
    nameless = CodegenPoint("", 0, "Something", False, False)
    assert insertion_points([nameless, named, analysis, emitter]) == [named, emitter]
