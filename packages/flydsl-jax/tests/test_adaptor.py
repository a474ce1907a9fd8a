"""jax arrays: described once they are ready, never written, and refused with help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout
from jax.sharding import NamedSharding, PartitionSpec

import flydsl.jax.adaptor
from flydsl.adaptors.dlpack_adaptor import DLPackAdaptor
from flydsl.adaptors.dtypes import DTYPES
from flydsl.base.errors import UnsupportedTensorError
from flydsl.jax.adaptor import JaxAdaptor
from flydsl.plugins import DeviceKind, DeviceRef

ADAPTOR = JaxAdaptor()
PASSED = sorted(name for name, dtype in DTYPES.items() if dtype.bits >= 8 and hasattr(jnp, name))


def transposed(array: jax.Array) -> jax.Array:
    """The array with its last modes in the other order in memory."""
    order = (*range(array.ndim - 2), array.ndim - 1, array.ndim - 2)
    return jax.device_put(array, Format(Layout(order), array.sharding))


@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (2, 3, 4), (0, 3)])
def test_an_array_is_described_as_dlpack_does(shape: tuple[int, ...]) -> None:
    array = jnp.ones(shape)
    desc = ADAPTOR.describe(array)
    assert desc.shape == shape
    assert (desc.device, desc.read_only) == (DeviceRef(DeviceKind.CPU), True)
    assert ADAPTOR.pointer(array) == desc.pointer
    if array.size:
        expected = DLPackAdaptor().describe(array)
        assert (desc.pointer, desc.strides, desc.dtype) == (expected.pointer, expected.strides, expected.dtype)


def test_the_names_of_dtypes_are_all_there() -> None:
    assert {"bfloat16", "bool", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
            "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int8", "uint32"} <= set(PASSED)  # fmt: skip


@pytest.mark.parametrize("name", PASSED)
def test_dtypes_are_dlpack_numbers(name: str) -> None:
    with jax.enable_x64(True):
        assert ADAPTOR.describe(jnp.zeros(3, name)).dtype == DTYPES[name]


def test_an_array_in_another_order_has_its_strides_in_memory() -> None:
    array = jnp.arange(24.0).reshape(2, 3, 4)
    other = transposed(array)
    assert ADAPTOR.describe(array).strides == (12, 4, 1)
    assert ADAPTOR.describe(other).strides == (12, 1, 3)
    assert ADAPTOR.signature(array) != ADAPTOR.signature(other)
    assert np.array_equal(array, other)


def test_an_address_is_given_once_the_array_is_ready() -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: y @ y / 700, x))
    value = jnp.ones((700, 700))
    slow(value).block_until_ready()  # compiled
    for read in (ADAPTOR.pointer, ADAPTOR.describe):
        pending = slow(value)
        assert not pending.is_ready(), "the test needs an array that is still computed"
        read(pending)
        assert pending.is_ready()


def test_no_array_is_written() -> None:
    array = jnp.ones(3)
    ADAPTOR.before_launch(array, 0, written=False)
    with pytest.raises(UnsupportedTensorError, match=r"jax array never changes: flydsl.jax.call\(function, x, .*out="):
        ADAPTOR.before_launch(array, 0, written=True)


def make_donated() -> jax.Array:
    array = jnp.ones(3)
    jax.jit(lambda x: x + 1, donate_argnums=0)(array).block_until_ready()
    return array


def make_deleted() -> jax.Array:
    array = jnp.ones(3)
    array.delete()
    return array


def make_sharded() -> jax.Array:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.device_put(jnp.arange(8.0), NamedSharding(mesh, PartitionSpec("x")))


def make_tracer() -> Any:
    seen: list[Any] = []
    jax.make_jaxpr(lambda x: seen.append(x) or x)(1.0)  # type: ignore[func-returns-value]
    return seen[0]


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "tracer": (make_tracer, r"a jax tracer .* has no memory yet: .*flydsl.jax.call"),
    "donated": (make_donated, r"shape \(3,\) was deleted or donated"),
    "deleted": (make_deleted, r"shape \(3,\) was deleted or donated"),
    "sharded": (make_sharded, "spread over 4 devices: .*shard_map"),
    "random key": (lambda: jax.random.key(0), r"key<fry> has no elements .*jax.random.key_data"),
    "reference": (lambda: jax.new_ref(jnp.ones(3)), r"Ref of jax is no array: pass the array in it"),
    "int4": (lambda: jnp.zeros(4, "int4"), "dtype 'int4' .* smaller than a byte"),
    "uint4": (lambda: jnp.zeros(4, "uint4"), "dtype 'uint4' .* smaller than a byte"),
    "float4": (lambda: jnp.zeros(4, "float4_e2m1fn"), "dtype 'float4_e2m1fn' .* smaller than a byte"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_kernel_can_read_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(UnsupportedTensorError, match=message):
        ADAPTOR.describe(make())


def test_an_array_that_is_gone_has_another_signature() -> None:
    array = jnp.ones((2, 3))
    before = ADAPTOR.signature(array)
    assert before == ADAPTOR.signature(jnp.zeros((2, 3)))
    array.delete()
    assert ADAPTOR.signature(array) != before


def test_arrays_on_other_devices_of_the_host_are_host_memory() -> None:
    last = jax.devices()[-1]
    assert ADAPTOR.describe(jax.device_put(jnp.ones(3), last)).device == DeviceRef(DeviceKind.CPU)


class Device:
    """A device of a GPU, as jax describes one."""

    def __init__(self, platform: str, version: str, ordinal: int) -> None:
        self.platform, self.local_hardware_id = platform, ordinal
        self.client = type("Client", (), {"platform_version": version})()


@pytest.mark.parametrize("platform, version, memory, expected", [
    ("gpu", "PJRT C API\nrocm 70100", "device", DeviceRef(DeviceKind.ROCM, 3)),
    ("gpu", "PJRT C API\ncuda 13010", "device", DeviceRef(DeviceKind.CUDA, 3)),
    ("gpu", "PJRT C API\ncuda 13010", "pinned_host", DeviceRef(DeviceKind.CPU)),
])  # fmt: skip
def test_gpus_are_told_apart_by_their_platform(platform: str, version: str, memory: str, expected: DeviceRef) -> None:
    device = Device(platform, version, 3)
    sharding = type("Sharding", (), {"device_set": {device}, "memory_kind": memory})()
    array = type("Array", (), {"sharding": sharding})()
    assert flydsl.jax.adaptor._device(array) == expected


def test_a_platform_without_pointers_is_refused() -> None:
    sharding = type("Sharding", (), {"device_set": {Device("tpu", "", 0)}, "memory_kind": "device"})()
    with pytest.raises(UnsupportedTensorError, match="platform 'tpu'"):
        flydsl.jax.adaptor._device(type("Array", (), {"sharding": sharding})())
