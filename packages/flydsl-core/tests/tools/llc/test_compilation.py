"""Runs of `fly-llc` by the fake toolchain: the target, and what MLIR and LLVM are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import FakeBackend
from flydsl.toolchain.protocol import CodegenTarget, MachinePass
from flydsl.tools.llc.command_line import read_options
from flydsl.tools.llc.compilation import Compilation

IR = b'target triple = "fake-triple"\ndefine void @f() { ret void }\n'
PLAIN = IR.partition(b"\n")[2]


@pytest.fixture
def toolchain() -> FakeToolchain:
    return FakeToolchain()


def compilation(toolchain: FakeToolchain, line: str, source: bytes = IR) -> Compilation:
    return Compilation(read_options(line.split()), toolchain, source)


def test_the_triple_is_that_of_the_command_line_else_of_the_ir(toolchain: FakeToolchain) -> None:
    assert compilation(toolchain, "--mcpu c --mattr +x -O1").target == CodegenTarget("fake-triple", "c", "+x", 1)
    assert compilation(toolchain, "--mtriple other").target == CodegenTarget("other")
    assert compilation(toolchain, "", PLAIN).target == CodegenTarget("")


@pytest.mark.usefixtures("fake_device")
def test_the_backend_that_knows_the_chip_says_the_rest(
    toolchain: FakeToolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def target(self: FakeBackend, *, arch: str, options: Any = None) -> CodegenTarget:
        return CodegenTarget("backends-triple", f"{arch}-chip", "+y")

    monkeypatch.setattr(FakeBackend, "codegen_target", target)
    known = CodegenTarget("backends-triple", "fake1-chip", "+y,+x")
    assert compilation(toolchain, "--mcpu fake1 --mattr +x", PLAIN).target == known
    assert compilation(toolchain, "--mcpu fake1").target == CodegenTarget("fake-triple", "fake1")
    assert compilation(toolchain, "--mcpu nothing", PLAIN).target == CodegenTarget("", "nothing")


def test_without_passes_code_is_generated_as_it_is(toolchain: FakeToolchain) -> None:
    compilation(toolchain, "--filetype obj").run()
    (request,) = toolchain.requests
    assert request.method == "codegen"
    assert dict(request.options) == {"target": CodegenTarget("fake-triple"), "filetype": "obj", "optimize": False}


def test_pipeline_then_machine_passes_then_link(toolchain: FakeToolchain) -> None:
    line = "--passes a,b --load p.so --load q.so --pass x@pre-emit2 --pass y@after:isel#2 --link --link-arg=--icf=all"
    compilation(toolchain, line).run()
    assert [request.method for request in toolchain.requests] == ["run_llvm_passes", "codegen_with_passes", "link"]
    pipeline, code, link = (request.options for request in toolchain.requests)
    assert (pipeline["pipeline"], pipeline["plugins"]) == ("a,b", (Path("p.so"), Path("q.so")))
    assert code["passes"] == (MachinePass("x", "pre-emit2"), MachinePass("y", "isel", "after", 2))
    assert link == {"shared": True, "args": ["--no-undefined", "--icf=all"]}


def test_images_of_this_machine_may_lack_what_programs_bring(toolchain: FakeToolchain) -> None:
    compilation(toolchain, "--link", PLAIN).run()
    assert toolchain.asked("link")[0].options["args"] == []


def test_llvm_ir_is_not_compiled(toolchain: FakeToolchain) -> None:
    assert compilation(toolchain, "-o x.ll").run() == IR.decode()
    assert isinstance(compilation(toolchain, "-o x.bc --passes a").run(), bytes)
    assert not toolchain.asked("codegen")


def test_points_are_listed(toolchain: FakeToolchain) -> None:
    assert "fake-isel" in compilation(toolchain, "--list-points").points()
