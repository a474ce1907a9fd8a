"""What LLVM is told of a kernel: its threads, the occupancy that hints ask for, and its clusters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
After = Callable[..., str]

NAME = "rocdl-kernel-attributes"
KNOWN = "known_block_size = array<i32: 64, 2, 1>"


@pytest.mark.parametrize(("block", "found"), [((64, 2, 1), KNOWN), (None, '"1,1024"')])
def test_threads(block: tuple[int, int, int] | None, found: str, kernel: Kernel, after: After) -> None:
    assert found in after(kernel("", "", block=block), NAME)


def test_occupancy_and_clusters(kernel: Kernel, after: After) -> None:
    text = kernel("", "", attributes=', rocdl.cluster_dims = "2,1,1"')
    found = after(text, f"{NAME}{{waves_per_eu=2 most_waves_per_eu=4 registers=64}}")
    for entry in ('["amdgpu-waves-per-eu", "2,4"]', '["amdgpu-num-vgpr", "64"]', '["amdgpu-cluster-dims", "2,1,1"]'):
        assert entry in found
    assert "amdgpu-num-vgpr" not in after(text, NAME)


def test_numbers_of_blocks_are_bounded_in_kernels_without_loops(kernel: Kernel, after: After) -> None:
    block = '%b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index'
    assert "upper_bound = 67108863 : index" in after(kernel("", block), NAME)
    loop = f"{block}\nscf.for %i = %b to %b step %b {{ }}"
    assert "upper_bound" not in after(kernel("", loop), NAME)
