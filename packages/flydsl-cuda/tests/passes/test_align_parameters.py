"""Packed structs that kernels are passed are read in words."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
After = Callable[..., str]
Stored = Callable[..., tuple[str, str]]


@pytest.mark.parametrize(
    ("fields", "size", "alignment", "loads"),
    [
        ("i32, i64", 12, 4, 2),
        ("i32, i32, i64", 16, 8, 1),
        ("i8, i32", 5, 1, 4),
        ("struct<packed (i64)>, i16", 10, 2, 4),
    ],
)
def test_packed_parameters_are_read_in_words(
    kernel: Kernel, ptx: Ptx, fields: str, size: int, alignment: int, loads: int, stored: Stored
) -> None:
    struct = f"!llvm.struct<packed ({fields})>"
    last = {"i32, i64": 1, "i32, i32, i64": 2, "i8, i32": 1, "struct<packed (i64)>, i16": 0}[fields]
    path, type_ = f"{last}", ("i32" if fields == "i8, i32" else "i64")
    inner = "struct" in fields
    kind = "!llvm.struct<packed (i64)>" if inner else type_
    body = f'%w = "llvm.extractvalue"(%s) <{{position = array<i64: {path}>}}> : ({struct}) -> {kind}\n'
    body += f'%v = "llvm.extractvalue"(%w) <{{position = array<i64: 0>}}> : ({kind}) -> {type_}' if inner else ""
    arguments, content = stored(body, "%v" if inner else "%w", type_)
    text = ptx(kernel(f"{arguments}, %s: {struct}", content))
    assert f".param .align {alignment} .b8 k_param_1[{size}]" in text
    assert len(re.findall(r"ld\.param\S*\s+\S+.*\[k_param_1", text)) == loads


def test_only_packed_structs_have_other_types(kernel: Kernel, after: After) -> None:
    arguments = "%s: !llvm.struct<packed (i32, i64)>, %t: !llvm.struct<(i32, i64)>"
    types = '"gpu.func"() <{function_type = (!llvm.struct<(i32, i32, i32)>, !llvm.struct<(i32, i64)>) -> ()'
    read = '%w = "llvm.extractvalue"(%s) <{position = array<i64: 1>}> : (!llvm.struct<packed (i32, i64)>) -> i64'
    text = kernel(arguments, read)
    assert types in after(text, "nvvm-align-parameters")
