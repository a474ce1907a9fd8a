"""Signatures of kernels and host functions after the lowering."""

from __future__ import annotations

import pytest
from toy_target import ConvertFlyTo, convert, kernel

from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module


def test_pointers_get_their_address_space_in_signatures() -> None:
    text = convert("%a: !fly.ptr<f32, generic>, %b: !fly.ptr<f16, global>, %c: !fly.ptr<i8, shared>, %n: i32", "")
    assert "function_type = (!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()" in text


def test_unknown_address_space_is_an_error() -> None:
    with pytest.raises(IRError, match=r"target 'toy' has no address space for !fly.ptr<f32, global>"):
        convert("%a: !fly.ptr<f32, global>", "", spaces={})


def test_device_pointers_are_plain_pointers_on_the_host() -> None:
    text = kernel("%a: !fly.ptr<f32, global>", "").replace("gpu.func", "func.func").replace("gpu.return", "func.return")
    context = create_context()
    module = parse_module(text.replace('"gpu.module"', '"builtin.module"'), context, check=False)
    host = module.body.block.first_op
    assert host is not None
    ConvertFlyTo().apply(context, host)  # type: ignore[arg-type]
    assert "function_type = (!llvm.ptr) -> ()" in emit_generic(module)
