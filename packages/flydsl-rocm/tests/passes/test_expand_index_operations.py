"""Sizes of blocks and grids and wave numbers without a library."""

from __future__ import annotations

from collections.abc import Callable

Kernel = Callable[..., str]
After = Callable[..., str]

NAME = "rocdl-expand-index-operations"


def test_a_known_block_is_a_constant_and_a_grid_is_read(kernel: Kernel, after: After) -> None:
    block = '%b = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index'
    grid = '%g = "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> index'
    assert "value = 64 : index" in after(kernel("", block), NAME)
    for body, size in ((block, None), (grid, (64, 1, 1))):
        text = after(kernel("", body, block=size), NAME)
        assert "llvm.amdgcn.implicitarg.ptr" in text
        assert "gpu.grid_dim" not in text


def test_the_number_of_a_wave_is_computed(kernel: Kernel, after: After) -> None:
    text = after(kernel("", '%w = "gpu.subgroup_id"() : () -> index'), NAME)
    assert "llvm.amdgcn.wavefrontsize" in text
    assert "gpu.subgroup_id" not in text
