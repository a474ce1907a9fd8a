"""FlyDSL for JAX: kernels inside `jax.jit`, and jax arrays as arguments of `@flyc.jit` functions."""
