"""`flydsl passes`."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError
from flydsl.testing.fakes import FakeBackend
from flydsl.toolchain.protocol import CodegenPoint, CodegenTarget
from flydsl.tools.passes_cli import main


class Points:
    """A toolchain that only lists passes."""

    def codegen_points(self, target: CodegenTarget) -> list[CodegenPoint]:
        assert target == CodegenTarget("triple", opt_level=1)
        return [
            CodegenPoint("tti", 1, "Target Info", False, True),
            CodegenPoint("cse", 1, "Subexpressions", False, False),
            CodegenPoint("isel", 1, "Selection", True, False),
            CodegenPoint("copies", 1, "Copies", True, False, ("pre-ra",)),
            CodegenPoint("copies", 2, "Copies", True, False),
            CodegenPoint("", 0, "Printer", True, False, ("pre-emit2",)),
        ]


@pytest.mark.usefixtures("fake_device")
def test_points_are_listed_in_their_order_with_stages_instances_and_aliases(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("flydsl.tools.passes_cli.default_toolchain", Points)
    target = lambda self, *, arch, options: CodegenTarget("triple", opt_level=options["opt_level"])  # noqa: E731
    monkeypatch.setattr(FakeBackend, "codegen_target", target)
    assert main(["--target", "fake1", "--opt-level", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "LLVM IR:",
        "  cse       Subexpressions",
        "machine code, from this pass on:",
        "  isel      Selection",
        "  @pre-ra",
        "  copies#1  Copies",
        "  copies#2  Copies",
        "  @pre-emit2",
        "  (the code is emitted)",
    ]


@pytest.mark.usefixtures("fake_device")
def test_a_backend_without_llvm_says_so() -> None:
    with pytest.raises(CompileError, match="backend 'fake' does not run LLVM passes on its code for 'fake2'"):
        main(["--target", "fake2"])
