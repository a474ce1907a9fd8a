"""Numbers of kernels that a program of XLA takes as inputs: of Python, NumPy, or computed by jax."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.jax_kernels import add, affine

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, UnsupportedTransformError
from flydsl.jax import call, jax_kernel, specialise

X = np.arange(8, dtype=np.float32)
kernel = jax_kernel(affine, out=lambda x, *_, **__: x)


@contextmanager
def count_programs() -> Iterator[list[str]]:
    """The programs that XLA compiles inside of the block."""
    found: list[str] = []

    def note(name: str, *_: object, **__: object) -> None:
        if "backend_compile" in name:
            found.append(name)

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        yield found
    finally:
        jax.monitoring.unregister_event_duration_listener(note)


def made(annotation: type) -> flyc.JitFunction:
    """A function of one number of this type, which becomes the elements of the output as words of 64 bits."""

    @flyc.kernel
    def keep_kernel(n: annotation, y: fx.Tensor):
        y[0] = fx.Float32(n)

    @flyc.jit
    def keep(n: annotation, y: fx.Tensor):
        keep_kernel(n, y).launch(grid=1, block=1)

    return keep


def test_a_number_that_jax_computes_is_one_of_run_time():
    for number in (jnp.float32(3), jnp.int32(3), jnp.bfloat16(3), np.array(3.0), np.array(3), jnp.array(True) * 3):
        np.testing.assert_array_equal(kernel(X, number), X * 3)
        np.testing.assert_array_equal(jax.jit(kernel)(X, number), X * 3)
    found = jax.jit(lambda x: kernel(x, x.sum(), shift=1.0))(X)
    np.testing.assert_array_equal(found, X * X.sum() + 1)
    scanned = jax.lax.scan(lambda x, n: (kernel(x, n), None), jnp.asarray(X), jnp.array([2.0, 3.0, 0.5]))[0]
    np.testing.assert_array_equal(scanned, X * 3)
    looped = jax.lax.fori_loop(1, 4, lambda i, x: kernel(x, i), jnp.asarray(X))
    np.testing.assert_array_equal(looped, X * 6)


@pytest.mark.parametrize("through", [kernel, lambda x, n: call(affine, x, n, out=x)], ids=["jax_kernel", "call"])
@pytest.mark.parametrize("of", [float, np.float32, jnp.float32, lambda n: np.array(n, np.float32)])
def test_other_numbers_need_no_other_program(through, of):
    through(X, of(0.5))
    before = len(specialise._launchers)
    with count_programs() as programs:
        for step in range(50):
            np.testing.assert_array_equal(through(X, of(step / 8)), X * np.float32(step / 8))
    assert programs == []
    assert len(specialise._launchers) == before


def test_what_a_number_decides_besides_is_right_for_each():
    """The shape of the output by a number, and a grid by one."""

    @flyc.kernel
    def fill_kernel(y: fx.Tensor, value: fx.Float32):
        y[fx.block_idx.x] = value

    @flyc.jit
    def fill(n: fx.Int32, value: fx.Float32, y: fx.Tensor):
        fill_kernel(y, value).launch(grid=n, block=1)

    filled = jax_kernel(fill, out=lambda n, value: jax.ShapeDtypeStruct((n,), jnp.float32))
    for n in (3, 1, 3, 5):
        np.testing.assert_array_equal(filled(n, n / 2), np.full(n, n / 2, np.float32))
    fixed = jax_kernel(fill, out=lambda n, value: jax.ShapeDtypeStruct((8,), jnp.float32))
    with count_programs() as programs:
        for n in (8, 2, 5):
            np.testing.assert_array_equal(np.asarray(fixed(n, 2.5))[:n], np.full(n, 2.5, np.float32))
    assert len(programs) <= 1
    branched = jax_kernel(affine, out=lambda x, n: x if n == 1.0 else jax.ShapeDtypeStruct((2,), jnp.float32))
    assert [branched(X, n).shape for n in (1.0, 2.0, 1.0)] == [(8,), (2,), (8,)]


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (fx.Float32, [0.0, -0.0, float("inf"), float("nan"), 1e-30, 3.4e38, True, 7]),
        (fx.Float64, [1e300, -1e-300, 0.1]),
        (fx.Float16, [65504.0, 0.1, -0.0]),
        (fx.BFloat16, [3e38, 0.1]),
        (fx.Int8, [-128, 127, True]),
        (fx.Uint8, [0, 255]),
        (fx.Int32, [-(2**31), 2**31 - 1]),
        (fx.Uint32, [2**32 - 1]),
        (fx.Int64, [-(2**63), 2**63 - 1, 5]),
        (fx.Uint64, [2**64 - 1]),
        (fx.Boolean, [True, False]),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_numbers_of_each_type_arrive_to_the_last_bit(annotation, values):
    keep = made(annotation)
    through = jax_kernel(keep, out=lambda n: jax.ShapeDtypeStruct((1,), jnp.float32))
    for value in values:
        expected = np.zeros(1, np.float32)
        keep(value, expected)
        found = np.asarray(through(value))
        assert found.tobytes() == expected.tobytes(), value
        baked = np.asarray(jax.jit(lambda value=value: through(value))())
        assert baked.tobytes() == expected.tobytes(), value


def test_traced_integers_of_64_bits_have_their_signs():
    through = jax_kernel(made(fx.Int64), out=lambda n: jax.ShapeDtypeStruct((1,), jnp.float32))
    for value in (-7, 7, 0, -(2**31), 2**31 - 1):
        np.testing.assert_array_equal(jax.jit(through)(jnp.int32(value)), np.float32([value]))
    np.testing.assert_array_equal(through(jnp.uint32(2**32 - 1)), np.float32([2**32 - 1]))


@pytest.mark.parametrize(
    ("annotation", "number", "text"),
    [
        (fx.Int32, jnp.float32(2), "'n' is a Int32, which does not hold each float32: convert it, .*astype"),
        (fx.Int8, jnp.int32(2), "'n' is a Int8, which does not hold each int32"),
        (fx.Uint32, jnp.int32(2), "'n' is a Uint32, which does not hold each int32"),
        (fx.Boolean, jnp.int32(1), "'n' is a Boolean, which does not hold each int32"),
        (fx.Float32, jnp.complex64(1), r"'n' is a number of run time, found an array of complex64\[\]"),
        (fx.Float32, jnp.ones(1), r"'n' is a number of run time, found an array of float32\[1\].*fx.Tensor"),
        (fx.Float64, jnp.float32(1), "'n' is a Float64, .*jax_enable_x64.*pass a Python number"),
        (fx.Int8, 128, "argument 'n': 128 does not fit in Int8; pass a value from -128 to 127"),
        (fx.Int32, 2.5, "argument 'n': an Int32 takes an integer, found 2.5"),
        (fx.Float16, 1e6, "argument 'n': .*does not fit in Float16"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(annotation, number, text):
    through = jax_kernel(made(annotation), out=lambda n: jax.ShapeDtypeStruct((1,), jnp.float32))
    for _ in range(2):
        with pytest.raises(ArgumentError, match=text):
            through(number)


def test_numbers_without_a_type_of_their_own_fit_narrow_parameters():
    through = jax_kernel(made(fx.Int8), out=lambda n: jax.ShapeDtypeStruct((1,), jnp.float32))
    np.testing.assert_array_equal(jax.jit(through)(5), np.float32([5]))


def test_a_number_for_a_tensor_is_an_array_of_shape_nothing():
    for number in (2.0, 2, np.float32(2), jnp.float32(2), np.array(2.0, np.float32)):
        np.testing.assert_array_equal(call(add, X, number, out=X), X + 2)
        np.testing.assert_array_equal(jax.jit(lambda x, n: call(add, x, n, out=x))(X, number), X + 2)
    total = jax_kernel(add, out=lambda a, b: jax.ShapeDtypeStruct((), jnp.float32))
    assert total(1.5, 2.5) == 4
    scaled = jax_kernel(add, out=lambda x, _: x)
    scaled(X, 0.5)
    with count_programs() as programs:
        for step in range(50):
            np.testing.assert_array_equal(scaled(X, step / 8), X + np.float32(step / 8))
    assert programs == []


def test_derivatives_are_by_arrays_alone():
    def backward(residuals, g):
        (x,) = residuals
        return (g * x,)

    plain = jax_kernel(affine, out=lambda x, *_: x, vjp=(None, backward))
    kept = jax_kernel(affine, out=lambda x, *_: x, vjp=(lambda x, n: (kernel(x, n), n), lambda n, g: (g * n,)))
    for number in (3.0, jnp.float32(3)):
        np.testing.assert_array_equal(jax.grad(lambda x, n=number: plain(x, n).sum())(X), X)
        np.testing.assert_array_equal(jax.grad(lambda x, n: kept(x, n).sum())(X, number), np.full(8, 3))
        np.testing.assert_array_equal(jax.jit(jax.grad(lambda x, n: kept(x, n).sum()))(X, number), np.full(8, 3))
    for wrapped in (lambda f: f, jax.jit):
        with pytest.raises(UnsupportedTransformError, match=r"no derivative by its numbers \('factor'\)"):
            wrapped(jax.grad(lambda n: kept(X, n).sum()))(3.0)
        with pytest.raises(UnsupportedTransformError, match="no derivative"):
            wrapped(jax.grad(lambda n: kernel(X, n).sum()))(3.0)
    np.testing.assert_array_equal(jax.grad(lambda n: kept(X, jax.lax.stop_gradient(n)).sum())(3.0), 0)


def test_batches_have_one_number_or_go_one_by_one():
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    whole = jax_kernel(affine, out=lambda x, *_: x, batchable=True)
    single = jax_kernel(affine, out=lambda x, *_: x, batchable="sequential")
    numbers = jnp.array([1.0, 2.0, 3.0])
    for one in (whole, single):
        np.testing.assert_array_equal(jax.vmap(one, (0, None))(rows, jnp.float32(2)), rows * 2)
        np.testing.assert_array_equal(jax.vmap(lambda x, one=one: one(x, 2.0))(rows), rows * 2)
    np.testing.assert_array_equal(jax.vmap(single)(rows, numbers), rows * np.asarray(numbers)[:, None])
    np.testing.assert_array_equal(jax.vmap(single, (None, 0))(rows[0], numbers), np.outer(numbers, rows[0]))
    with pytest.raises(UnsupportedTransformError, match="one number for a whole batch.*batchable='sequential'"):
        jax.vmap(whole)(rows, numbers)


def test_shards_take_numbers():
    ruled = jax_kernel(affine, out=lambda x, *_: x, sharding_rule="i -> i")
    mesh = jax.make_mesh((4,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    split = jax.device_put(X, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows")))
    np.testing.assert_array_equal(ruled(split, 2.0), X * 2)
    np.testing.assert_array_equal(jax.jit(ruled)(split, jnp.float32(3)), X * 3)
    text = jax.jit(ruled).lower(split, jnp.float32(3)).compile().as_text()
    assert "all-gather" not in text
    spec = jax.sharding.PartitionSpec("rows")
    parts = jax.shard_map(kernel, mesh=mesh, in_specs=(spec, jax.sharding.PartitionSpec()), out_specs=spec)
    np.testing.assert_array_equal(parts(split, jnp.float32(2)), X * 2)


def test_aliases_count_arrays():
    @flyc.kernel
    def scale_kernel(x: fx.Tensor, factor: fx.Float32):
        x[fx.thread_idx.x] = x[fx.thread_idx.x] * factor

    @flyc.jit
    def scale(factor: fx.Float32, x: fx.Tensor):
        scale_kernel(x, factor).launch(grid=1, block=8)

    scaled = jax_kernel(scale, out=lambda factor, x: x, aliases={0: 0})
    for number in (2.0, jnp.float32(2)):
        np.testing.assert_array_equal(scaled(number, X), X * 2)
        donated = jax.jit(scaled, donate_argnums=1)(number, jnp.asarray(X) + 0)
        np.testing.assert_array_equal(donated, X * 2)


def test_the_interpreter_takes_numbers():
    with flyc.interpret():
        np.testing.assert_array_equal(kernel(X, 2.5), X * 2.5)
        np.testing.assert_array_equal(jax.jit(lambda x, n: kernel(x, n + 1))(X, 1.5), X * 2.5)
        np.testing.assert_array_equal(call(add, X, 2.0, out=X), X + 2)


@pytest.mark.parametrize("platform", ["rocm", "cuda"])
def test_a_launch_on_a_gpu_cannot_read_a_number(platform):
    lowered = jax.jit(kernel).trace(X, jnp.float32(2))
    with pytest.raises(ArgumentError, match=rf"'factor' .* platform '{platform}' cannot read.*fx.Tensor of shape \(\)"):
        lowered.lower(lowering_platforms=(platform,))
    jax.jit(lambda x: kernel(x, 2.0)).trace(X).lower(lowering_platforms=(platform,))
