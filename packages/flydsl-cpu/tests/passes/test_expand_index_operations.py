"""Index operations become ids and sizes, each asked for once, and arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kernel_text import store

Module = Callable[..., str]
After = Callable[..., str]

NAME = "cpu-expand-index-operations"


def stored(operation: str) -> str:
    return f"%v = {operation}\n%i = arith.index_cast %v : index to i32\n%c0 = arith.constant 0 : i32\n" + store(
        "%i", "%p", "%c0", "out", "i32"
    )


@pytest.mark.parametrize(
    ("operation", "left"),
    [
        ('"gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index', {"block_id", "block_dim", "thread_id"}),
        ("gpu.lane_id", {"block_dim", "thread_id"}),
        ("gpu.subgroup_id", {"block_dim", "thread_id"}),
        ("gpu.num_subgroups", {"block_dim"}),
        ("gpu.subgroup_size", set()),
        ("gpu.block_id z", {"block_id"}),
        ("gpu.grid_dim x", {"grid_dim"}),
    ],
)
def test_ids_and_sizes_are_left(kernel_module: Module, after: After, operation: str, left: set[str]) -> None:
    text = after(kernel_module("%p: !llvm.ptr", stored(operation)), NAME)
    names = {line.split('"gpu.')[1].split('"')[0] for line in text.splitlines() if '"gpu.' in line}
    assert names - {"module", "func", "return"} == left


def test_each_is_asked_for_once_at_the_start(kernel_module: Module, after: After) -> None:
    body = """
      %a = gpu.thread_id x
      %yes = arith.constant 1 : i1
      scf.if %yes {
        %b = gpu.thread_id x
        %c = arith.addi %a, %b : index
        %d = arith.index_cast %c : index to i32
        llvm.store %d, %p : i32, !llvm.ptr
      }
    """
    lines = after(kernel_module("%p: !llvm.ptr", body), NAME).splitlines()
    (at,) = (i for i, line in enumerate(lines) if "gpu.thread_id" in line)
    assert "^" in lines[at - 1]
