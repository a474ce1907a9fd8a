"""Numbers of warps and threads of the grid, and sizes of blocks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
After = Callable[..., str]
Stored = Callable[..., tuple[str, str]]


def test_the_number_of_a_warp_is_that_of_its_threads(kernel: Kernel, ptx: Ptx, stored: Stored) -> None:
    body = """%i = "gpu.subgroup_id"() : () -> index
      %v = arith.index_cast %i : index to i32"""
    text = ptx(kernel(*stored(body), block=(64, 2, 1)))
    assert "%warpid" not in text
    assert ("%tid.x" in text, "%tid.y" in text, "%ntid" in text) == (True, True, False)
    assert "%ntid.x" in ptx(kernel(*stored(body), block=None))


@pytest.mark.parametrize(("block", "is_constant"), [((64, 2, 1), True), (None, False)])
def test_the_size_of_a_block_is_a_constant_where_it_is_known(
    kernel: Kernel, after: After, block: tuple[int, int, int] | None, is_constant: bool
) -> None:
    size = '%b = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index'
    text = after(kernel("", size, block=block), "nvvm-expand-index-operations")
    assert ("value = 64 : index" in text, "gpu.block_dim" in text) == (is_constant, not is_constant)


@pytest.mark.parametrize("name", ["subgroup_id", "num_subgroups", "subgroup_size"])
def test_numbers_of_warps_are_arithmetic(kernel: Kernel, after: After, name: str) -> None:
    text = kernel("", f'%w = "gpu.{name}"() : () -> index')
    assert f"gpu.{name}" in after(text)
    assert f"gpu.{name}" not in after(text, "nvvm-expand-index-operations")
