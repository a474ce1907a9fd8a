"""Programs under `fly-opt` by the fake toolchain: which passes run in Python, and what MLIR is asked."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError, IRError, SettingError
from flydsl.passes.pipeline_text import parse
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.opt.installed import installed
from flydsl.tools.opt.program import Program, Session

FLY = (
    '"func.func"() <{sym_name = "f", function_type = (!fly.ptr<f32, global>) -> ()}> ({\n'
    '^bb0(%p: !fly.ptr<f32, global>):\n"func.return"() : () -> () }) : () -> ()'
)
PLAIN = '"func.func"() <{sym_name = "f", function_type = () -> ()}> ({ "func.return"() : () -> () }) : () -> ()'


@pytest.fixture
def toolchain() -> FakeToolchain:
    return FakeToolchain()


@pytest.fixture
def session(isolated_plugins: PluginSandbox, toolchain: FakeToolchain) -> Session:
    isolated_plugins.register(fake_backend(passes={"broken": "builtins:dict"}))
    return Session(installed(), toolchain)


def test_fly_text_is_read_here_and_other_text_by_mlir(session: Session, toolchain: FakeToolchain) -> None:
    Program.read(session, FLY, "a.mlir")
    assert toolchain.requests == []
    Program.read(session, PLAIN, "a.mlir")
    assert len(toolchain.asked("run_pipeline")) == 1
    assert session.is_ours(FLY)
    assert not session.is_ours(PLAIN)


def test_neighbouring_passes_of_mlir_run_together_and_ours_in_python(
    session: Session, toolchain: FakeToolchain
) -> None:
    program = Program.read(session, FLY, "a.mlir")
    program.apply(parse("fly-canonicalize,convert-scf-to-cf,lower-affine,cse"))
    (request,) = toolchain.asked("run_pipeline")
    assert request.options["pipeline"] == "builtin.module(convert-scf-to-cf,lower-affine)"


def test_canonicalization_of_upstream_code_is_mlirs(session: Session, toolchain: FakeToolchain) -> None:
    program = Program.read(session, PLAIN, "a.mlir")
    program.apply(parse("canonicalize"))
    assert [r.options["pipeline"] for r in toolchain.asked("run_pipeline")][-1] == "builtin.module(canonicalize)"


def test_a_pass_of_ours_runs_on_the_module_only(session: Session) -> None:
    program = Program.read(session, FLY, "a.mlir")
    with pytest.raises(SettingError, match="'fly-canonicalize' runs on builtin.module, not on 'func.func'"):
        program.apply(parse("func.func(fly-canonicalize)"))


def test_a_broken_pass_is_an_internal_error_of_it(session: Session) -> None:
    with pytest.raises((CompileError, SettingError)):
        Program.read(session, FLY, "a.mlir").apply(parse("broken"))


def test_what_nobody_can_read_is_the_first_error(session: Session) -> None:
    with pytest.raises(IRError, match="a.mlir:1:"):
        Program.read(session, "%l = fly.static : !fly.layout<4:", "a.mlir")
