"""A compile backend: targets, pipelines and code objects. Nothing here needs a device."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.base.references import resolve_reference
from flydsl.base.settings import DEFAULT_OPT_LEVEL
from flydsl.compiler.stages.artifact import Artifact
from flydsl.passes.registry import PASSES
from flydsl.plugins.active.border import checked_code, checked_target
from flydsl.plugins.active.selection import python_passes
from flydsl.plugins.compile_backend import GPUTarget, pass_name, split_pipeline
from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite import kernels
from flydsl.testing.suite.suite import Suite, check_same, difference
from flydsl.toolchain.select import default_toolchain


class CompileSuite(Suite):
    """The backend that the plugin declares, for each of the targets that the test file names."""

    level = 1

    def target(self, name: str) -> str:
        """The target, or the default one."""
        return name or self.bench.backend().default_arch()

    def artifact(self, target: str = "") -> Artifact:
        """A vector add, compiled afresh."""
        vector = np.zeros(100, np.float32)
        return self.bench.compile(kernels.add, vector, vector, vector, None, target=self.target(target))

    # Targets

    def test_the_default_target_is_supported(self) -> None:
        backend = self.bench.backend()
        default = backend.default_arch()
        assert backend.supports_arch(default), f"supports_arch({default!r}) is false, and it is the default"
        assert backend.target == backend.make_target(backend.default_arch())

    def test_a_target_says_what_code_is_made_for(self, target: str) -> None:
        target = self.target(target)
        backend = self.bench.backend(target)
        checked_target(backend.name, backend.target)
        assert backend.target == GPUTarget(backend.name, target, backend.warp_size(target))
        attributes = backend.gpu_module_targets(arch=target)
        assert all(isinstance(text, str) and text for text in attributes), f"expected MLIR text, found {attributes!r}"

    def test_an_unknown_architecture_is_refused_by_name(self) -> None:
        unknown = "no-such-chip"
        backend = self.bench.backend()
        assert not backend.supports_arch(unknown), f"supports_arch({unknown!r}) is true"
        with pytest.raises(UnsupportedTargetError, match=unknown):
            backend.make_target(unknown)

    def test_each_resolution_gives_a_fresh_instance(self, target: str) -> None:
        bound, other = self.bench.backend(self.target(target)), self.bench.backend()
        assert bound is not other
        assert other.target.arch == other.default_arch()

    # Pipeline

    def test_the_pipeline_runs_the_fly_passes_first_and_in_order(self, target: str) -> None:
        """Among them may be Python passes of the backend itself."""
        fragments = self.bench.backend().pipeline_fragments(arch=self.target(target))
        leading, _ = split_pipeline(fragments, python_passes(self.bench.backend_manifest.name))
        shared, names = list(map(pass_name, FLY_PIPELINE)), list(map(pass_name, leading))
        last = next((n for n in range(len(names), 0, -1) if names[n - 1] == shared[-1]), 0)
        assert [name for name in names[:last] if name in PASSES] == shared

    def test_the_pipeline_splits_into_what_python_runs_and_the_rest(self, target: str) -> None:
        fragments = self.bench.backend().pipeline_fragments(arch=self.target(target))
        leading, rest = split_pipeline(fragments, python_passes(self.bench.backend_manifest.name))
        assert leading + rest == fragments
        wrong = [fragment for fragment in fragments if not (isinstance(fragment, str) and _is_balanced(fragment))]
        assert not wrong, f"fragments are texts in which each bracket closes, found {wrong!r}"

    def test_the_pipeline_is_the_same_each_time_and_ignores_options_it_does_not_know(self, target: str) -> None:
        backend, target = self.bench.backend(), self.target(target)
        options = {"opt_level": DEFAULT_OPT_LEVEL, "debug_info": False}
        first = backend.pipeline_fragments(arch=target, options=options)
        first_again = backend.pipeline_fragments(arch=target, options={**options, "of_another_backend": object()})
        assert first == first_again
        first.clear()
        assert backend.pipeline_fragments(arch=target, options=options) == first_again

    def test_passes_of_the_plugin_have_the_names_they_are_declared_by(self) -> None:
        for name, reference in self.bench.backend_manifest.passes.items():
            assert resolve_reference(reference).name == name

    def test_words_of_the_target_are_in_the_language(self) -> None:
        for word, reference in self.bench.backend_manifest.expr_namespaces.items():
            assert getattr(fx, word) is resolve_reference(reference)

    # Code

    def test_a_kernel_becomes_a_code_object(self, target: str) -> None:
        artifact = self.artifact(target)
        assert artifact.device, "the code object is empty"
        assert artifact.target == self.bench.backend(self.target(target)).target
        assert artifact.runtime_kind == self.bench.backend_manifest.runtime_kind
        assert len(artifact.kernels) == 1
        assert artifact.written == (2,)

    def test_the_same_input_gives_the_same_bytes_and_key(self, target: str) -> None:
        first, second = self.artifact(target), self.artifact(target)
        check_same(first.device, second.device)
        assert first.key == second.key

    def test_threads_that_compile_at_once_get_the_same_bytes(self, target: str) -> None:
        expected = self.artifact(target).device
        text = self._lowered_text(target)
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: self._emit(text, target), range(4)))
        assert [difference(code, expected) for code in found] == [""] * 4

    def test_a_code_object_is_bytes(self, target: str) -> None:
        checked_code(self.bench.backend_manifest.name, self._emit(self._lowered_text(target), target))

    def _lowered_text(self, target: str) -> str:
        """A vector add as `emit_code_object` gets it."""
        vector, name = np.zeros(100, np.float32), self.bench.backend_manifest.name
        traced = self.bench.function(kernels.add).trace(
            vector, vector, vector, None, backend=name, arch=self.target(target)
        )
        return str(traced.lower().device_text)

    def _emit(self, text: str, target: str) -> bytes:
        arch = self.target(target)
        options = {"opt_level": DEFAULT_OPT_LEVEL, "debug_info": False}
        return self.bench.backend().emit_code_object(text, arch=arch, toolchain=default_toolchain(), options=options)

    @requires(Capability.SEVERAL_TARGETS)
    def test_each_target_has_its_own_key_and_bytes(self) -> None:
        artifacts = [self.artifact(target) for target in self.bench.subject.targets]
        assert len({tuple(sorted(artifact.key.items())) for artifact in artifacts}) == len(artifacts)
        assert len({artifact.device for artifact in artifacts}) == len(artifacts)

    def test_several_kernels_are_one_code_object(self, target: str) -> None:
        vector = np.zeros(100, np.float32)
        artifact = self.bench.compile(kernels.add_then_square, vector, vector, vector, target=self.target(target))
        assert len(set(artifact.kernels)) == 2

    def test_text_that_is_no_module_is_a_compile_error(self, target: str) -> None:
        with pytest.raises(CompileError):
            self._emit("no module", target)

    @requires(Capability.DISASSEMBLY)
    def test_code_objects_are_shown_as_text_and_always_the_same(self, target: str) -> None:
        artifact = self.artifact(target)
        text = artifact.disassemble()
        assert len(text.splitlines()) > 3
        check_same(text.encode(), self.artifact(target).disassemble().encode())

    def test_bytes_that_are_no_code_object_cannot_be_disassembled(self, target: str) -> None:
        with pytest.raises(CompileError):
            self.bench.backend().disassemble(b"no code", arch=self.target(target), toolchain=default_toolchain())


def _is_balanced(fragment: str) -> bool:
    """Whether every bracket outside of quotes closes, so that fragments can be joined by commas."""
    closers, open_ones = {")": "(", "}": "{"}, list[str]()
    for character in re.sub(r'"[^"]*"|\'[^\']*\'', "", fragment):
        if character in closers.values():
            open_ones.append(character)
        elif character in closers and (not open_ones or open_ones.pop() != closers[character]):
            return False
    return not open_ones
