"""Kernel calls that the interpreter runs: callbacks of XLA to Python, on memory of the host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

from flydsl.compiler import interpret
from flydsl.jax.launch import ARRAY, Launch
from flydsl.jax.numbers import number_of

_ALIGNMENT = 64
"""Bytes that addresses of XLA's buffers are multiples of on the CPU."""


def interpreted(*arrays: Any, launch: Launch) -> list[Any]:
    """The outputs of a call that the interpreter runs; its errors are those of the program that XLA runs."""
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in launch.results]
    run = partial(run_on_host, launch)
    if launch.options.has_side_effect:
        return list(io_callback(run, results, *arrays))
    return list(jax.pure_callback(run, results, *arrays))


def run_on_host(launch: Launch, *arrays: Any) -> list[np.ndarray[Any, Any]]:
    """Interpret a call: the outputs are new arrays. Its errors are KernelErrors, with the line of the kernel."""
    names, options = launch.parameters_of(ARRAY), launch.options
    sources = {target: source for source, target in options.aliases}
    inputs = [_read_only(np.asarray(array)) for array in arrays[: launch.arrays]]
    numbers = map(number_of, launch.number_types(), map(np.asarray, arrays[launch.arrays :]))
    outputs = []
    for number, (shape, dtype) in enumerate(launch.results):
        made = _aligned(shape, dtype)
        if number in sources:  # the output is in the memory of the input
            np.copyto(made, inputs[sources[number]])
            inputs[sources[number]] = made
        outputs.append(made)
    tensors = [options.laid_out(name, _repeated(array)) for name, array in zip(names, inputs, strict=True)]
    arguments = launch.arguments([*tensors, *numbers])
    shared = set(sources) if launch.is_shared else set()
    own = [made for number, made in enumerate(outputs) if number not in shared]
    arguments |= {name: options.laid_out(name, made) for name, made in zip(launch.outputs, own, strict=True)}
    arguments |= {p.name: None for p in launch.function.parameters if p.kind == "stream"}
    interpret(launch.function)(**arguments)
    return outputs


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A row-major copy that is aligned as XLA's buffers are, or the array itself if it is so already."""
    if not array.flags.c_contiguous or array.ctypes.data % _ALIGNMENT:
        np.copyto(copied := _aligned(array.shape, array.dtype), array)
        array = copied
    view = array.view()
    view.flags.writeable = False
    return view


def _repeated(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of one number that no kernel writes as compiled code has it: each index gives the number."""
    if array.shape or array.flags.writeable:
        return array
    return np.lib.stride_tricks.as_strided(array, (1,), (0,), writeable=False)


def _aligned(shape: Sequence[int], dtype: Any) -> np.ndarray[Any, Any]:
    """A new array of undefined elements."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    made: np.ndarray[Any, Any] = memory[start : start + size].view(dtype).reshape(shape)
    return made
