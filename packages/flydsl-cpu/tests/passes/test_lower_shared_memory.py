"""Shared memory becomes offsets in one buffer of each block, static allocations first."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from flydsl.base.errors import IRError

Module = Callable[..., str]
After = Callable[..., str]

NAME = "cpu-lower-shared-memory"


def tile(name: str, size: int, alignment: int = 16, mark: str = "{flydsl.shared}") -> str:
    return f"""
      "llvm.mlir.global"() <{{global_type = !llvm.array<{size} x i8>, sym_name = "{name}",
        linkage = #llvm.linkage<"external">, addr_space = 0 : i32, alignment = {alignment} : i64}}> ({{}}) {mark}
        : () -> ()
    """


def used(*names: str) -> str:
    lines = (
        f"%{name} = llvm.mlir.addressof @{name} : !llvm.ptr\n%v{name} = arith.constant 1 : i32\n"
        f"llvm.store %v{name}, %{name} : i32, !llvm.ptr"
        for name in names
    )
    return "\n".join(lines)


def offsets(text: str) -> list[int]:
    return sorted(int(found) for found in re.findall(r'"cpu.shared_address"\(\) {offset = (\d+) : i64}', text))


def test_allocations_follow_one_another_by_their_alignment(kernel_module: Module, after: After) -> None:
    symbols = tile("a", 20) + tile("b", 8, 64) + tile("unused", 4096)
    text = after(kernel_module("", used("a", "b"), symbols=symbols), NAME)
    assert offsets(text) == [0, 64]
    assert "cpu.shared_bytes = 72 : i64" in text
    assert "llvm.mlir.global" not in text


def test_dynamic_allocations_share_the_end(kernel_module: Module, after: After) -> None:
    symbols = tile("x", 0) + tile("a", 20) + tile("y", 0)
    text = after(kernel_module("", used("x", "a", "y"), symbols=symbols), NAME)
    assert offsets(text) == [0, 1024, 1024]
    assert "cpu.shared_bytes = 1024 : i64" in text


def test_other_globals_stay(kernel_module: Module, after: After) -> None:
    text = kernel_module("", used("a"), symbols=tile("a", 16, mark=""))
    assert after(text, NAME) == after(text)


def test_an_alignment_beyond_that_of_the_buffer_is_refused(kernel_module: Module, after: After) -> None:
    with pytest.raises(IRError, match="aligned to 16384 bytes on the CPU, and 32768 were asked for"):
        after(kernel_module("", used("a"), symbols=tile("a", 16, 32768)), NAME)


def test_the_runtime_is_told_the_bytes(kernel_module: Module, after: After) -> None:
    text = after(kernel_module("", used("a"), symbols=tile("a", 48)), NAME, "cpu-thread-loops")
    assert re.search(r"value = dense<\[0, 48, 0, 0\]> : tensor<4xi64>", text)
    assert "cpu." not in text
