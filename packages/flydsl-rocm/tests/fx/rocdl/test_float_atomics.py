"""One table of atomics of floats, for copies and for operations."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl_rocm.fx.rocdl.copies import BufferAtomic, BufferAtomicPkAdd
from flydsl_rocm.fx.rocdl.float_atomics import FLOAT_ATOMICS
from flydsl_rocm.target import TARGETS


def test_each_is_on_some_chip() -> None:
    for feature in filter(None, FLOAT_ATOMICS.values()):
        assert any(feature in target.features for target in TARGETS.values())


def test_what_is_in_no_row_is_refused_with_the_types_there_are() -> None:
    with pytest.raises(FrontendError, match="no buffer atomic .*'max'.* Float16; types: .*'Float32'.*'Uint64'"):
        BufferAtomic("max", fx.Float16).ir_type()
    with pytest.raises(FrontendError, match=r"BufferAtomicPkAdd on Float32; types: \['Float16', 'BFloat16'\]"):
        BufferAtomicPkAdd(fx.Float32).ir_type()
