"""Which math functions become instructions, intrinsics or arithmetic, and what is left to the device library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
After = Callable[..., str]


@pytest.mark.parametrize(
    ("operation", "type_", "found"),
    [
        ("math.floor", "f32", "llvm.floor"),
        ("math.exp", "f32", "llvm.exp"),
        ("math.exp2", "f32 afn", "llvm.amdgcn.exp2"),
        ("math.rsqrt", "f32", "llvm.amdgcn.rsq"),
        ("math.tanh", "f32", "arith.divf"),
        ("math.tanh", "f64", "math.tanh"),
        ("math.rsqrt", "f64", "math.rsqrt"),
    ],
)
def test_what_a_function_becomes(operation: str, type_: str, found: str, kernel: Kernel, after: After) -> None:
    element, _, flags = type_.partition(" ")
    properties = f" <{{fastmath = #arith.fastmath<{flags}>}}>" if flags else ""
    body = f'%y = "{operation}"(%x){properties} : ({element}) -> {element}'
    text = after(kernel(f"%x: {element}", body), "rocdl-lower-math")
    assert found in text
    assert (operation in text) == (operation == found)
