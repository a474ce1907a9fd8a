"""Pipelines in two parts, and the default way to a code object."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.plugins import BaseBackend, CompileBackend, GpuCompileBackend, GPUTarget, get_backend, split_pipeline
from flydsl.plugins.compile_backend import pass_name
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import FakeBackend, fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.toolchain.llvm_passes import NO_PASSES, LlvmPasses
from flydsl.toolchain.protocol import CodegenTarget, GpuObject

KNOWN = {"fly-canonicalize", "convert-fly-to-x", "canonicalize", "cse"}


@pytest.mark.parametrize(
    "fragment, name",
    [
        ("canonicalize", "canonicalize"),
        ("canonicalize{top-down=false}", "canonicalize"),
        ("gpu.module(cse,canonicalize)", "gpu.module"),
        (" cse ", "cse"),
    ],
)
def test_a_fragment_is_known_by_its_first_word(fragment: str, name: str) -> None:
    assert pass_name(fragment) == name


def test_the_leading_known_passes_run_in_python() -> None:
    fragments = ["fly-canonicalize", "convert-fly-to-x{a=1}", "canonicalize", "gpu.module(cse)", "canonicalize"]
    assert split_pipeline(fragments, KNOWN) == (fragments[:3], fragments[3:])
    assert split_pipeline([], KNOWN) == ([], [])


def test_a_fly_pass_after_an_upstream_pass_is_an_error() -> None:
    with pytest.raises(CompileError, match="'convert-fly-to-x' comes after the toolchain's 'convert-scf-to-cf'"):
        split_pipeline(["fly-canonicalize", "convert-scf-to-cf", "convert-fly-to-x"], KNOWN)


class Toolchain:
    """Gives prepared objects and keeps what it was asked."""

    def __init__(self, *objects: bytes) -> None:
        self.objects = objects
        self.asked: list[tuple[str, str]] = []

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        self.asked.append((text, pipeline))
        return [GpuObject(module="kernels", target="x", object=code) for code in self.objects]


class Native(FakeBackend):
    """Has an upstream part, and takes the default for the code object."""

    emit_code_object = CompileBackend.emit_code_object

    def pipeline_fragments(self, *, arch: str, options: Any = None) -> list[str]:
        return ["fly-canonicalize", "own-pass", "gpu.module(cse)", f"attach{{chip={arch}}}"]


NATIVE = fake_backend("native", factory=partial(Native, "native"), passes={"own-pass": "own:Pass"})


def test_the_default_code_object_is_the_one_that_the_rest_of_the_pipeline_gives(
    isolated_plugins: PluginSandbox,
) -> None:
    isolated_plugins.register(NATIVE)
    toolchain = Toolchain(b"code")
    code = get_backend("native").emit_code_object("text", arch="fake1", toolchain=toolchain)  # type: ignore[arg-type]
    assert (code, toolchain.asked) == (b"code", [("text", "builtin.module(gpu.module(cse),attach{chip=fake1})")])


class WithPasses(Native):
    """Says how LLVM makes its code."""

    def pipeline_fragments(self, *, arch: str, options: Any = None) -> list[str]:
        return ["fly-canonicalize", 'gpu-module-to-binary{format=fatbin opts=""}']

    def codegen_target(self, *, arch: str, options: Any = None) -> CodegenTarget:
        return CodegenTarget("triple", arch)


def test_the_default_code_object_has_the_llvm_passes_that_options_hold(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("native", factory=partial(WithPasses, "native")))
    backend, module = get_backend("native"), '"gpu.module"() <{sym_name = "kernels"}>'
    for passes in (NO_PASSES, LlvmPasses("gvn")):
        toolchain = FakeToolchain()
        backend.emit_code_object(module, arch="fake1", toolchain=toolchain, options={"llvm_passes": passes})
        pipeline = toolchain.asked("gpu_objects")[0].options["pipeline"]
        steps = [request.method for request in toolchain.requests]
        if passes:
            assert pipeline == 'builtin.module(gpu-module-to-binary{format=offloading opts=""})'
            assert steps == ["gpu_objects", "run_llvm_passes", "codegen", "link"]
            assert toolchain.asked("codegen")[0].options["target"] == CodegenTarget("triple", "fake1")
        else:
            assert pipeline == 'builtin.module(gpu-module-to-binary{format=fatbin opts=""})'
            assert steps == ["gpu_objects"]


@pytest.mark.parametrize("objects", [(), (b"a", b"b")])
def test_any_other_number_of_code_objects_is_an_error(
    objects: tuple[bytes, ...], isolated_plugins: PluginSandbox
) -> None:
    isolated_plugins.register(NATIVE)
    with pytest.raises(CompileError, match=f"expected one GPU binary for 'fake1', found {len(objects)}"):
        get_backend("native").emit_code_object("", arch="fake1", toolchain=Toolchain(*objects))  # type: ignore[arg-type]


def test_a_backend_has_the_target_it_was_bound_to() -> None:
    backend = FakeBackend("mine")
    assert backend.target == GPUTarget("mine", "fake1", 32)
    assert backend.for_arch("fake2").target.arch == "fake2"
    with pytest.raises(UnsupportedTargetError):
        backend.for_arch("other")


def test_a_backend_declares_nothing_more_than_it_must() -> None:
    backend = FakeBackend()
    assert (backend.cache_key_native_lib_patterns(), backend.jit_runtime_lib_basenames()) == ([], [])
    with pytest.raises(CompileError, match="backend 'fake' has no disassembler for 'fake1'"):
        backend.disassemble(b"", arch="fake1", toolchain=Toolchain())  # type: ignore[arg-type]
    with pytest.raises(CompileError, match="backend 'fake' has no report of the code for 'fake1'"):
        backend.code_report(b"", kernels=(), arch="fake1", toolchain=Toolchain())  # type: ignore[arg-type]


def test_upstream_names_are_the_same_class() -> None:
    assert BaseBackend is GpuCompileBackend is CompileBackend
