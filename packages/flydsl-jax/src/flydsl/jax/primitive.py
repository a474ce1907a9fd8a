"""The primitive of kernel calls: its abstract evaluation, its transformations, and its lowering for each platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import jax
import jax.ffi
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from flydsl.base.errors import UnsupportedTransformError
from flydsl.jax import registration
from flydsl.jax.internals import KERNEL_EFFECT, Aval, aligned, result_aval
from flydsl.jax.interpreted import interpreted, run_on_host
from flydsl.jax.launch import Launch
from flydsl.jax.numbers import operand_words
from flydsl.jax.platforms import CALL, Platform
from flydsl.jax.specialise import find_launcher, keep_launcher, specialise

EMBEDDED_BYTES = 64 << 10
"""The largest launcher that a custom call always holds; XLA takes about 30 ms and 10 MB for each MB at a call site."""

call_p = Primitive("flydsl_call")
call_p.multiple_results = True


def bind(launch: Launch, arrays: Sequence[Any]) -> list[Any]:
    """The outputs of a call: new arrays, or tracers inside of a transformation."""
    numbers = map(operand_words, launch.number_types(), arrays[launch.arrays :])
    return list(call_p.bind(*aligned([*arrays[: launch.arrays], *numbers]), launch=launch))


@lru_cache(maxsize=1024)
def _compiled(launch: Launch) -> Any:
    return jax.jit(lambda *arrays: call_p.bind(*arrays, launch=launch))


def _execute(*arrays: Any, launch: Launch) -> Any:
    placed = [array for array in arrays if isinstance(array, jax.Array)]
    if launch.is_interpreted and all(len(array.devices()) == 1 for array in placed):  # its errors are raised here
        return list(jax.device_put(run_on_host(launch, *arrays), next((array.sharding for array in placed), None)))
    with jax.disable_jit(False), jax.debug_nans(False), jax.debug_infs(False):  # a kernel is always a program of XLA
        outputs = _compiled(launch)(*arrays)
    _check_values(launch, outputs)
    return outputs


def _check_values(launch: Launch, outputs: Sequence[Any]) -> None:
    """FloatingPointError as of jax's own operations, while jax.debug_nans or jax.debug_infs look for one."""
    settings: Any = jax.config  # whose attributes are made at run time
    for is_wanted, kind, is_kind in (
        (settings.jax_debug_nans, "nan", jax.numpy.isnan),
        (settings.jax_debug_infs, "inf", jax.numpy.isinf),
    ):
        floats = [out for out in outputs if is_wanted and jax.numpy.issubdtype(out.dtype, jax.numpy.inexact)]
        if any(is_kind(out).any() for out in floats):
            raise FloatingPointError(f"invalid value ({kind}) encountered in kernel function {launch.name!r}")


def _results(*avals: Aval, launch: Launch) -> tuple[list[Aval], set[Any]]:
    effects = {KERNEL_EFFECT} if launch.options.has_side_effect else set()
    return [result_aval(avals, shape, dtype) for shape, dtype in launch.results], effects


def refuse_derivative(*_: Any, launch: Launch) -> Any:
    raise UnsupportedTransformError(
        f"the kernel function {launch.name!r} has no derivative: give one, as in "
        "flydsl.jax.jax_kernel(function, out=..., vjp=(forward, backward)), or wrap the call in jax.custom_vjp"
    )


def batched(arrays: Sequence[Any], axes: Sequence[int | None], *, launch: Launch) -> tuple[list[Any], list[int]]:
    """One call for all elements of a batch, when the function says that it can, or one after the other."""
    if launch.options.batchable != "sequential" and any(axis is not None for axis in axes[launch.arrays :]):
        raise UnsupportedTransformError(
            f"the kernel function {launch.name!r} takes one number for a whole batch, and jax.vmap gives one to each "
            "element: batchable='sequential' calls it for each, or make the parameter a fx.Tensor"
        )
    size = next(array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None)
    fronted = [
        array if axis is None else jax.numpy.moveaxis(array, axis, 0) for array, axis in zip(arrays, axes, strict=True)
    ]
    if launch.options.batchable == "sequential":
        outputs = _one_by_one(fronted, [axis is not None for axis in axes], launch)
    elif launch.options.batchable:
        whole = [
            array if axis is not None or index >= launch.arrays else jax.numpy.broadcast_to(array, (size, *array.shape))
            for index, (array, axis) in enumerate(zip(fronted, axes, strict=True))
        ]
        results = tuple(((size, *shape), dtype) for shape, dtype in launch.results)
        outputs = bind(replace(launch, results=results), whole)
    else:
        raise UnsupportedTransformError(
            f"the kernel function {launch.name!r} is not said to work on batches, as jax.vmap makes them: "
            "batchable=True calls it with one more leading mode in all inputs and outputs, which it must then treat "
            "right; batchable='sequential' calls it for each element of the batch"
        )
    return outputs, [0] * len(outputs)


def _one_by_one(arrays: Sequence[Any], is_batched: Sequence[bool], launch: Launch) -> list[Any]:
    mapped = [array for array, batched in zip(arrays, is_batched, strict=True) if batched]

    def step(elements: Sequence[Any]) -> list[Any]:
        rest = iter(elements)
        own = [next(rest) if batched else array for array, batched in zip(arrays, is_batched, strict=True)]
        return bind(launch, own)

    return list(jax.lax.map(step, mapped))


def _lower(context: Any, *operands: Any, launch: Launch, platform: Platform) -> Any:
    """The custom call: which launcher and how to pack its arguments, and never an address."""
    if launch.is_interpreted and not context.module_context.lowering_parameters.for_export:
        return mlir.lower_fun(partial(interpreted, launch=launch))(context, *operands)
    registration.register()
    inputs = [(tuple(aval.shape), aval.dtype) for aval in context.avals_in]
    found = specialise(launch, inputs, platform, _reported(platform))
    attributes: dict[str, Any] = {"key": found.key, "plan": found.plan}
    if _is_embedded(found.module, context):
        attributes["module"] = found.module
    else:
        keep_launcher(found)
    rule = jax.ffi.ffi_lowering(
        CALL,
        operand_output_aliases=dict(launch.options.aliases),
        has_side_effect=launch.options.has_side_effect,
    )
    return rule(context, *operands, **attributes)


def _is_embedded(module: bytes, context: Any) -> bool:
    """Whether the call holds its code: when that is small, or another process may run it."""
    if len(module) <= EMBEDDED_BYTES or context.module_context.lowering_parameters.for_export:
        return True
    settings: Any = jax.config  # whose attributes are made at run time
    return bool(settings.jax_enable_compilation_cache and settings.jax_compilation_cache_dir)


def _reported(platform: Platform) -> tuple[str, ...]:
    """What jax says of the architectures of the devices here, when the platform has some; the backend reads it."""
    if platform is Platform.CPU:
        return ()
    try:
        devices = jax.local_devices(backend=platform.lowering)
    except RuntimeError:  # lowered for another machine
        return ()
    return tuple(sorted({str(getattr(device, "compute_capability", "")) for device in devices} - {""}))


call_p.def_impl(_execute)
call_p.def_effectful_abstract_eval(_results)
ad.primitive_jvps[call_p] = refuse_derivative
ad.primitive_transposes[call_p] = refuse_derivative
batching.primitive_batchers[call_p] = batched
for _platform in Platform:
    mlir.register_lowering(call_p, partial(_lower, platform=_platform), platform=_platform.lowering)
registration.add_launcher_finder(find_launcher)
