"""What the assembler is told of a kernel: its threads, its cluster, registers, and blocks of a multiprocessor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
After = Callable[..., str]

NAME = "nvvm-kernel-attributes"


@pytest.mark.parametrize(
    ("block", "found"),
    [((64, 2, 1), "nvvm.reqntid = array<i32: 64, 2, 1>"), (None, "nvvm.maxntid = array<i32: 1024>")],
)
def test_threads(block: tuple[int, int, int] | None, found: str, kernel: Kernel, after: After) -> None:
    text = after(kernel("", "", block=block), NAME)
    assert found in text
    assert "known_block_size" not in text


def test_hints_and_clusters(kernel: Kernel, after: After) -> None:
    text = kernel("", "", attributes=", known_cluster_size = array<i32: 2, 1, 1>")
    found = after(text, f"{NAME}{{registers=64 blocks=3}}")
    for entry in ("nvvm.cluster_dim = array<i32: 2, 1, 1>", "nvvm.maxnreg = 64 : i32", "nvvm.minctasm = 3 : i32"):
        assert entry in found
    assert "nvvm.maxnreg" not in after(text, NAME)
    assert "nvvm.minctasm" not in after(text, NAME)


def test_registers_are_those_that_a_block_can_have(kernel: Kernel, after: After) -> None:
    found = after(kernel("", "", block=(1024, 1, 1)), f"{NAME}{{registers=255}}")
    assert "nvvm.maxnreg = 64 : i32" in found
