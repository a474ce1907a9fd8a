"""The tables of `write_a_backend.md`: which operations a backend gets, and how arguments arrive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.plugin import flydsl_tensor_adaptors
from flydsl.backend.lowering import HANDLERS
from flydsl.ir.parse import parse_module
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.testing.suite import kernels

TEXT = (Path(__file__).resolve().parents[2] / "docs/how-to/write_a_backend.md").read_text()
VECTOR, MATRIX = np.zeros(100, np.float32), np.zeros((8, 16), np.float32)
CALLS = {
    "add": (VECTOR, VECTOR, VECTOR, None),
    "scale": (VECTOR, VECTOR, 1.5, 2, 50),
    "square": (VECTOR, VECTOR),
    "copy_by_ones": (MATRIX, MATRIX),
    "copy_by_fours": (MATRIX, MATRIX),
    "reverse": (VECTOR,),
    "rotate": (VECTOR,),
    "sum_rows": (MATRIX, MATRIX),
    "where": (np.zeros((3, 2, 4, 5, 2, 3), np.int32),),
    "mark_from_each_element": (VECTOR, VECTOR),
}


@flyc.kernel
def _take(x: fx.Tensor, static: fx.Tensor, f: fx.Float32, n: fx.Int64, p: fx.Pointer, c: fx.Constexpr[int]) -> None:
    x[0] = static[0] + f + fx.Float32(n) + p[0] + c


@flyc.jit
def take(x: fx.Tensor, static: fx.Tensor, f: fx.Float32, n: fx.Int64, p: fx.Pointer, c: fx.Constexpr[int]) -> None:
    _take(x, static, f, n, p, c).launch(grid=1, block=1)


@pytest.fixture(autouse=True)
def _only_the_core(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime(), *flydsl_tensor_adaptors())


def table(head: str) -> list[list[str]]:
    """The rows of the table with that first column."""
    rows = TEXT.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]


def listed() -> set[str]:
    """The operations of the first table; a name may end in a star."""
    rows = table("operations")
    return {
        name for cells in rows for cell in cells for name in re.findall(r"`((?:[a-z]+)\.(?:\*|[a-z_.]+))`", cell)
    } - {"gpu.kernel", "gpu.known_block_size"}


def remaining() -> Iterator[str]:
    """The operations that the neutral passes leave of the kernels of the conformance suite."""
    for name, arguments in CALLS.items():
        module = parse_module(getattr(kernels, name).trace(*arguments, backend="fake").lower().device_text)
        yield from (op.name for op in module.walk() if op.name != "builtin.module")


def test_every_operation_that_remains_is_in_the_table() -> None:
    names = listed()
    assert {op for op in remaining() if not any(fnmatch(op, name) for name in names)} == set()


def test_the_operations_of_fly_are_those_that_a_lowering_has_to_know() -> None:
    handled = {getattr(operation, "name", operation) for operation in HANDLERS}
    assert {n for n in listed() if n.startswith("fly.")} == {n for n in handled if n.startswith("fly.")}


def test_arguments_arrive_as_the_table_says() -> None:
    static = flyc.from_dlpack(np.zeros((4,), np.float32))
    pointer = flyc.from_c_void_p(fx.Float32, VECTOR.ctypes.data)
    text = take.trace(VECTOR, static, 1.0, 2, pointer, 3, backend="fake").lower().device_text
    (kernel,) = [op for op in parse_module(text).walk() if op.name == "gpu.func"]
    found = [str(argument.type) for argument in kernel.regions[0].block.args]
    by_word = {row[0]: row[1].strip("`") for row in table("in the signature")}
    assert len(found) == 6
    assert found[:2] == [by_word["`fx.Tensor`"], by_word["and, where its layout has dynamic leaves"]]
    assert found[2].startswith("!fly.ptr<f32, global")  # of a static layout: no leaves follow
    assert found[3:5] == ["f32", "i64"]
    assert found[5].startswith("!fly.ptr<")
