"""A Python function in, a launched kernel out: one function for each arrow. Read this file first.

function --trace--> Traced --lower--> Lowered --compile--> Artifact --load--> Loaded
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import FunctionType
from typing import TYPE_CHECKING

from flydsl.base import settings
from flydsl.base.errors import CompileError, RuntimeFailure, UnsupportedTargetError
from flydsl.cache.key import artifact_key as make_key
from flydsl.compiler.dump import Dump
from flydsl.compiler.hints import NO_HINTS, Hints, hint_keys
from flydsl.compiler.stages import Artifact, Loaded, Lowered, Traced
from flydsl.plugins.compile_backend import CompileBackend, GPUTarget, split_pipeline
from flydsl.plugins.fingerprint import fingerprint
from flydsl.plugins.registry import registry
from flydsl.plugins.selection import active_pair, get_backend, python_passes, resolve_pair
from flydsl.plugins.stack import claim_runtime
from flydsl.runtime.kernel import load_launcher

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from flydsl.base.location import Location
    from flydsl.frontend.signature import ArgSpec
    from flydsl.plugins.device_runtime import DeviceInfo, DeviceRuntime


def target_of(backend: str | None = None, arch: str = "", device: DeviceInfo | None = None) -> GPUTarget:
    """What to compile for: explicit names, else FLYDSL_COMPILE_BACKEND and FLYDSL_COMPILE_ARCH, else the defaults.

    The default architecture is that of `device`, where the code is to run, when one is given.
    """
    chosen: CompileBackend = get_backend(backend)
    wanted = arch or settings.compile.arch or (chosen.device_arch(device.arch) if device else chosen.default_arch())
    try:
        return chosen.make_target(wanted)
    except UnsupportedTargetError as error:
        others = [name for name in registry.tables.backends if get_backend(name).supports_arch(wanted)]
        if not others or chosen.name in others:
            raise
        advice = f"backend {others[0]!r} does: name it with backend= or FLYDSL_COMPILE_BACKEND"
        raise UnsupportedTargetError(f"{error}; {advice}") from None


def trace(function: FunctionType, specs: Mapping[str, ArgSpec], target: GPUTarget, hints: Hints = NO_HINTS) -> Traced:
    """Run the rewritten `function` once on symbolic arguments and collect what it does as a Fly module."""
    from flydsl.compiler.write_analysis import written_arguments
    from flydsl.expr.values.emitter import TargetInfo
    from flydsl.frontend.trace import trace_function

    module, kernels = trace_function(function, specs, TargetInfo(target.backend, target.arch, target.warp_size))
    traced = Traced(function.__name__, target, module, kernels, written_arguments(module, specs), hints)
    Dump.of(traced).text("origin", lambda: traced.text)
    return traced


def lower(traced: Traced, *, locations: bool = False) -> Lowered:
    """Fly passes, then the backend's `convert-fly-to-<target>`; the result holds upstream dialects only.

    Its text says where operations come from when `locations` asks for it, or an option for debug information.
    """
    from flydsl.ir.emit import emit_generic
    from flydsl.passes.registry import run

    backend = get_backend(traced.target.backend)
    fragments = backend.pipeline_fragments(arch=traced.target.arch, options=options(traced.hints))
    passes = python_passes(traced.target.backend)
    leading, _ = split_pipeline(fragments, passes)
    module = traced.module.clone()
    dump = Dump.of(traced)
    for fragment in leading:
        run(module, fragment, extra=passes)
        dump.text(fragment, lambda: emit_generic(module))
        if settings.debug.enable_verifier:
            _verify(module, fragment)
    device, host = _split(module, traced.name)
    return Lowered(traced, emit_generic(device, locations=locations or has_lines(traced.hints)), host)


def compile(lowered: Lowered) -> Artifact:
    """Machine code: the backend makes the device code object, the toolchain the host launcher."""
    from flydsl.toolchain.host_launcher import begin_launcher
    from flydsl.toolchain.select import default_toolchain

    traced, toolchain = lowered.traced, default_toolchain()
    target = traced.target
    backend = get_backend(target.backend)
    pending = begin_launcher(lowered.host, traced.kernels, toolchain)
    try:
        device = backend.emit_code_object(
            lowered.device_text, arch=target.arch, toolchain=toolchain, options=options(traced.hints)
        )
    except CompileError as error:
        error.location = error.location or _failed_at(lowered, error)
        raise
    runtime_kind = resolve_pair(target.backend).backend.runtime_kind
    artifact = Artifact(
        name=traced.name,
        key=artifact_key(traced),
        target=target,
        runtime_kind=runtime_kind,
        kernels=traced.kernels,
        blocks=traced.blocks(),
        slots=pending.slots,
        written=traced.written,
        device=device,
        launcher=pending.finish(device),
    )
    Dump.of(traced).assembly(artifact)
    return artifact


def _failed_at(lowered: Lowered, error: CompileError) -> Location | None:
    """The user's line that code generation failed at: it is done again with the lines, which cost time otherwise."""
    from flydsl.compiler.failures import failed_at
    from flydsl.toolchain.select import default_toolchain

    traced = lowered.traced
    target, given = traced.target, {**options(traced.hints), "debug_info": True}
    try:
        get_backend(target.backend).emit_code_object(
            lower(traced, locations=True).device_text,
            arch=target.arch,
            toolchain=default_toolchain(),
            options=given,
        )
    except CompileError as with_lines:
        error = with_lines
    return failed_at(error, traced.module)


