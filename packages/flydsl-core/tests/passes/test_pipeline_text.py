"""Pipeline text is read and written as MLIR spells it."""

from __future__ import annotations

import pytest

from flydsl.base.errors import SettingError
from flydsl.passes.pipeline_text import Nested, PassSpec, parse, to_text


@pytest.mark.parametrize(
    "text",
    [
        "cse",
        "fly-canonicalize,canonicalize",
        "gpu.module(convert-scf-to-cf,cse,convert-gpu-to-rocdl{chipset=gfx942 index-bitwidth=0})",
        'gpu-module-to-binary{format=fatbin opts="-O2 --x={a b}"}',
        "a{flag},gpu.module(b,func.func(c{x={y=1 z=2}})),d",
    ],
)
def test_text_is_read_back(text: str) -> None:
    assert to_text(parse(text)) == text


def test_blanks_and_the_outer_module_do_not_matter() -> None:
    assert parse(" builtin.module( a , gpu.module( b ) ) ") == parse("a,gpu.module(b)")


def test_options_are_pairs() -> None:
    (spec,) = parse("p{a=1 b flag2=x}")
    assert isinstance(spec, PassSpec)
    assert dict(spec.options) == {"a": "1", "b": "", "flag2": "x"}


def test_nested_items_keep_their_anchor() -> None:
    (nested,) = parse("gpu.module(a,b)")
    assert nested == Nested("gpu.module", (PassSpec("a"), PassSpec("b")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(b", "never closed"),
        ("a(" * 2000, "at most 64 levels are allowed"),
        ("a{b", "never closed"),
        ("a)b", "unbalanced"),
        ("a b", "expected ','"),
        ("a,(b)", "expected a pass name"),
    ],
)
def test_malformed_text_says_where(text: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        parse(text)
