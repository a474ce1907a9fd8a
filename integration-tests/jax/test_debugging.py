"""What finds mistakes: kernels in the interpreter, and jax's search for values that are no numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, PartitionSpec
from support.jax_kernels import add, affine, double, reverse

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import OutOfBoundsError
from flydsl.jax import call, jax_kernel


@flyc.kernel
def shift_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x + 1]


@flyc.jit
def shift(x: fx.Tensor, y: fx.Tensor):
    """Reads the element after the last one."""
    shift_kernel(x, y).launch(grid=1, block=4)


def first(x, *_, **__):
    return x


@pytest.mark.filterwarnings("ignore")
def test_an_interpreted_call_finds_what_a_warm_one_reads_beyond_its_arrays():
    x, kernel = jnp.arange(4.0), jax_kernel(shift, out=first)
    kernel(x)
    with flyc.interpret():
        for run in (lambda: kernel(x), lambda: call(shift, x, out=x)):
            with pytest.raises(OutOfBoundsError, match="thread .3, 0, 0.: reads 4 bytes at byte 16 of tensor 'x'"):
                run()
        with pytest.raises(jax.errors.JaxRuntimeError, match="OutOfBoundsError"):
            jax.block_until_ready(jax.jit(lambda x: kernel(x) + 1)(x))
    assert kernel(x).shape == (4,)


def test_all_calls_of_a_process_are_interpreted_where_the_variable_says_so(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import jax.numpy as jnp, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_debugging import shift\n"
        "from flydsl.jax import jax_kernel\n"
        "print(jax_kernel(shift, out=lambda x: x)(jnp.arange(4.0)))\n"
    )
    tests = os.path.dirname(__file__)
    environment = os.environ | {"FLYDSL_INTERPRET": "1"}
    found = subprocess.run([sys.executable, program, tests], capture_output=True, text=True, env=environment | {
        "PYTHONPATH": os.path.join(os.path.dirname(tests), "lib")
    }, check=False)  # fmt: skip
    assert found.returncode == 1
    assert "reads 4 bytes at byte 16 of tensor 'x'" in found.stderr


mesh = jax.make_mesh((4,), ("d",), axis_types=(AxisType.Auto,))
sharded = jax.sharding.NamedSharding(mesh, PartitionSpec("d"))
scale = jax_kernel(affine, out=first, batchable=True)
ruled = jax_kernel(affine, out=first, sharding_rule="i -> i")
doubled = jax_kernel(double, out=first, aliases={0: 0})
slope = jax_kernel(affine, out=first, vjp=(None, lambda arrays, g: (g * 2,)))

CALLS = {
    "numbers": lambda x: scale(x, 2.0, 1.0),
    "effect": lambda x: call(affine, x, 2.0, out=x, has_side_effect=True),
    "vmap": lambda x: jax.vmap(lambda row: scale(row, 2.0))(x.reshape(4, 2)),
    "alias": doubled,
    "own alias": lambda x: call(add, x, x, out=x, aliases={1: 0}),
    "donated": lambda x: jax.jit(doubled, donate_argnums=0)(x + 1),
    "scan": lambda x: jax.lax.scan(lambda carry, _: (scale(carry, 2.0), carry.sum()), x, None, length=3),
    "shard_map": jax.shard_map(lambda x: scale(x, 2.0), mesh=mesh, in_specs=sharded.spec, out_specs=sharded.spec),
    "sharded": lambda x: ruled(jax.device_put(x, sharded), 2.0),
    "layout": lambda x: call(reverse, x, out=x, static_layout=True, assumed_align=32),
    "bfloat16": lambda x: scale(x.astype(jnp.bfloat16), 0.5),
    "gradient": jax.grad(lambda x: slope(x, 2.0).sum()),
}


@pytest.mark.parametrize("name", CALLS)
def test_interpreted_calls_are_right_in_what_jax_makes_of_functions(rng, name):
    x = jnp.asarray(rng.standard_normal(8, np.float32))
    expected = jax.tree.map(np.asarray, CALLS[name](x))
    with flyc.interpret():
        for found in (CALLS[name](x), jax.jit(CALLS[name])(x)):
            jax.tree.map(np.testing.assert_array_equal, jax.tree.map(np.asarray, found), expected)


def test_interpreted_arrays_can_be_large(rng):
    """Callbacks that wait for large arrays block XLA where it has few threads."""

    @flyc.kernel
    def sum_kernel(x: fx.Tensor, y: fx.Tensor):
        y[0] = x[0] + x[x.shape[0] - 1]

    @flyc.jit
    def ends(x: fx.Tensor, y: fx.Tensor):
        sum_kernel(x, y).launch(grid=1, block=1)

    x = jnp.asarray(rng.standard_normal(1 << 22, np.float32))
    with flyc.interpret():
        found = jax.jit(lambda x: call(ends, x * 2, out=jax.ShapeDtypeStruct((1,), x.dtype)))(x)
        np.testing.assert_array_equal(found, np.asarray(x[:1] * 2 + x[-1:] * 2))


def test_an_input_that_an_interpreted_kernel_writes_is_an_error():
    @flyc.jit
    def wrong(x: fx.Tensor, y: fx.Tensor):
        shift_kernel(y, x).launch(grid=1, block=3)

    with flyc.interpret(), pytest.raises(TypeError, match="'x': the tensor is read-only"):
        call(wrong, jnp.arange(4.0), out=jax.ShapeDtypeStruct((4,), jnp.float32))


added = jax_kernel(add, out=first)


@pytest.mark.parametrize("flag, other, kind", [(jax.debug_nans, -np.inf, "nan"), (jax.debug_infs, np.inf, "inf")])
@pytest.mark.parametrize("run", [
    lambda x, y: added(x, y),
    lambda x, y: call(add, x, y, out=x),
    lambda x, y: jax.jit(lambda x: added(x, y) * 2)(x),
])  # fmt: skip
def test_values_that_are_no_numbers_are_found_as_in_functions_of_jax(flag, other, kind, run):
    x, y = jnp.full((3, 2), np.inf), jnp.full((3, 2), other)
    with flag(True):
        with pytest.raises(FloatingPointError, match=rf"invalid value \({kind}\) encountered in kernel function 'add'"):
            run(x, y)
        np.testing.assert_array_equal(added(jnp.ones(2), jnp.ones(2)), [2, 2])
