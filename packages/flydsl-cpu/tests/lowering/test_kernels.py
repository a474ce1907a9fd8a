"""What passes ask of a kernel: its one block, its size, and room for symbols."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flydsl.base.errors import IRError
from flydsl_cpu.lowering.kernels import Extents, whole_waves
from flydsl_cpu.pipeline import KERNELS

BRANCHING = """
  %tx = gpu.thread_id x
  "gpu.printf"() {format = "here"} : () -> ()
  "cf.br"()[^next] : () -> ()
^next:
"""


@pytest.mark.parametrize(
    ("extents", "waves"),
    [((64, 1, 1), 2), ((4, 4, 4), 2), ((48, 1, 1), None), ((None, 1, 1), None), ((32, None, 1), None)],
)
def test_waves_are_counted_where_all_are_whole(extents: Extents, waves: int | None) -> None:
    assert whole_waves(extents, 32) == waves


@pytest.mark.parametrize("name", ["cpu-expand-index-operations", "cpu-thread-loops"])
def test_a_kernel_that_branches_between_blocks_is_refused(
    kernel_module: Callable[..., str], after: Callable[..., str], name: str
) -> None:
    with pytest.raises(IRError, match="kernel 'k' branches between blocks; the CPU backend takes scf only"):
        after(kernel_module("", BRANCHING), name)


def test_all_passes_together_refuse_it_too(kernel_module: Callable[..., str], after: Callable[..., str]) -> None:
    with pytest.raises(IRError, match="branches between blocks"):
        after(kernel_module("", BRANCHING), *KERNELS)
