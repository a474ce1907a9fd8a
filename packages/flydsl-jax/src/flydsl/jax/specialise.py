"""Code for one call on one platform of XLA: what its custom call carries."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flydsl.backend.frameworks import CallTemplate
from flydsl.backend.installed import backend_names
from flydsl.backend.runtime import ABI_VERSION
from flydsl.base import settings
from flydsl.base.errors import ArgumentError, NoBackendError, UnsupportedTargetError
from flydsl.compiler import AbstractNumber, AbstractTensor
from flydsl.jax.launch import ARRAY, NUMBER, Launch, Shape
from flydsl.jax.numbers import UnreadableNumberError
from flydsl.jax.plan import Buffer, CallPlan, PlanTensor
from flydsl.jax.platforms import Platform
from flydsl.jax.results import kernel_dtype
from flydsl.plugins import DeviceKind, DeviceRef, get_backend

Aval = tuple[Shape, Any]
"""Shape and dtype of an array."""

_KINDS = {Platform.CPU: DeviceKind.CPU, Platform.ROCM: DeviceKind.ROCM, Platform.CUDA: DeviceKind.CUDA}
_launchers: dict[str, bytes] = {}
"""Launchers of this process by key, which are only ever added."""


@dataclass(frozen=True, slots=True)
class Specialised:
    """A call for one platform: `key` says which launcher, `plan` how its arguments are packed."""

    portable: CallTemplate = field(repr=False)
    key: str
    plan: bytes = field(repr=False)

    @property
    def module(self) -> bytes:
        """The launcher, which has the device code in it."""
        return self.portable.artifact.launcher


def specialise(launch: Launch, inputs: Sequence[Aval], platform: Platform, reported: Sequence[str] = ()) -> Specialised:
    """Compile `launch` for inputs of these shapes and dtypes, on devices that report `reported`.

    Threads that ask for one thing compile it once: the compiler sees to that.
    """
    _check_numbers(launch, platform)
    buffers: list[tuple[Buffer, AbstractTensor]] = []

    def placeholder(aval: Aval, name: str, is_output: bool, index: int) -> Any:
        is_number = aval[0] == () and not is_output and index not in dict(launch.options.aliases)
        tensor = _placeholder(aval, f"{launch.name}: {name!r}", platform, is_number)
        buffers.append((Buffer(is_output, index), tensor))
        return launch.options.laid_out(name, tensor)

    names = launch.parameters_of(ARRAY)
    arrays = [placeholder(inputs[index], name, False, index) for index, name in enumerate(names)]
    arguments = launch.arguments([*arrays, *[AbstractNumber()] * (len(inputs) - len(names))])
    aliased = {target for _, target in launch.options.aliases} if launch.is_shared else set()
    own = [index for index in range(len(launch.results)) if index not in aliased]
    for name, index in zip(launch.outputs, own, strict=True):
        arguments[name] = placeholder(launch.results[index], name, True, index)
    arguments |= {p.name: None for p in launch.function.parameters if p.kind == "stream"}
    backend = _backend(launch, platform)
    portable = launch.function.portable(**arguments, backend=backend, arch=_arch(backend, reported))
    numbers = {id(tensor): buffer for buffer, tensor in buffers}
    order = [numbers[id(tensor)] for tensor in portable.tensors]
    _check_written(launch, names, portable, order)
    open_numbers = [
        PlanTensor(Buffer(False, index), tuple(shape), np.dtype(dtype).itemsize * 8)
        for index, (shape, dtype) in enumerate(inputs)
        if index >= len(names)
    ]
    plan = CallPlan.of(portable, order, len(inputs), len(launch.results), open_numbers).encode()
    return Specialised(portable, launcher_key(portable, platform), plan)


def launcher_key(portable: CallTemplate, platform: Platform) -> str:
    """A digest of all that decides what a launcher does: calls with other arguments share it."""
    state = hashlib.sha256(f"{ABI_VERSION} {platform.lowering} {portable.artifact.runtime_kind}\0".encode())
    state.update(portable.artifact.launcher)
    return state.hexdigest()


def keep_launcher(specialised: Specialised) -> None:
    """Let calls of this process find the launcher by its key."""
    _launchers.setdefault(specialised.key, specialised.module)


def find_launcher(platform: Platform, key: str) -> bytes | None:
    """The launcher of a key that this process made."""
    return _launchers.get(key)


def _check_numbers(launch: Launch, platform: Platform) -> None:
    """UnreadableNumberError for numbers that the computation passes where the host cannot read them."""
    if platform is not Platform.CPU and (names := launch.parameters_of(NUMBER)):
        raise UnreadableNumberError(
            f"{launch.name}: {names[0]!r} is a number of run time, which a launch on platform {platform.lowering!r} "
            "cannot read from an array: pass a Python number (static_argnames= of jax.jit), or make the parameter a "
            f"fx.Tensor of shape (), whose element the kernel reads, {names[0]}[0]"
        )


def _placeholder(aval: Aval, what: str, platform: Platform, is_repeated: bool) -> AbstractTensor:
    shape, dtype = aval
    extents = tuple(extent if isinstance(extent, int) else None for extent in shape)
    device, elements = DeviceRef(_KINDS[platform]), kernel_dtype(what, dtype)
    if is_repeated:  # as jax repeats a number beside an array: each index gives it
        return AbstractTensor((1,), elements, strides=(0,), device=device)
    return AbstractTensor(extents, elements, device=device)


def _backend(launch: Launch, platform: Platform) -> str:
    backends = backend_names()
    if platform.backend not in backends:
        installed = ", ".join(map(repr, backends)) or "none"
        raise NoBackendError(
            f"{launch.name} runs on platform {platform.lowering!r} of jax here, and its compile backend "
            f"{platform.backend!r} is not installed (installed: {installed}): pip install flydsl-{platform.backend}"
        )
    return platform.backend


def _arch(name: str, reported: Sequence[str]) -> str:
    """What to compile for: the setting when it is one of this backend's, else what the devices are."""
    backend, wanted = get_backend(name), settings.compile.arch
    others = [other for other in backend_names() if other != name]
    if wanted and (backend.supports_arch(wanted) or not any(get_backend(o).supports_arch(wanted) for o in others)):
        return wanted
    return _common_arch(name, [backend.target_for(device).arch for device in reported or ("",)])


