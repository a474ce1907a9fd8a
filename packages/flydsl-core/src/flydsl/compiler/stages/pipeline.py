"""The pipeline from a Python function to a launched kernel: the stages, each with the arrow to the next one.

function --trace--> Traced --lower--> Lowered --compile--> Artifact --load--> Loaded (the last two in `artifact.py`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING

from flydsl.base import settings
from flydsl.base.bitcode import has_bitcode
from flydsl.base.errors import CompileError, LlvmPassError, UnknownBackendError
from flydsl.base.process.recursion import DeepRecursion
from flydsl.base.startup.collector import CollectorPause
from flydsl.compiler.options.hints import NO_HINTS, Hints, fast_math_of
from flydsl.compiler.options.llvm_pass_settings import asked_by, check_backend
from flydsl.compiler.options.target_options import configuration, has_lines, options
from flydsl.compiler.stages.artifact import Artifact
from flydsl.compiler.stages.dump import Dump
from flydsl.compiler.stages.timing import stage
from flydsl.plugins.active.border import checked_code
from flydsl.plugins.active.portions import renew
from flydsl.plugins.active.selection import get_backend, python_passes, resolve_pair
from flydsl.plugins.compile_backend import GPUTarget, split_pipeline

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from flydsl.base.launch_limits import LaunchLimits
    from flydsl.base.location import Location
    from flydsl.frontend.signature import ArgSpec

_TRIES = 3


def trace(function: FunctionType, specs: Mapping[str, ArgSpec], target: GPUTarget, hints: Hints = NO_HINTS) -> Traced:
    """Run the rewritten `function` once on symbolic arguments and collect what it does as a Fly module."""
    from flydsl.compiler.stages.loading import load_frontend

    with stage("import of the compiler"):
        load_frontend()
    from flydsl.compiler.stages.write_analysis import written_arguments
    from flydsl.expr.values.emitter import TargetInfo
    from flydsl.frontend.trace import trace_function

    kept = (target.max_cluster, target.launch_modes, limits_of(target))
    traced_for = TargetInfo(target.backend, target.arch, target.warp_size, *kept)
    with stage("trace"):
        module, kernels = trace_function(function, specs, traced_for, fast_math_of(hints))
    traced = Traced(function.__name__, target, module, kernels, written_arguments(module, specs), hints)
    Dump.of(traced).text("origin", lambda: traced.text)
    return traced


def limits_of(target: GPUTarget) -> LaunchLimits | None:
    """What launches on the target may have at most; None where only devices tell, or no backend is installed."""
    try:
        return get_backend(target.backend).launch_limits(target.arch)
    except UnknownBackendError:
        return None


@dataclass(frozen=True)
class Traced:
    """The Fly module of one @jit function for one list of argument specs."""

    name: str
    target: GPUTarget
    module: ModuleOp = field(repr=False)
    kernels: tuple[str, ...]
    written: tuple[int, ...]
    """Positions of the tensors, among the leaves of all arguments, that some kernel may write to."""
    hints: Hints = field(default_factory=lambda: NO_HINTS)
    """Compile hints: options of this compilation."""

    @cached_property
    def text(self) -> str:
        """The module as generic text, without locations: what the cache key digests."""
        from flydsl.ir.emit import emit_generic

        return emit_generic(self.module)

    def blocks(self) -> dict[str, tuple[int, ...]]:
        """The block size of each kernel that is only launched with one that is known."""
        from flydsl.passes.rewriting import functions

        found = {}
        for op in functions(self.module):
            size = op.attributes.get("gpu.known_block_size")
            if op.name == "gpu.func" and size is not None:
                name = op.get_attr_or_prop("sym_name")
                found[name.data] = tuple(int(n) for n in size.get_values())  # type: ignore[union-attr,attr-defined]
        return found

    def key(self) -> dict[str, str]:
        """The full cache key: everything that decides the bytes of the artifact."""
        from flydsl.ir.emit import emit_generic

        with stage("cache key"):
            ir = emit_generic(self.module, locations=True) if has_lines(self.hints) else self.text
            return configuration(self.target, self.hints).artifact_key(ir)

    def lower(self, *, locations: bool = False) -> Lowered:
        """Fly passes, then the backend's `convert-fly-to-<target>`; the result holds upstream dialects only.

        Its text says where operations come from when `locations` asks for it, or an option for debug information.
        """
        from flydsl.compiler.stages.loading import load_lowering

        backend = get_backend(self.target.backend)
        fragments = backend.pipeline_fragments(arch=self.target.arch, options=options(self.hints))
        passes = python_passes(self.target.backend)
        leading, _ = split_pipeline(fragments, passes)
        with stage("import of the passes"):
            load_lowering(leading, passes)
        with CollectorPause(), DeepRecursion():
            return self._lowered(leading, passes, locations=locations)

    def _lowered(self, leading: Sequence[str], passes: Mapping[str, str], *, locations: bool) -> Lowered:
        """The passes `leading`, one after the other."""
        from flydsl.ir.edits import clone
        from flydsl.ir.emit import emit_generic
        from flydsl.passes.registry import run

        module = clone(self.module)
        dump = Dump.of(self)
        for fragment in leading:
            with stage(fragment.partition("{")[0]):
                run(module, fragment, extra=passes)
            dump.text(fragment, lambda: emit_generic(module))
            if settings.debug.enable_verifier:
                _verify(module, fragment)
        device, host = _split(module, self.name)
        return Lowered(self, emit_generic(device, locations=locations or has_lines(self.hints)), host)


@dataclass(frozen=True)
class Lowered:
    """Kernels as generic MLIR text of upstream dialects, and the host function that launches them."""

    traced: Traced = field(repr=False)
    device_text: str = field(repr=False)
    host: FuncOp = field(repr=False)

    def llvm_ir(self) -> str:
        """LLVM IR of the kernels, before LLVM's optimisations."""
        from flydsl.toolchain.select import default_toolchain

        target = self.traced.target
        backend, given = get_backend(target.backend), options(self.traced.hints)
        text = backend.emit_llvm_ir(self.device_text, arch=target.arch, toolchain=default_toolchain(), options=given)
        made_for = backend.codegen_target(arch=target.arch, options=given)
        if made_for is None or not made_for.triple or "\ntarget triple" in text:
            return text
        return f'target triple = "{made_for.triple}"\n{text}'  # else tools take it for code of the machine they run on

    def compile(self) -> Artifact:
        """Machine code: the backend makes the device code object, the toolchain the host launcher.

        What makes the code may change meanwhile: the key is that of the code only if it is the same afterwards.
        """
        pair = resolve_pair(self.traced.target.backend)
        for _ in range(_TRIES):
            key = self.traced.key()
            artifact = self._compile(key, pair.backend.runtime_kind)
            renew(pair)
            if self.traced.key() == key:
                Dump.of(self.traced).assembly(artifact)
                return artifact
        raise CompileError(
            f"{self.traced.name!r}: the compiler or a device library was replaced each time while the code was made; "
            "try again when that has ended"
        )

    def _compile(self, key: Mapping[str, str], runtime_kind: str) -> Artifact:
        from flydsl.toolchain.host_launcher import begin_launcher
        from flydsl.toolchain.select import default_toolchain

        traced, toolchain = self.traced, default_toolchain()
        target = traced.target
        backend = get_backend(target.backend)
        given = options(traced.hints, Dump.of(traced).code())
        check_backend(backend, target.arch, given)
        if has_bitcode(self.device_text) and not backend.links_bitcode:
            raise CompileError(
                f"backend {backend.name!r} links no bitcode, and {traced.name!r} calls external functions that need it"
            )
        with stage("host launcher"):
            pending = begin_launcher(self.host, traced.kernels, toolchain)
        try:
            with stage("device code"):
                device = backend.emit_code_object(
                    self.device_text, arch=target.arch, toolchain=toolchain, options=given
                )
        except LlvmPassError as error:
            error.args = (f"{error.args[0]}\n  asked for by {asked_by(traced.hints)}", *error.args[1:])
            raise
        except CompileError as error:
            error.location = error.location or self._failed_at(error)
            raise
        device = checked_code(backend.name, device)
        with stage("host launcher"):  # most of it was made meanwhile, by a thread
            launcher = pending.finish(device)
        return Artifact(
            name=traced.name,
            key=key,
            target=target,
            runtime_kind=runtime_kind,
            kernels=traced.kernels,
            blocks=traced.blocks(),
            slots=pending.slots,
            written=traced.written,
            device=device,
            launcher=launcher,
        )

    def _failed_at(self, error: CompileError) -> Location | None:
        """The user's line that code generation failed at: it is done again with lines, which cost time otherwise."""
        from flydsl.compiler.stages.failures import failed_at
        from flydsl.toolchain.select import default_toolchain

        traced = self.traced
        target, given = traced.target, {**options(traced.hints), "debug_info": True}
        try:
            get_backend(target.backend).emit_code_object(
                traced.lower(locations=True).device_text,
                arch=target.arch,
                toolchain=default_toolchain(),
                options=given,
            )
        except CompileError as with_lines:
            error = with_lines
        return failed_at(error, traced.module)


def _verify(module: ModuleOp, fragment: str) -> None:
    """Check the module that `fragment` left behind."""
    from xdsl.utils.exceptions import VerifyException

    try:
        module.verify()
    except VerifyException as error:
        raise CompileError(f"the module is not valid after pass {fragment!r}: {error}") from error


def _split(module: ModuleOp, name: str) -> tuple[ModuleOp, FuncOp]:
    """The module without its host function, and the host function."""
    from xdsl.dialects.func import FuncOp
    from xdsl.rewriter import Rewriter

    host = next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    module.body.block.detach_op(host)
    for declared in [op for op in module.body.block.ops if op.name == "llvm.func"]:
        Rewriter.erase_op(declared, safe_erase=False)  # of the C library, for the host function; launchers have them
    return module, host
