"""Kernels as custom calls of jitted programs, through the native handler: right numbers, and errors that say why."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.dtypes import DTYPES
from flydsl.compiler import AbstractTensor
from flydsl.compiler.aot.portable import CallTemplate
from flydsl.jax import native, registration
from flydsl.jax.plan import Buffer, CallPlan
from flydsl.jax.platforms import CALL, CALL_NOGRAPH, Platform

BLOCK = 64
JaxRuntimeError = jax.errors.JaxRuntimeError


@flyc.kernel
def blend_kernel(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, weight: fx.Float32):
    column = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if column < out.shape[1]:
        for row in range(out.shape[0]):
            out[row, column] = a[row, column] * weight + b[column]


@flyc.jit
def blend(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, weight: fx.Float32):
    blend_kernel(a, b, out, weight).launch(grid=fx.ceil_div(out.shape[1], BLOCK), block=BLOCK)


@flyc.jit
def blend_by(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, block: fx.Int32):
    blend_kernel(a, b, out, 1.0).launch(grid=fx.ceil_div(out.shape[1], BLOCK), block=block)


@pytest.fixture(autouse=True)
def _registered() -> None:
    registration.register()


def code(shape: tuple[int | None, ...], number: Any = 0.75, function: Any = blend) -> CallTemplate:
    tensors = [AbstractTensor(extents, DTYPES["float32"]) for extents in (shape, shape[1:], shape)]
    portable: CallTemplate = function.portable(*tensors, number)
    return portable


def plan_of(portable: CallTemplate) -> bytes:
    return CallPlan.of(portable, [Buffer(False, 0), Buffer(False, 1), Buffer(True, 0)], 2, 1).encode()


def caller(portable: CallTemplate, target: str = CALL, **changed: Any) -> Callable[..., jax.Array]:
    """The kernel as a function of arrays; `changed` replaces attributes of the call, None takes one away."""
    given = {"key": portable.key, "plan": plan_of(portable), "module": portable.artifact.launcher, **changed}
    attributes = {name: value for name, value in given.items() if value is not None}

    def call(a: jax.Array, b: jax.Array) -> jax.Array:
        return jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(a.shape, a.dtype))(a, b, **attributes)

    return call


def operands(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, b = rng.standard_normal(shape, np.float32), rng.standard_normal(shape[1:], np.float32)
    return a, b, a.astype(np.float64) * 0.75 + b


@pytest.mark.parametrize("name", [CALL, CALL_NOGRAPH])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 130), (7, 64)])
def test_a_jitted_program_computes_what_the_kernel_computes(
    shape: tuple[int, int], is_open: bool, name: str, rng: np.random.Generator
) -> None:
    a, b, expected = operands(rng, shape)
    call = jax.jit(caller(code((None, None) if is_open else shape), name))
    np.testing.assert_allclose(call(a, b), expected, rtol=1e-6, atol=1e-6)


def test_open_code_takes_every_shape_on_every_device(rng: np.random.Generator) -> None:
    call = jax.jit(caller(code((None, None))))
    for device, shape in zip(jax.devices("cpu"), [(1, 200), (5, 3), (2, 64), (9, 65)], strict=True):
        a, b, expected = operands(rng, shape)
        found = call(jax.device_put(a, device), jax.device_put(b, device))
        assert found.devices() == {device}
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_an_empty_tensor_is_no_work() -> None:
    assert jax.jit(caller(code((None, None))))(jnp.zeros((3, 0)), jnp.zeros(0)).shape == (3, 0)


def test_code_of_a_known_key_need_not_travel_with_the_call(rng: np.random.Generator) -> None:
    portable, (a, b, expected) = code((4, 5), 0.75), operands(rng, (4, 5))
    native.add_launcher(Platform.CPU, portable.key, portable.artifact.launcher)
    np.testing.assert_allclose(jax.jit(caller(portable, module=None))(a, b), expected, rtol=1e-6)


def test_a_finder_is_asked_for_code_that_is_not_known(rng: np.random.Generator) -> None:
    portable, (a, b, expected) = code((6, 5), 0.75), operands(rng, (6, 5))
    asked = []

    def find(platform: Platform, key: str) -> bytes | None:
        asked.append((platform, key))
        return portable.artifact.launcher if key == portable.key else None

    registration.add_launcher_finder(find)
    np.testing.assert_allclose(jax.jit(caller(portable, module=None))(a, b), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(caller(portable, module=None))(a, b), expected, rtol=1e-6)
    assert asked == [(Platform.CPU, portable.key)]


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"key": "ab" * 32, "module": None}, f"NOT_FOUND: .*{'ab' * 32} is known in this process for platform cpu"),
        ({"key": "short"}, "INVALID_ARGUMENT: .*`key` is 64 hexadecimal digits in lower case, found 5 bytes"),
        ({"key": None}, "INVALID_ARGUMENT: .*attribute `key` is missing"),
        ({"plan": None}, "INVALID_ARGUMENT: .*attribute `plan` is missing"),
        ({"plan": np.int32(3)}, "INVALID_ARGUMENT: .*attribute `plan` is no string"),
        ({"plan": b"FLYP"}, "INVALID_ARGUMENT: .*plan of a call is bad: 4 bytes are less than a header"),
        ({"key": "cd" * 32, "module": b"\x7fELF"}, "INVALID_ARGUMENT: .*`module` is no shared object: 4 bytes"),
    ],
)
def test_a_bad_call_raises_and_the_process_goes_on(
    changed: dict[str, Any], text: str, rng: np.random.Generator
) -> None:
    portable, (a, b, expected) = code((3, 7)), operands(rng, (3, 7))
    with pytest.raises(JaxRuntimeError, match=text):
        jax.jit(caller(portable, **changed))(a, b)
    np.testing.assert_allclose(jax.jit(caller(portable))(a, b), expected, rtol=1e-6, atol=1e-6)


def test_arrays_that_the_code_is_not_for_are_refused() -> None:
    portable = code((3, 7))
    with pytest.raises(JaxRuntimeError, match="blend: input 0 has extent 4 of mode 0, and the code is for 3"):
        jax.jit(caller(portable))(jnp.zeros((4, 7)), jnp.zeros(7)).block_until_ready()
    with pytest.raises(JaxRuntimeError, match="blend: input 1 has rank 2, and the code is for rank 1"):
        jax.jit(caller(portable))(jnp.zeros((3, 7)), jnp.zeros((1, 7))).block_until_ready()
    with pytest.raises(JaxRuntimeError, match=r"blend: input 0 has elements of 16 bits .* the code is for 32 bits"):
        jax.jit(caller(portable))(jnp.zeros((3, 7), jnp.float16), jnp.zeros(7)).block_until_ready()


def test_a_launch_that_fails_names_its_kernel_and_says_why() -> None:
    a, b = jnp.zeros((3, 7)), jnp.zeros(7)
    call = jax.jit(caller(code((3, 7), -1, blend_by)))
    for _ in range(2):
        with pytest.raises(JaxRuntimeError, match="blend_by: the launch failed with code -2: .*block .*is negative"):
            call(a, b).block_until_ready()
    call = jax.jit(caller(code((3, 7), 1 << 20, blend_by)))
    with pytest.raises(JaxRuntimeError, match=r"blend_by: the launch failed with code \d+: .*blend_kernel"):
        call(a, b).block_until_ready()


def test_states_end_with_their_executables_and_code_is_loaded_once() -> None:
    gc.collect()
    before, portable = native.counts(), code((3, 11), 0.5)
    a, b = jnp.ones((3, 11)), jnp.ones(11)

    def many(a: jax.Array, b: jax.Array, steps: int) -> jax.Array:
        for _ in range(steps):
            a = caller(portable)(a, b)
        return a

    threads = [threading.Thread(target=jax.jit(many, static_argnums=2), args=(a, b, n)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = native.counts()
    assert made.instantiated - before.instantiated >= 36
    assert (made.opened - before.opened, made.loaded - before.loaded) == (1, 1)
    jax.clear_caches()
    gc.collect()
    assert native.counts().instantiated == native.counts().destroyed
