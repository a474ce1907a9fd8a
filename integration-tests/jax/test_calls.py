"""Kernels as functions of jax on the CPU: eager, traced, and inside of what jax makes of functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.jax_kernels import add, affine, double, reverse, row_sums, sum_and_difference

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.jax import call, disabled_export_checks, jax_kernel, primitive


def like_first(x, *_, **__):
    return x


add_arrays = jax_kernel(add, out=like_first)


def floats(rng: np.random.Generator, *shape: int) -> jax.Array:
    return jnp.array(rng.standard_normal(shape, np.float32))  # of its own, not of NumPy: donated


@pytest.mark.parametrize("length", [1, 31, 32, 257])
def test_eager_and_traced_calls_are_one_function(rng, length):
    a, b = floats(rng, length), floats(rng, length)
    expected = np.asarray(a) + np.asarray(b)
    np.testing.assert_array_equal(add_arrays(a, b), expected)
    np.testing.assert_array_equal(jax.jit(add_arrays)(a, b), expected)
    np.testing.assert_array_equal(call(add, a, b, out=jax.ShapeDtypeStruct(a.shape, a.dtype)), expected)
    np.testing.assert_array_equal(jax.jit(lambda x, y: call(add, x, y, out=x) * 2)(a, b), expected * 2)


def test_numpy_arrays_are_inputs(rng):
    a = rng.standard_normal((5, 7)).astype(np.float32)
    np.testing.assert_array_equal(add_arrays(a, a), a + a)
    np.testing.assert_array_equal(call(add, a[:, ::2], a[:, ::2], out=a[:, ::2]), a[:, ::2] * 2)


def test_one_kernel_serves_all_ranks_and_dtypes(rng):
    for shape in ((3, 5), (2, 3, 7), (4,)):
        for dtype in ("float32", "int32", "bfloat16", "uint8", "float16"):
            a = jnp.asarray(rng.integers(0, 50, shape)).astype(dtype)
            found = add_arrays(a, a)
            assert (found.shape, found.dtype) == (a.shape, a.dtype)
            np.testing.assert_array_equal(np.asarray(found, np.float64), np.asarray(a, np.float64) * 2)


def test_several_outputs_come_in_the_container_of_out(rng):
    a, b = floats(rng, 70), floats(rng, 70)
    pair = call(sum_and_difference, a, b, out=(a, b))
    assert type(pair) is tuple
    named = jax.jit(lambda a, b: call(sum_and_difference, a, b, out={"sum": a, "without": b}))(a, b)
    assert list(named) == ["sum", "without"]
    for total, rest in (pair, (named["sum"], named["without"])):
        np.testing.assert_array_equal(total, np.asarray(a) + np.asarray(b))
        np.testing.assert_array_equal(rest, np.asarray(a) - np.asarray(b))


@pytest.mark.parametrize("outputs", [(), ("s", "d")])
def test_a_dict_has_the_outputs_that_its_keys_name(rng, outputs):
    """jax sorts the keys of a dict, in which `d` comes before `s`."""
    a, b = floats(rng, 70), floats(rng, 70)
    kernel = jax_kernel(sum_and_difference, out=lambda a, b: {"s": a, "d": b}, outputs=outputs)
    for found in (kernel(a, b), jax.jit(kernel)(a, b), call(sum_and_difference, a, b, out={"d": a, "s": b})):
        np.testing.assert_array_equal(found["s"], np.asarray(a) + np.asarray(b))
        np.testing.assert_array_equal(found["d"], np.asarray(a) - np.asarray(b))


def test_outputs_can_be_any_parameters(rng):
    a, b = floats(rng, 9), floats(rng, 9)
    swapped = jax_kernel(sum_and_difference, out=lambda s, d: (s, d), outputs=("b", "a"))

    @flyc.kernel
    def fill_first_kernel(first: fx.Tensor, second: fx.Tensor, x: fx.Tensor):
        i = fx.thread_idx.x
        first[i], second[i] = x[i] + 1, x[i] - 1

    @flyc.jit
    def fill_first(first: fx.Tensor, second: fx.Tensor, x: fx.Tensor):
        fill_first_kernel(first, second, x).launch(grid=1, block=9)

    second, first = call(fill_first, a, out=(a, a), outputs=("second", "first"))
    np.testing.assert_array_equal(first, np.asarray(a) + 1)
    np.testing.assert_array_equal(second, np.asarray(a) - 1)
    with pytest.raises(TypeError, match="no kernel writes the output"):
        swapped(a, b)


def test_numbers_and_compile_time_values_are_part_of_the_call(rng):
    x = floats(rng, 40)
    kernel = jax_kernel(affine, out=like_first)
    for factor, shift in ((3.0, 0.0), (3.0, 1.5), (-2, 1.5)):
        expected = np.asarray(x) * np.float32(factor) + np.float32(shift)
        for found in (
            kernel(x, factor, shift),
            kernel(x, factor=factor, shift=shift),
            kernel(factor=factor, x=x, shift=shift),
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        traced = jax.jit(kernel, static_argnums=(1,), static_argnames=("shift",))(x, factor, shift=shift)
        np.testing.assert_allclose(traced, expected, rtol=1e-6)


def test_numbers_arrive_to_the_last_bit():
    x = jnp.zeros(3)
    kernel = jax_kernel(affine, out=lambda x, factor, shift=0.0: jax.ShapeDtypeStruct((3,), jnp.float32))
    ones = jnp.ones(3)
    signs = [np.signbit(np.asarray(kernel(ones, factor, -0.0))).all() for factor in (0.0, -0.0, 0.0, -0.0)]
    assert signs == [False, True, False, True]
    assert np.isnan(np.asarray(kernel(ones, float("nan")))).all()
    tiny = np.nextafter(np.float32(1), np.float32(2))
    np.testing.assert_array_equal(kernel(ones, tiny), np.full(3, tiny))
    np.testing.assert_array_equal(kernel(x, 1.0, 0.1), np.full(3, np.float32(0.1)))


def test_an_output_can_have_another_shape(rng):
    x = floats(rng, 6, 11)
    sums = jax_kernel(row_sums, out=lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype))
    for found in (sums(x), jax.jit(sums)(x)):
        np.testing.assert_allclose(found, np.asarray(x, np.float64).sum(1), rtol=1e-5)


def test_empty_arrays_are_arrays():
    assert add_arrays(jnp.zeros(0), jnp.zeros(0)).shape == (0,)
    assert add_arrays(jnp.zeros((0, 3)), jnp.zeros((0, 3))).shape == (0, 3)


def test_arrays_of_rank_zero_are_arrays():
    found = add_arrays(jnp.float32(2), jnp.float32(3))
    assert (found.shape, float(found)) == ((), 5.0)


def test_calls_are_chained_scanned_branched_and_checkpointed(rng):
    x = floats(rng, 33)
    twice = jax.jit(lambda x: add_arrays(add_arrays(x, x), x))(x)
    np.testing.assert_allclose(twice, np.asarray(x) * 3, rtol=1e-6)
    scanned, _ = jax.lax.scan(lambda carry, _: (add_arrays(carry, x), None), x, None, length=5)
    np.testing.assert_allclose(scanned, np.asarray(x) * 6, rtol=1e-5)
    for flag in (True, False):
        branched = jax.jit(lambda flag, x: jax.lax.cond(flag, lambda x: add_arrays(x, x), lambda x: x - 1, x))(flag, x)
        np.testing.assert_array_equal(branched, np.asarray(x) * 2 if flag else np.asarray(x) - 1)
    kept = jax.jit(jax.checkpoint(lambda x: add_arrays(x, x)))(x)
    np.testing.assert_array_equal(kept, np.asarray(x) * 2)
    looped = jax.lax.fori_loop(0, 4, lambda _, y: add_arrays(y, y), x)
    np.testing.assert_array_equal(looped, np.asarray(x) * 16)


def test_calls_run_without_jit_and_outside_of_traces(rng):
    x = floats(rng, 12)
    with jax.disable_jit():
        np.testing.assert_array_equal(jax.jit(add_arrays)(x, x), np.asarray(x) * 2)
        np.testing.assert_allclose(call(affine, x, 2.0, 1.0, out=x), np.asarray(x) * 2 + 1, rtol=1e-6)

    def constant():
        with jax.ensure_compile_time_eval():
            return np.asarray(add_arrays(x, x))

    np.testing.assert_array_equal(jax.jit(lambda y: y + constant())(x), np.asarray(x) * 3)
    with jax.check_tracer_leaks():
        np.testing.assert_array_equal(jax.jit(lambda y: call(add, y, y, out=y))(x), np.asarray(x) * 2)


def test_large_code_is_found_by_its_key_and_held_by_what_leaves_the_process(rng, monkeypatch, tmp_path):
    monkeypatch.setattr(primitive, "EMBEDDED_BYTES", 100)
    x = floats(rng, 77)

    def program():  # a new one each time: jax keeps what it has lowered
        return jax.jit(lambda x: call(affine, x, 5.0, 0.25, out=x))

    assert "module = " not in program().lower(x).as_text()
    np.testing.assert_allclose(program()(x), np.asarray(x) * 5 + 0.25, rtol=1e-6)
    exported = jax.export.export(program(), disabled_checks=disabled_export_checks())(x)
    assert "module = " in exported.mlir_module()
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    try:
        assert "module = " in program().lower(x).as_text()
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_programs_compiled_ahead_of_time_run(rng):
    x = floats(rng, 12)
    assert jax.eval_shape(add_arrays, x, x) == jax.ShapeDtypeStruct((12,), jnp.float32)
    np.testing.assert_array_equal(jax.jit(add_arrays).lower(x, x).compile()(x, x), np.asarray(x) * 2)


def test_each_device_of_the_platform_runs_calls(rng):
    a = floats(rng, 50)
    for device in jax.devices():
        there = jax.device_put(a, device)
        for found in (add_arrays(there, there), jax.jit(add_arrays)(there, there)):
            assert found.devices() == {device}
            np.testing.assert_array_equal(found, np.asarray(a) * 2)


def test_a_transposed_array_is_laid_out_anew(rng):
    x = floats(rng, 4, 9)
    np.testing.assert_array_equal(jax.jit(lambda x: add_arrays(x.T, x.T))(x), np.asarray(x).T * 2)


@pytest.mark.parametrize("options", [
    {"static_layout": True},
    {"static_layout": ["a", "c"]},
    {"assumed_align": 16},
    {"assumed_align": {"a": 64}, "static_layout": ["b"]},
])  # fmt: skip
def test_layouts_and_alignment_can_be_part_of_the_code(rng, options):
    a, b = floats(rng, 8, 12), floats(rng, 8, 12)
    kernel = jax_kernel(add, out=like_first, **options)
    np.testing.assert_array_equal(kernel(a, b), np.asarray(a) + np.asarray(b))
    np.testing.assert_array_equal(jax.jit(kernel)(a[:3], b[:3]), np.asarray(a + b)[:3])


def test_a_kernel_without_inputs_is_a_constant():
    @flyc.kernel
    def count_kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = fx.thread_idx.x

    @flyc.jit
    def count(x: fx.Tensor):
        count_kernel(x).launch(grid=1, block=10)

    out = jax.ShapeDtypeStruct((10,), jnp.int32)
    np.testing.assert_array_equal(call(count, out=out), np.arange(10))
    np.testing.assert_array_equal(jax.jit(lambda: call(count, out=out) + 1)(), np.arange(10) + 1)


def test_containers_of_arrays_are_passed_leaf_by_leaf(rng):
    @flyc.kernel
    def first_kernel(pair, out: fx.Tensor):
        i = fx.thread_idx.x
        out[i] = pair["b"][i] - pair["a"][0][i]

    @flyc.jit
    def difference(pair, out: fx.Tensor):
        first_kernel(pair, out).launch(grid=1, block=5)

    a, b = floats(rng, 5), floats(rng, 5)
    found = call(difference, {"b": b, "a": (a, 3)}, out=a)
    np.testing.assert_array_equal(found, np.asarray(b) - np.asarray(a))


def test_a_decorated_function_is_a_kernel(rng):
    @jax_kernel(out=lambda x: x)
    @flyc.jit
    def negate(x: fx.Tensor, y: fx.Tensor):
        """Minus x."""
        negate_kernel(x, y).launch(grid=1, block=7)

    @flyc.kernel
    def negate_kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = -x[fx.thread_idx.x]

    x = floats(rng, 7)
    np.testing.assert_array_equal(negate(x), -np.asarray(x))
    assert (negate.__name__, negate.__doc__) == ("negate", "Minus x.")


# aliases and donation


def test_an_alias_without_donation_leaves_the_input_as_it_is(rng):
    x = floats(rng, 65)
    before = np.asarray(x).copy()
    for found in (call(double, x, out=x, aliases={0: 0}), jax.jit(lambda x: call(double, x, out=x, aliases={0: 0}))(x)):
        np.testing.assert_array_equal(found, before * 2)
        np.testing.assert_array_equal(x, before)


def test_an_alias_with_donation_is_in_place(rng):
    x = floats(rng, 65)
    before, address = np.asarray(x).copy(), x.unsafe_buffer_pointer()
    found = jax.jit(jax_kernel(double, out=like_first, aliases={0: 0}), donate_argnums=0)(x)
    assert found.unsafe_buffer_pointer() == address
    assert x.is_deleted()
    np.testing.assert_array_equal(found, before * 2)


def test_an_aliased_output_with_a_parameter_of_its_own_takes_the_memory(rng):
    a, b = floats(rng, 65), floats(rng, 65)
    expected = np.asarray(a) + np.asarray(b)
    kernel = jax_kernel(add, out=like_first, aliases={1: 0})
    np.testing.assert_array_equal(kernel(a, b), expected)
    address = b.unsafe_buffer_pointer()
    found = jax.jit(kernel, donate_argnums=1)(a, b)
    assert found.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(found, expected)


def test_a_donated_input_without_alias_is_never_overwritten_while_it_is_read(rng):
    x = floats(rng, 1000)
    expected = np.asarray(x)[::-1].copy()
    kernel = jax_kernel(reverse, out=like_first)
    np.testing.assert_array_equal(kernel(x), expected)
    np.testing.assert_array_equal(jax.jit(kernel, donate_argnums=0)(x), expected)
    np.testing.assert_array_equal(jax.jit(lambda x: kernel(kernel(x)))(expected), expected)
