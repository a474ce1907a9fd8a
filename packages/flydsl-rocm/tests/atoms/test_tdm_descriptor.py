"""The constant word of a descriptor; `integration-tests/rocm/test_tensor_moves.py` executes whole ones."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl_rocm.atoms.tdm_descriptor import config_word
from flydsl_rocm.atoms.tdm_types import Gfx1250TdmType


@pytest.mark.parametrize(
    ("atom", "bits", "word"),
    [
        (Gfx1250TdmType(2), 8, 0),
        (Gfx1250TdmType(2), 64, 3 << 16),
        (Gfx1250TdmType(2, barrier=True, timeout=True), 16, 1 << 16 | 1 << 18 | 1 << 21),
        (Gfx1250TdmType(2, 1, 64, 8), 16, 1 << 16 | 1 << 20 | 4 << 22 | 3 << 25),
        (Gfx1250TdmType(2, 1, 2, 1), 32, 2 << 16 | 1 << 20),
        (Gfx1250TdmType(2, 1, 256, 128), 32, 2 << 16 | 1 << 20 | 7 << 22 | 127 << 25),
    ],
)
def test_size_flags_and_padding(atom: Gfx1250TdmType, bits: int, word: int):
    assert config_word(atom, bits) == word


@pytest.mark.parametrize(
    ("interval", "amount", "bits"), [(1, 2, 16), (4, 1, 16), (1, 1, 32), (512, 4, 32), (4, 129, 32)]
)
def test_padding_without_bits_in_the_word_is_refused(interval: int, amount: int, bits: int):
    message = rf"gfx1250 TDM: padding \(interval={interval}, amount={amount} elements at {bits}-bit\) is not encodable"
    with pytest.raises(IRError, match=message):
        config_word(Gfx1250TdmType(2, 1, interval, amount), bits)
