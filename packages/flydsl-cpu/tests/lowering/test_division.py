"""Integer divisions of every kind in kernels: against NumPy, with the results chosen for divisors that have none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

Compile = Callable[..., Callable[..., None]]
Module = Callable[..., str]

SIGNED = ["divsi", "remsi", "floordivsi", "ceildivsi"]
UNSIGNED = ["divui", "remui", "ceildivui"]


def expected(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    wide_a, wide_b = a.astype(object), b.astype(object)
    divisor = np.where(b == 0, 1, wide_b)
    floor = wide_a // divisor
    truncated = np.where((wide_a < 0) != (divisor < 0), -(-wide_a // divisor), floor)
    result = {
        "div": truncated,
        "rem": wide_a - truncated * divisor,
        "floordiv": floor,
        "ceildiv": -(-wide_a // divisor),
    }[name[:-2]]
    result = np.where(b == 0, wide_a if name.startswith("rem") else -1, result)
    modulus = 1 << (8 * a.itemsize)
    return np.array([int(value) % modulus for value in result], np.uint64).astype(a.dtype)


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(dtype)
    values = np.unique(np.array([info.min, info.min + 1, 0, 1, 2, 7, info.max, info.max - 1], dtype))
    values = np.concatenate([values, np.array([-1, -7, -2]).astype(dtype)])
    a, b = np.meshgrid(values, values)
    return a.ravel().copy(), b.ravel().copy()


def binary(kernel_module: Module, operation: str, element: str, threads: int) -> str:
    places = "".join(
        f"%{p}t = llvm.getelementptr %{p}[%t] : (!llvm.ptr, i32) -> !llvm.ptr, {element}\n" for p in ("p", "q", "r")
    )
    body = f"""
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      {places}
      %a = llvm.load %pt : !llvm.ptr -> {element}
      %b = llvm.load %qt : !llvm.ptr -> {element}
      {operation}
      llvm.store %y, %rt : {element}, !llvm.ptr
    """
    return kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr", body, block=(threads, 1, 1))


@pytest.mark.parametrize("bits", [8, 32, 64])
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
@pytest.mark.parametrize("is_vector", [False, True], ids=["scalar", "vector"])
def test_every_divisor_has_a_result(
    name: str, bits: int, is_vector: bool, compile_kernel: Compile, kernel_module: Module
) -> None:
    a, b = pairs(f"{'' if name in SIGNED else 'u'}int{bits}")
    element, result = f"i{bits}", np.zeros_like(a)
    operation = f'%y = "arith.{name}"(%a, %b) : ({element}, {element}) -> {element}'
    if is_vector:
        vector = f"vector<3x{element}>"
        operation = f"""
          %va = "vector.broadcast"(%a) : ({element}) -> {vector}
          %vb = "vector.broadcast"(%b) : ({element}) -> {vector}
          %vy = "arith.{name}"(%va, %vb) : ({vector}, {vector}) -> {vector}
          %y = "vector.extract"(%vy) <{{static_position = array<i64: 1>}}> : ({vector}) -> {element}
        """
    compile_kernel(binary(kernel_module, operation, element, a.size))(a, b, result, block=(a.size, 1, 1))
    np.testing.assert_array_equal(result, expected(name, a, b))


@pytest.mark.parametrize(
    ("name", "divisor", "guards"), [("divsi", 7, 0), ("divui", -1, 0), ("remsi", -1, 1), ("remui", 0, 1)]
)
def test_only_divisors_that_may_trap_are_guarded(
    name: str, divisor: int, guards: int, thread_loops: Callable[[str], str], kernel_module: Module
) -> None:
    operation = f"""
      %c = arith.constant {divisor} : i32
      %y = "arith.{name}"(%a, %c) : (i32, i32) -> i32
    """
    text = thread_loops(binary(kernel_module, operation, "i32", 4))
    assert text.count('"arith.select"') == 2 * guards
