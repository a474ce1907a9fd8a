"""What this package uses of JAX beyond its public interface: how values vary over mesh axes, and effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax._src import core, effects

_align = vars(core).get("auto_insert_reshard") or vars(core)["standard_insert_pvary"]  # since jax 0.10; before

trace_state_clean = core.trace_state_clean
"""Whether nothing is being traced or transformed."""

Aval = Any
"""The abstract value of an array."""


def aligned(arrays: Sequence[Any]) -> Sequence[Any]:
    """The arrays, each varying over all axes of a mesh that one of them varies over inside of `jax.shard_map`."""
    return list(_align(*arrays))


def result_aval(inputs: Sequence[Aval], shape: tuple[Any, ...], dtype: Any) -> Aval:
    """The abstract value of a result, which varies over the axes of a mesh as `aligned` inputs do."""
    sharding = core.ShapedArray(shape, dtype).sharding
    if sharding.mesh.empty:
        sharding = core.get_cur_mesh_sharding()
    base = inputs[0] if inputs else core.ShapedArray(shape, dtype)
    return base.update(shape=shape, dtype=dtype, weak_type=False, sharding=sharding)


class KernelEffect(effects.Effect):
    """The effect of a kernel that does more than to fill its outputs: its calls are all executed."""

    def __str__(self) -> str:
        return "FlyDSL"


KERNEL_EFFECT = KernelEffect()
for _allowed in (
    effects.lowerable_effects,
    effects.control_flow_allowed_effects,
    effects.custom_derivatives_allowed_effects,
    effects.remat_allowed_effects,
):
    _allowed.add_type(KernelEffect)
