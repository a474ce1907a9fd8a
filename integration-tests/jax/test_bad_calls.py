"""Wrong calls of kernels of jax: exceptions with the kernel's name and what to do, and a process that goes on."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.jax_kernels import add, affine, checked_copy, reverse, row_sums, sum_and_difference

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FlyDSLError, UnsupportedTensorError
from flydsl.jax import call, jax_kernel

X = np.ones(8, np.float32)


def like_first(x, *_, **__):
    return x


@pytest.fixture(autouse=True)
def _goes_on():
    """Whatever a test does, kernels run afterwards."""
    yield
    np.testing.assert_array_equal(call(add, X, X, out=X), 2)


@flyc.jit
def unannotated(x, y):
    pass


def named(*names):
    return jax_kernel(sum_and_difference, out=lambda *_: (X, X), outputs=names)


REFUSED = {
    "no jit function": (lambda: call(lambda x: x, X, out=X), "decorated with @flyc.jit, found function"),
    "too few": (
        lambda: call(add, X, out=X),
        r"add: missing a required argument: 'b'; a call passes 'a', 'b'.*outputs 'c'",
    ),
    "too many": (lambda: call(add, X, X, X, out=X), r"add: too many positional arguments; a call passes 'a', 'b'"),
    "wrong name": (lambda: call(add, X, X, out=X, d=1), r"add: got an unexpected keyword argument 'd'"),
    "more outputs than tensors": (
        lambda: call(add, X, out=(X,) * 4),
        "add has 3 parameters annotated with fx.Tensor, and `out` has 4",
    ),
    "no annotations": (
        lambda: call(unannotated, X, out=X),
        r"unannotated has 0 parameters annotated .*outputs=\('c',\)",
    ),
    "unknown output": (
        lambda: call(add, X, X, out=X, outputs=("z",)),
        "add: outputs= names 'z', and the tensors .* 'a', 'b', 'c'",
    ),
    "output of text": (
        lambda: call(add, X, X, out=X, outputs="c"),
        r"outputs= is a tuple of names of parameters, found 'c'",
    ),
    "too many names": (lambda: named("s", "d", "a")(X), "`out` has 2 outputs .* outputs= names 's', 'd', 'a'"),
    "text for a tensor": (
        lambda: call(add, X, "2", out=X),
        "add: 'b' is a tensor, found str: pass an array of jax or numpy, or a number",
    ),
    "an array for a number": (
        lambda: call(affine, X, X, out=X),
        r"affine: 'factor' is a number of run time, found an array of float32\[8\].*fx.Tensor",
    ),
    "an array for a constant": (lambda: call(affine, X, 2.0, X, out=X), "affine: 'shift' is a compile-time value"),
    "out is no description": (
        lambda: call(add, X, X, out=3),
        "add: `out` describes each output by shape and dtype.*found 3",
    ),
    "out is None": (lambda: call(add, X, X, out=None), "add: `out` describes each output.*found None"),
    "out of 64 bits": (
        lambda: call(add, X, X, out=jax.ShapeDtypeStruct((8,), np.float64)),
        "`out` asks for float64, .*jax_enable_x64",
    ),
    "int4": (
        lambda: call(add, jnp.zeros(8, "int4"), X, out=X),
        "add: input 'a' has dtype 'int4', which kernels cannot access",
    ),
    "int4 output": (
        lambda: call(add, X, X, out=jax.ShapeDtypeStruct((8,), jnp.int4)),
        "add: an output has dtype 'int4'",
    ),
    "random keys": (
        lambda: call(add, jax.random.split(jax.random.key(0), 8), X, out=X),
        "add: input 'a' has dtype key<fry>.*key_data",
    ),
    "batchable": (
        lambda: call(add, X, X, out=X, batchable="yes"),
        "batchable is False, True or 'sequential', found 'yes'",
    ),
    "static layout": (lambda: call(add, X, X, out=X, static_layout=["q"]), "static_layout= names 'q'"),
    "alignment": (lambda: call(add, X, X, out=X, assumed_align={"q": 16}), "assumed_align= names 'q'"),
    "odd alignment": (
        lambda: call(add, X, X, out=X, assumed_align=6),
        "assumed_align is a multiple of the 4 bytes of an element, found 6",
    ),
    "alias of nothing": (
        lambda: call(add, X, X, out=X, aliases={2: 0}),
        "add: aliases have 2: 0, and there are 2 inputs and 1 outputs",
    ),
    "alias of another shape": (
        lambda: call(add, X, X[:4], out=X, aliases={1: 0}),
        r"the input is float32\[4\], the output float32\[8\]",
    ),
    "no pair": (lambda: call(add, X, X, out=X, vjp=print), r"add: vjp is a pair of functions, \(forward, backward\)"),
    "no backward": (lambda: jax_kernel(add, out=X, vjp=(print, None)), "add: vjp is a pair of functions"),
    "no rule": (
        lambda: jax_kernel(add, out=X, sharding_rule="i -> ..."),
        "sharding_rule is 'i -> ...', expected names",
    ),
    "two aliases": (lambda: call(add, X, X, out=X, aliases={0: 0, 1: 0}), "aliases give one output to several inputs"),
    "output not written": (
        lambda: jax_kernel(sum_and_difference, out=lambda *_: X, outputs=("a",))(X, X, X),
        "no kernel writes the output 'a'",
    ),
    "input written": (
        lambda: call(sum_and_difference, X, X, X, out=X),
        "a kernel writes the input 's', .*outputs=.*aliases=",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_call_says_what_is_wrong(case):
    function, message = REFUSED[case]
    for attempt in (function, lambda: jax.jit(lambda: function())()):
        with pytest.raises(FlyDSLError, match=message) as caught:
            attempt()
        assert isinstance(caught.value, TypeError | ValueError)


def test_an_output_that_only_some_of_the_code_could_write_counts_as_written():
    np.testing.assert_array_equal(call(reverse, X, out=X), X)


def test_a_shape_that_the_kernel_cannot_take_is_an_error_with_the_users_line():
    with pytest.raises(FlyDSLError, match="x.shape"):
        jax_kernel(row_sums, out=like_first)(X)


def test_dtypes_that_the_kernel_cannot_take_are_an_error():
    @flyc.kernel
    def shift_kernel(x: fx.Tensor, y: fx.Tensor):
        y[0] = x[0] << 1

    @flyc.jit
    def shift(x: fx.Tensor, y: fx.Tensor):
        shift_kernel(x, y).launch(grid=1, block=1)

    np.testing.assert_array_equal(call(shift, np.ones(1, np.int32), out=np.ones(1, np.int32)), 2)
    with pytest.raises(FlyDSLError, match="x\\[0\\] << 1"):
        call(shift, X[:1], out=X[:1])


def test_arrays_of_different_devices_are_an_error_of_jax():
    a, b = (jax.device_put(X, device) for device in jax.devices()[:2])
    with pytest.raises(ValueError, match="devices"):
        jax_kernel(add, out=like_first)(a, b)


def test_an_array_that_is_gone_is_an_error_of_jax():
    a = jnp.ones(8)
    kernel = jax_kernel(add, out=like_first)
    kernel(a, a)
    a.delete()
    with pytest.raises((RuntimeError, ValueError), match="deleted"):
        kernel(a, a)


def test_a_kernel_that_fails_is_an_exception_with_its_name():
    kernel = jax_kernel(checked_copy, out=like_first)
    for function in (kernel, jax.jit(lambda x: kernel(x) + 1)):
        with pytest.raises(jax.errors.JaxRuntimeError, match="check_kernel.*a value of five or more"):
            function(jnp.full(4, 7.0)).block_until_ready()
    np.testing.assert_array_equal(kernel(jnp.ones(4)), 1)


def test_a_kernel_that_does_not_compile_is_tried_again():
    kernel = jax_kernel(affine, out=like_first)
    for _ in range(2):
        with pytest.raises(ArgumentError, match="does not fit in Float32"):
            kernel(X, 1e300)
    np.testing.assert_array_equal(kernel(X, 2.0), 2)


def test_what_no_kernel_can_read_is_told_before_anything_is_compiled():
    with pytest.raises(UnsupportedTensorError):
        jax.eval_shape(lambda x: call(add, x, x, out=X), jax.ShapeDtypeStruct((8,), jnp.int4))


def test_a_ref_is_no_array():
    ref = jax.new_ref(jnp.ones(3))
    for run in (
        lambda: jax_kernel(add, out=lambda a, b: b)(ref, jnp.ones(3)),
        lambda: call(add, ref, ref[...], out=ref[...]),
    ):
        with pytest.raises(ArgumentError, match=r"'a' is a Ref of jax, which is no array: pass the array in it"):
            run()
    assert jnp.array_equal(jax.jit(lambda ref: call(add, ref[...], ref[...], out=ref[...]))(ref), jnp.full(3, 2.0))