def _common_arch(backend: str, arches: Sequence[str]) -> str:
    """UnsupportedTargetError for devices of several kinds: one call has one code."""
    if len(set(arches)) > 1:
        found = ", ".join(sorted(set(arches)))
        raise UnsupportedTargetError(
            f"the devices of this process need different code of backend {backend!r}: {found}; show jax one kind of "
            "them, or name what all of them run in FLYDSL_COMPILE_ARCH"
        )
    return arches[0]


def _check_written(launch: Launch, names: Sequence[str], portable: CallTemplate, order: Sequence[Buffer]) -> None:
    """ArgumentError for an output that no kernel writes, and for an input that one does."""
    written = {order[number] for number in portable.written}
    for name, buffer in zip(launch.outputs, _outputs(order), strict=True):
        if buffer not in written:
            raise ArgumentError(
                f"{launch.name}: no kernel writes the output {name!r}; the outputs are the last tensors unless "
                "outputs= names them"
            )
    aliased = dict(launch.options.aliases)
    for buffer in sorted(written, key=lambda buffer: buffer.index):
        if not buffer.is_output and buffer.index not in aliased:
            raise ArgumentError(
                f"{launch.name}: a kernel writes the input {names[buffer.index]!r}, and a jax array never changes; "
                "when it is an output, name it so (outputs=), and when it is updated in place, alias it: "
                f"aliases={{{buffer.index}: 0}}"
            )
    for source, target in launch.options.aliases:
        if launch.is_shared and Buffer(False, source) not in written:
            raise ArgumentError(f"{launch.name}: no kernel writes {names[source]!r}, which output {target} aliases")


def _outputs(order: Sequence[Buffer]) -> list[Buffer]:
    return sorted((buffer for buffer in order if buffer.is_output), key=lambda buffer: buffer.index)