def llvm_ir(lowered: Lowered) -> str:
    """What the backend hands to LLVM for the kernels, as text."""
    from flydsl.toolchain.select import default_toolchain

    target = lowered.traced.target
    backend, given = get_backend(target.backend), options(lowered.traced.hints)
    return backend.emit_llvm_ir(lowered.device_text, arch=target.arch, toolchain=default_toolchain(), options=given)


def load(artifact: Artifact, ordinal: int | None = None) -> Loaded:
    """dlopen the launcher and load the code object on a device; the artifact must belong to the active pair."""
    pair = active_pair()
    pair.require(
        backend=artifact.target.backend, runtime_kind=artifact.runtime_kind, what=f"artifact {artifact.name!r}"
    )
    runtime = claim_runtime(pair)
    device = runtime.current_ordinal() if ordinal is None else ordinal
    _check_blocks(artifact, runtime, device)
    launcher = load_launcher(artifact.launcher)
    return Loaded(artifact, launcher, launcher.load(runtime, device), device)


def _check_blocks(artifact: Artifact, runtime: DeviceRuntime, ordinal: int) -> None:
    """Refuse block sizes beyond the device before any kernel runs; those of run time are checked at each launch."""
    if not artifact.blocks:
        return
    limit = runtime.device_info(ordinal).max_threads_per_block
    for name, block in artifact.blocks.items():
        if math.prod(block) > limit:
            text = f"kernel {name!r}: a block of {block} threads is above the limit of {limit} threads"
            raise RuntimeFailure(text, kernel=name)


def disassemble(artifact: Artifact) -> str:
    """The device instructions of `artifact` as text."""
    from flydsl.toolchain.select import default_toolchain

    backend = get_backend(artifact.target.backend)
    return backend.disassemble(artifact.device, arch=artifact.target.arch, toolchain=default_toolchain())


def artifact_key(traced: Traced) -> dict[str, str]:
    """The full cache key: everything that decides the bytes of the artifact."""
    from flydsl.ir.emit import emit_generic

    target = traced.target
    pair = resolve_pair(target.backend)
    return make_key(
        backend=target.backend,
        runtime_kind=pair.backend.runtime_kind,
        target=str(target),
        pair=fingerprint(pair, arch=target.arch),
        ir=emit_generic(traced.module, locations=True) if has_lines(traced.hints) else traced.text,
        options={**settings.key_values(), **hint_keys(traced.hints)},
        tools=tools(),
    )


_UNAVAILABLE = ("llvm_pass_pipeline", "llvm_pass_plugins", "llvm_codegen_passes", "llvm_codegen_plugins")


def options(hints: Hints = NO_HINTS) -> dict[str, object]:
    """The options that backends may read, hints first; CompileError for a setting that this version cannot honour."""
    for name in _UNAVAILABLE:
        if getattr(settings.compile, name):
            variable = f"FLYDSL_COMPILE_{name.upper()}"
            raise CompileError(f"{variable} is set, and this version cannot run custom LLVM passes; unset it")
    return {"opt_level": settings.compile.opt_level, "debug_info": settings.debug.enable_debug_info, **hints}


def has_lines(hints: Hints = NO_HINTS) -> bool:
    """Whether the code says which line each of its instructions comes from."""
    return bool(options(hints)["debug_info"])


def tools() -> dict[str, str]:
    """Fingerprints of the tools that make code, without loading them."""
    from flydsl.toolchain.select import default_toolchain

    toolchain = default_toolchain()
    return {toolchain.name: toolchain.fingerprint()}


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
