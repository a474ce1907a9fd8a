"""Calls that the interpreter runs: the traced module of a function, on the arguments' own memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.dlpack import HOST_KINDS
from flydsl.base.errors import FlyDSLError, NoBackendError, UnsupportedTensorError
from flydsl.base.location import locating
from flydsl.base.process.recursion import DeepRecursion
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.options.target_options import target_of
from flydsl.compiler.stages.pipeline import limits_of, trace
from flydsl.expr.tracing.context import interpreting
from flydsl.ir.interpret import Machine, Memory, Shadow
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.plugins.tensor_adaptor import TensorAdaptor, TensorDesc

if TYPE_CHECKING:
    from flydsl.compiler.jit import JitFunction

_WAVE = 32  # threads of a wave when no backend is installed that says otherwise


def interpret_call(function: JitFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Trace and execute; errors show the user's lines only, unless FLYDSL_DEBUG_SHOW_STACKTRACE is set."""
    try:
        with locating(), DeepRecursion():
            _run(function, args, kwargs)
    except FlyDSLError as error:
        if settings.debug.show_stacktrace:
            raise
        raise error.with_traceback(None) from error.__cause__


def _run(function: JitFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    call = function.bind(*args, **kwargs)
    target = _target()
    with interpreting():
        traced = trace(function.rewritten, call.specs(), target)
    call.announce(function.__name__, traced.written, _stream_of)
    own = _memories(call)
    memories = [memory for memory in own if memory is not None]
    values = [
        value
        for argument, memory in zip(call.arguments, own, strict=True)
        for value in argument.interpreted(memory, memories)
    ]
    Machine(traced.module, target.warp_size, memories, limits_of(target)).run(traced.name, values)
    for index in traced.written:
        call.arguments[index].note_written()


def _target() -> GPUTarget:
    """The target that would be compiled for: it says how many threads a wave has."""
    try:
        return target_of()
    except NoBackendError:
        return GPUTarget("interpreter", "any", _WAVE)


def _stream_of(_: TensorAdaptor, desc: TensorDesc) -> int:
    """The host's own, for tensors that it can read."""
    if desc.device.kind not in HOST_KINDS:
        raise UnsupportedTensorError(
            f"the tensor is on a device of DLPack kind {desc.device.kind}, and the interpreter reads memory of the "
            "host; move the tensor"
        )
    return 0


def _memories(call: BoundCall) -> list[Memory | None]:
    """The memory of each argument that has any; tensors that overlap share what is known about races."""
    found = [argument.memory() for argument in call.arguments]
    end, shadow = -1, Shadow()
    for memory in sorted(filter(None, found), key=lambda memory: memory.base):
        if memory.base >= end:
            shadow = Shadow()
        memory.shadow, end = shadow, max(end, memory.base + len(memory.data))
    return found
