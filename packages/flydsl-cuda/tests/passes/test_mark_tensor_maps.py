"""Which arguments of kernels are passed by value."""

from __future__ import annotations

from collections.abc import Callable

from flydsl_cuda.dialect import TENSOR_MAP

Kernel = Callable[..., str]
After = Callable[..., str]

NAME = "nvvm-mark-tensor-maps"


def test_tensor_maps_are_passed_by_value_and_others_stay(kernel: Kernel, after: After) -> None:
    text = kernel(f"%n: i32, %m: !fly.ptr<i8, {TENSOR_MAP}, align<64>>", "")
    found = after(text, NAME)
    assert "arg_attrs" not in after(text)
    (attributes,) = (line.partition("arg_attrs = ")[2] for line in found.splitlines() if "arg_attrs" in line)
    assert attributes.startswith("[{}, {")
    for entry in ("llvm.byval = !llvm.array<128 x i8>", "llvm.align = 64 : i64", "nvvm.grid_constant"):
        assert entry in attributes


def test_kernels_without_them_stay(kernel: Kernel, after: After) -> None:
    text = kernel("%n: i32, %p: !fly.ptr<i8, global>", "")
    assert after(text, NAME) == after(text)
