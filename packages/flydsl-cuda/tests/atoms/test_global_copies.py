"""The type of copies that say what the caches do: text, layouts, and what is refused."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_type
from flydsl_cuda.atoms.global_copies import CACHES, SECOND, GlobalCopyType
from flydsl_cuda.dialect import FLY_NVVM


@pytest.mark.parametrize("cache", ["", *CACHES])
@pytest.mark.parametrize("second", ["", *SECOND])
@pytest.mark.parametrize("bits", [32, 64, 128])
def test_text_is_read_back(bits: int, second: str, cache: str) -> None:
    atom = GlobalCopyType(bits, cache, second)
    assert parse_type(str(atom), create_context([FLY_NVVM])) == atom
    assert str(atom.src_tv_bits) == str(atom.dst_tv_bits) == f"(1,{bits}):(1,1)"


@pytest.mark.parametrize(
    ("bits", "cache", "second", "message"),
    [
        (16, "", "", "found 16"),
        (256, "", "", "found 256"),
        (128, "keep", "", "first cache, found 'keep'"),
        (128, "", "no_allocate", "second cache, found 'no_allocate'"),
    ],
)
def test_what_there_is_not_is_refused(bits: int, cache: str, second: str, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        GlobalCopyType(bits, cache, second)
