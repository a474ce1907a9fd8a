"""Kernels inside of `jax.shard_map`, with derivatives and sharding rules, against functions of jax."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec
from support.jax_kernels import add, affine

from flydsl.jax import jax_kernel

P = PartitionSpec
added = jax_kernel(add, out=lambda a, b: a, vjp=(None, lambda arrays, g: (g, g)))
plain = jax_kernel(affine, out=lambda x, *_: x)
ruled = jax_kernel(
    affine,
    out=lambda x, *_: x,
    sharding_rule="i j -> i j",
    vjp=(lambda x, factor: (plain(x, factor), factor), lambda factor, g: (g * factor,)),
)


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("replicated", [(), (0,), (1,)])
def test_a_gradient_of_what_is_whole_everywhere_is_that_of_jax(rng, check_vma, replicated):
    mesh = jax.make_mesh((4,), ("d",), axis_types=(AxisType.Auto,))
    arrays = [jnp.asarray(rng.standard_normal((2 if one in replicated else 8, 3), np.float32)) for one in (0, 1)]
    specs = tuple(P() if one in replicated else P("d") for one in (0, 1))

    def gradients(function):
        split = jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=P("d"), check_vma=check_vma)
        return jax.jit(jax.grad(lambda *arrays: (split(*arrays) ** 2).sum(), argnums=(0, 1)))(*arrays)

    for found, expected in zip(gradients(added), gradients(lambda a, b: a + b), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("split", [P("d"), P("d", "m"), P(None, "m"), P()])
@pytest.mark.parametrize("manual", [{"d"}, {"m"}, {"d", "m"}])
def test_a_rule_splits_what_a_shard_map_leaves_to_xla(rng, manual, split):
    mesh = jax.make_mesh((2, 2), ("d", "m"), axis_types=(AxisType.Auto,) * 2)
    x = jax.device_put(jnp.asarray(rng.standard_normal((8, 6), np.float32)), NamedSharding(mesh, split))
    own = P(*(axis if axis in manual else None for axis in ("d", "m")))

    def scaled(x):
        return jax.shard_map(lambda x: ruled(x, 2.0), mesh=mesh, in_specs=own, out_specs=own, axis_names=manual)(x)

    np.testing.assert_array_equal(jax.jit(scaled)(x), np.asarray(x) * 2)
    np.testing.assert_array_equal(jax.jit(jax.grad(lambda x: scaled(x).sum()))(x), np.full((8, 6), 2, np.float32))


@pytest.mark.parametrize("factor", [3.0, -0.0, 2, np.float32(0.1)])
def test_numbers_are_residuals(factor):
    x = jnp.arange(4.0).reshape(2, 2)
    for gradient in (jax.grad(lambda x: ruled(x, factor).sum()), jax.jit(jax.grad(lambda x: ruled(x, factor).sum()))):
        np.testing.assert_array_equal(gradient(x), np.full((2, 2), np.float32(factor)))

    def kept(x, factor):
        return plain(x, factor), {"factor": factor, "name": "x"}

    by_kernel = jax_kernel(affine, out=lambda x, *_: x, vjp=(kept, lambda kept, g: (plain(g, kept["factor"]),)))
    for gradient in (
        jax.grad(lambda x: by_kernel(x, factor).sum()),
        jax.jit(jax.grad(lambda x: by_kernel(x, factor).sum())),
    ):
        np.testing.assert_array_equal(gradient(x), np.full((2, 2), np.float32(factor)))
