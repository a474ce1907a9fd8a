"""The tensor adaptor for jax: arrays as inputs of kernels, ready when they are read and never written.

A jax array is immutable and may share its memory with others, and it exists before its values do. Its address is
therefore given only once it is ready, and a kernel that writes it is refused: `flydsl.jax.call` makes new arrays.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from flydsl.backend.frameworks import DTYPES, with_article
from flydsl.base.errors import UnsupportedTensorError
from flydsl.jax.supported_jax import check_version
from flydsl.plugins import DeviceKind, DeviceRef, DType, TensorAdaptor, TensorDesc

_FUNCTIONAL = "flydsl.jax.call(function, x, ..., out=jax.ShapeDtypeStruct(shape, dtype))"
_HOST_MEMORY = frozenset({"pinned_host", "unpinned_host"})


class JaxAdaptor(TensorAdaptor):
    """Arrays on one device; each can be an input."""

    name = "jax"
    read_only_advice = f"a jax array never changes: {_FUNCTIONAL} returns new arrays"

    def __init__(self) -> None:
        check_version()

    def describe(self, obj: Any) -> TensorDesc:
        """The array's description, once it is ready; UnsupportedTensorError for one that no kernel can read."""
        _check_form(obj)
        dtype, shape = _dtype(obj.dtype), tuple(obj.shape)
        return TensorDesc(
            pointer=self.pointer(obj),
            shape=shape,
            strides=_strides(shape, _order(obj)),
            dtype=dtype,
            device=_device(obj),
            read_only=True,
        )

    def signature(self, obj: Any) -> Hashable:
        """dtype, shape, layout, where it is, and whether it is there still."""
        return obj.dtype, obj.shape, _order(obj), obj.sharding, obj.is_deleted()

    def pointer(self, obj: Any) -> int:
        """Address of the first element, which waits until the array is ready."""
        return int(obj.block_until_ready().unsafe_buffer_pointer())

    def before_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Refuse to write."""
        if written:
            raise UnsupportedTensorError(f"the array is read-only and the kernel writes it; {self.read_only_advice}")


def _check_form(obj: Any) -> None:
    """UnsupportedTensorError unless `obj` is an array with elements in the memory of one device."""
    if isinstance(obj, jax.core.Tracer):  # first: a tracer has all that an array has, but memory
        raise UnsupportedTensorError(
            "a jax tracer (a value inside jax.jit, grad or vmap) has no memory yet: call the kernel there as "
            f"{_FUNCTIONAL}, which works on arrays too"
        )
    if not isinstance(obj, jax.Array):
        raise UnsupportedTensorError(
            f"{with_article(type(obj).__name__)} of jax is no array: pass the array in it, ref[...]"
        )
    if jnp.issubdtype(obj.dtype, jax.dtypes.extended):
        raise UnsupportedTensorError(
            f"an array of {obj.dtype} has no elements that a kernel could read: pass jax.random.key_data(keys)"
        )
    if obj.is_deleted():
        raise UnsupportedTensorError(
            f"the array of shape {tuple(obj.shape)} was deleted or donated (donate_argnums): its memory is gone; pass "
            "one that is still in use"
        )
    count = len(obj.sharding.device_set)
    if count > 1:
        raise UnsupportedTensorError(
            f"the array is spread over {count} devices: call {_FUNCTIONAL} inside jax.shard_map, or pass the shards "
            "one by one (x.addressable_shards)"
        )


def _dtype(dtype: Any) -> DType:
    found = DTYPES.get(dtype.name)
    if found is None or found.bits < 8:
        reason = "its elements are smaller than a byte, and jax does not say how they lie in memory: " if found else ""
        raise UnsupportedTensorError(
            f"dtype {dtype.name!r} cannot be passed to a kernel: {reason}convert it, such as x.astype(jnp.int8)"
        )
    return found


def _order(array: Any) -> tuple[int, ...]:
    """The modes from the slowest to the fastest."""
    if array.ndim < 2:
        return tuple(range(array.ndim))
    layout = array.format.layout
    if layout is None:  # of an array that was deleted
        return tuple(range(array.ndim))
    if getattr(layout, "tiling", None):
        raise UnsupportedTensorError("the array lies in memory in tiles: pass jnp.copy(x) with the default layout")
    return tuple(layout.major_to_minor)


def _strides(shape: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for position, mode in enumerate(order):
        strides[mode] = prod(max(1, shape[later]) for later in order[position + 1 :])
    return tuple(strides)


def _device(array: Any) -> DeviceRef:
    (device,) = array.sharding.device_set
    if device.platform == "cpu" or array.sharding.memory_kind in _HOST_MEMORY:
        return DeviceRef(DeviceKind.CPU)
    if device.platform not in ("gpu", "cuda", "rocm"):
        raise UnsupportedTensorError(f"an array on platform {device.platform!r} cannot be passed to a kernel")
    is_rocm = "rocm" in f"{device.platform} {device.client.platform_version}".lower()
    return DeviceRef(DeviceKind.ROCM if is_rocm else DeviceKind.CUDA, max(device.local_hardware_id or 0, 0))
