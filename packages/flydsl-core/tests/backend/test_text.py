"""Modules and types from text, as a device reads them whose code is text."""

from __future__ import annotations

import pytest

from flydsl.backend.ir import PointerType
from flydsl.backend.rewriting import operations
from flydsl.backend.text import create_context, installed, parse_module, parse_type
from flydsl.base.errors import IRError

MODULE = '"builtin.module"() ({ %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32 }) : () -> ()'


def test_text_becomes_operations_and_types() -> None:
    assert [op.name for op in operations(parse_module(MODULE))][-1] == "arith.constant"
    assert isinstance(parse_type("!fly.ptr<f16, shared>", create_context()), PointerType)


def test_wrong_text_is_an_error_about_it() -> None:
    with pytest.raises(IRError):
        parse_type("!fly.ptr<f16, nowhere>")


def test_what_is_installed_makes_a_context() -> None:
    context = installed().context(allow_unregistered=True)
    assert parse_type("!fly.ptr<f32, global>", context) == parse_type("!fly.ptr<f32, global>")
