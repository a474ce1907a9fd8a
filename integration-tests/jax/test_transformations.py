"""What jax makes of functions with kernels: batches, derivatives, shards, effects."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from support.jax_kernels import add, affine, reverse, row_sums

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTransformError
from flydsl.jax import call, jax_kernel


def like_first(x, *_, **__):
    return x


def floats(rng: np.random.Generator, *shape: int) -> jax.Array:
    return jnp.asarray(rng.standard_normal(shape, np.float32))


# batches


def test_a_batch_is_refused_until_the_kernel_is_said_to_take_it(rng):
    x = floats(rng, 4, 9)
    for kernel in (jax_kernel(add, out=like_first), jax.jit(jax_kernel(add, out=like_first))):
        with pytest.raises(UnsupportedTransformError, match=r"'add' is not said to work on batches.*batchable=True"):
            jax.vmap(kernel)(x, x)
    with pytest.raises(NotImplementedError):
        jax.vmap(lambda x: call(add, x, x, out=x))(x)


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0), (1, 0), (1, None)])
@pytest.mark.parametrize("batchable", [True, "sequential"])
def test_batches_of_any_axes_give_what_a_loop_gives(rng, in_axes, batchable):
    a = floats(rng, 6) if in_axes[0] is None else jnp.moveaxis(floats(rng, 5, 6), 0, in_axes[0])
    b = floats(rng, 6) if in_axes[1] is None else jnp.moveaxis(floats(rng, 5, 6), 0, in_axes[1])
    kernel = jax_kernel(add, out=like_first, batchable=batchable)
    expected = jax.vmap(jnp.add, in_axes)(a, b)
    np.testing.assert_array_equal(jax.vmap(kernel, in_axes)(a, b), expected)
    np.testing.assert_array_equal(jax.jit(jax.vmap(kernel, in_axes))(a, b), expected)


def test_batches_of_batches_and_of_static_outputs(rng):
    a = floats(rng, 3, 4, 7)
    kernel = jax_kernel(add, out=jax.ShapeDtypeStruct((7,), jnp.float32), batchable=True)
    np.testing.assert_array_equal(jax.vmap(jax.vmap(kernel))(a, a), np.asarray(a) * 2)


def test_a_kernel_that_is_wrong_on_batches_is_right_one_by_one(rng):
    x = floats(rng, 5, 8)
    kernel = jax_kernel(reverse, out=like_first, batchable="sequential")
    np.testing.assert_array_equal(jax.vmap(kernel)(x), np.asarray(x)[:, ::-1])
    matrices = floats(rng, 3, 4, 5)
    sums = jax_kernel(row_sums, out=lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype), batchable="sequential")
    np.testing.assert_allclose(jax.vmap(sums)(matrices), np.asarray(matrices).sum(2), rtol=1e-5)


# derivatives


@flyc.kernel
def product_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(z)):
        z[i] = x[i] * x[i] * y[i]


@flyc.jit
def square_times(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    product_kernel(x, y, z).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(z)), 32), block=32)


def square_times_backward(residuals, g):
    x, y = residuals
    return 2 * x * y * g, x * x * g


def finite_difference(function, x, step=1e-6):
    """The gradient of a function of one array to a number, in float64."""
    x, found = np.asarray(x, np.float64), np.zeros(np.shape(x))
    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        found[index] = (function(ahead) - function(behind)) / (2 * step)
    return found


def test_a_kernel_without_a_derivative_says_how_to_give_one(rng):
    kernel, x = jax_kernel(add, out=like_first), floats(rng, 5)
    for transform in (jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: lambda x: jax.jvp(f, (x,), (x,))):
        with pytest.raises(UnsupportedTransformError, match=r"'add' has no derivative: .*vjp=\(forward, backward\)"):
            transform(lambda x: kernel(x, x).sum())(x)
    stopped = jax.grad(lambda x: (kernel(*[jax.lax.stop_gradient(x)] * 2) * x).sum())(x)
    np.testing.assert_array_equal(stopped, np.asarray(x) * 2)


@pytest.mark.parametrize("way", ["vjp", "defvjp", "forward", "call"])
def test_gradients_agree_with_finite_differences(rng, way):
    x, y = floats(rng, 7), floats(rng, 7)
    vjp = (None, square_times_backward)
    if way == "forward":
        kernel = jax_kernel(square_times, out=like_first)
        kernel.defvjp(lambda x, y: (kernel(x, y), (x, y)), square_times_backward)
    elif way == "defvjp":
        kernel = jax_kernel(square_times, out=like_first)
        kernel.defvjp(None, square_times_backward)
    elif way == "vjp":
        kernel = jax_kernel(square_times, out=like_first, vjp=vjp)
    else:
        kernel = lambda x, y: call(square_times, x, y, out=x, vjp=vjp)  # noqa: E731
    loss = lambda x, y: jnp.sin(kernel(x, y)).sum()  # noqa: E731
    x64, y64 = np.asarray(x, np.float64), np.asarray(y, np.float64)
    expected = (
        finite_difference(lambda x: np.sin(x * x * y64).sum(), x64),
        finite_difference(lambda y: np.sin(x64 * x64 * y).sum(), y64),
    )
    for gradient in (jax.grad(loss, (0, 1)), jax.jit(jax.grad(loss, (0, 1))), jax.grad(jax.jit(loss), (0, 1))):
        for found, wanted in zip(gradient(x, y), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-5)


def test_gradients_of_batches_and_batches_of_gradients(rng):
    x, y = floats(rng, 4, 6), floats(rng, 4, 6)
    kernel = jax_kernel(square_times, out=like_first, vjp=(None, square_times_backward), batchable=True)
    expected = 2 * np.asarray(x) * np.asarray(y)
    np.testing.assert_allclose(jax.vmap(jax.grad(lambda x, y: kernel(x, y).sum()))(x, y), expected, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(lambda x: jax.vmap(kernel)(x, y).sum())(x), expected, rtol=1e-5)


def test_a_derivative_has_the_numbers_of_the_call(rng):
    x = floats(rng, 9)
    kernel = jax_kernel(
        affine,
        out=like_first,
        vjp=(lambda x, factor, shift: (x * factor + shift, factor), lambda factor, g: (g * factor,)),
    )
    for factor in (3.0, -2.0):
        gradient = jax.grad(lambda x, factor=factor: kernel(x, factor, 1.0).sum())(x)
        np.testing.assert_array_equal(gradient, np.full(9, factor, np.float32))


def test_a_wrong_number_of_cotangents_is_an_error(rng):
    x = floats(rng, 3)
    kernel = jax_kernel(add, out=like_first, vjp=(None, lambda _, g: g))
    with pytest.raises(TypeError, match="add: backward gives 1 cotangents, expected one for each array: 'a', 'b'"):
        jax.grad(lambda x: kernel(x, x).sum())(x)
    other = jax_kernel(add, out=like_first, vjp=(lambda a, b: ((a, b), None), lambda _, g: (g, g)))
    with pytest.raises(TypeError, match="add: forward gives outputs as"):
        jax.grad(lambda x: other(x, x).sum())(x)


def test_a_derivative_in_checkpoint_and_scan(rng):
    x = floats(rng, 5)
    kernel = jax_kernel(square_times, out=like_first, vjp=(None, square_times_backward))
    kept = jax.grad(lambda x: jax.checkpoint(lambda x: kernel(x, x).sum())(x))(x)
    np.testing.assert_allclose(kept, 3 * np.asarray(x) ** 2, rtol=1e-5)
    scanned = jax.grad(lambda x: jax.lax.scan(lambda c, _: (kernel(c, c), None), x, None, length=2)[0].sum())(x)
    np.testing.assert_allclose(scanned, 9 * np.asarray(x) ** 8, rtol=1e-4)


# shards


@pytest.fixture
def mesh():
    return jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))


def text_of(function, *arguments) -> str:
    """The program as XLA runs it on each device."""
    return jax.jit(function).lower(*arguments).compile().as_text()


def sharded(mesh, array, *axes):
    return jax.device_put(array, NamedSharding(mesh, P(*axes)))


@pytest.mark.parametrize("check_vma", [True, False])
def test_each_shard_runs_the_kernel_on_its_part(rng, mesh, check_vma):
    a, b = floats(rng, 16, 5), floats(rng, 4, 5)
    kernel = jax_kernel(add, out=like_first)
    split = jax.shard_map(kernel, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"), check_vma=check_vma)
    parts = sharded(mesh, a, "x")
    np.testing.assert_array_equal(split(parts, b), np.asarray(a) + np.tile(np.asarray(b), (4, 1)))
    assert "all-gather" not in text_of(split, parts, b)


@pytest.mark.parametrize("axes", [("x", None), (None, "x")])
def test_a_sharding_rule_splits_the_call_without_gathering(rng, mesh, axes):
    a, b = floats(rng, 8, 12), floats(rng, 8, 12)
    plain = jax_kernel(add, out=like_first)
    ruled = jax_kernel(add, out=like_first, sharding_rule="i j, i j -> i j")
    parts = [sharded(mesh, array, *axes) for array in (a, b)]
    for kernel in (plain, ruled):
        np.testing.assert_array_equal(jax.jit(kernel)(*parts), np.asarray(a) + np.asarray(b))
    assert "all-gather" in text_of(plain, *parts), "the rule has something to do"
    text = text_of(ruled, *parts)
    assert "all-gather" not in text
    assert "flydsl.call" in text
    assert jax.jit(ruled)(*parts).sharding.is_equivalent_to(parts[0].sharding, 2)
    np.testing.assert_array_equal(ruled(a, b), np.asarray(a) + np.asarray(b))


def test_a_call_with_a_rule_is_batched_and_differentiated_as_one_without(rng):
    a = floats(rng, 3, 8)
    rule = "i, i -> i"
    with pytest.raises(UnsupportedTransformError, match="not said to work on batches"):
        jax.vmap(jax_kernel(add, out=like_first, sharding_rule=rule))(a, a)
    for batchable in (True, "sequential"):
        kernel = jax_kernel(add, out=like_first, sharding_rule=rule, batchable=batchable)
        np.testing.assert_array_equal(jax.jit(jax.vmap(kernel, (0, None)))(a, a[0]), np.asarray(a) + np.asarray(a)[0])
    with pytest.raises(UnsupportedTransformError, match="'add' has no derivative"):
        jax.grad(lambda x: jax_kernel(add, out=like_first, sharding_rule=rule)(x, x).sum())(a[0])
    square = jax_kernel(square_times, out=like_first, sharding_rule=rule, vjp=(None, square_times_backward))
    found = jax.jit(jax.grad(lambda x: square(x, a[1]).sum()))(a[0])
    np.testing.assert_allclose(found, 2 * np.asarray(a)[0] * np.asarray(a)[1], rtol=1e-5)


def test_a_mode_that_no_output_has_is_whole_on_each_device(rng, mesh):
    x = floats(rng, 8, 12)
    kernel = jax_kernel(row_sums, out=lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype), sharding_rule="i j -> i")
    for axes in (("x", None), (None, "x"), (None, None)):
        part = sharded(mesh, x, *axes)
        np.testing.assert_allclose(jax.jit(kernel)(part), np.asarray(x).sum(1), rtol=1e-5)
    assert "all-gather" not in text_of(kernel, sharded(mesh, x, "x", None))


@pytest.mark.parametrize("rule, text", [
    ("i j", "expected names for the modes"),
    ("i j, ... -> i j", "expected names for the modes"),
    ("i, i -> i", r"has inputs of ranks \[1, 1\] and outputs of ranks \[1\], and the call \[2, 2\] and \[2\]"),
])  # fmt: skip
def test_a_rule_that_does_not_fit_is_an_error(rng, rule, text):
    a = floats(rng, 2, 3)
    with pytest.raises(TypeError, match=text):
        jax_kernel(add, out=like_first, sharding_rule=rule)(a, a)


def test_pmap_runs_the_kernel_on_each_device(rng):
    a = floats(rng, 4, 6)
    found = jax.pmap(jax_kernel(add, out=like_first))(a, a)
    np.testing.assert_array_equal(found, np.asarray(a) * 2)


# effects


def test_a_call_whose_outputs_nobody_uses_is_left_out_unless_it_has_effects(rng):
    x = floats(rng, 3)

    def use(kernel):
        def function(x):
            kernel(x, x)
            return x + 1

        return jax.jit(function).lower(x).as_text()

    assert "flydsl.call" not in use(jax_kernel(add, out=like_first))
    text = use(jax_kernel(add, out=like_first, has_side_effect=True))
    assert "flydsl.call" in text
    assert "has_side_effect = true" in text


@flyc.kernel
def note_kernel(x: fx.Tensor, count: fx.Tensor):
    fx.printf("value {}", x[0])
    count[0] = x[0]


@flyc.jit
def note(x: fx.Tensor, count: fx.Tensor):
    note_kernel(x, count).launch(grid=1, block=1)


def test_a_kernel_that_prints_prints_each_time(capfd):
    kernel = jax_kernel(note, out=lambda x: jax.ShapeDtypeStruct((1,), jnp.float32), has_side_effect=True)

    @jax.jit
    def function(x):
        kernel(x)
        return jax.lax.fori_loop(0, 3, lambda i, y: y + kernel(x)[0], 0.0)

    assert float(function(jnp.full(2, 7.0))) == 21.0
    assert capfd.readouterr().out.count("value 7") == 4
    jax.checkpoint(lambda x: kernel(x).sum())(jnp.ones(1)).block_until_ready()
    assert "value 1" in capfd.readouterr().out
