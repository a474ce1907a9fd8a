"""A copy atom of a stranger's dialect, written with what the door offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import pytest
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Dialect

from flydsl.backend.atoms import CopyOpType, OneThreadCopy, Reader, text_of
from flydsl.backend.ir import CopyAtomType
from flydsl.backend.text import create_context, parse_type
from flydsl.base.errors import IRError
from flydsl.layout import Layout


@dataclass(frozen=True, eq=False, repr=False)
class HopType(OneThreadCopy):
    """`!tiny.hop<64>`."""

    name: ClassVar[str] = "tiny.hop"
    bits: int

    def body(self) -> str:
        return str(self.bits)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.integer())


def test_the_text_of_an_atom_is_read_back() -> None:
    context = create_context([Dialect("tiny", [], [HopType])])
    read = parse_type("!fly.copy_atom<!tiny.hop<64>, 32>", context)
    assert isinstance(read, CopyAtomType)
    assert isinstance(read.op, CopyOpType)
    assert text_of(read) == "!fly.copy_atom<!tiny.hop<64>, 32>"
    with pytest.raises(IRError, match="hop"):
        parse_type("!tiny.hop<f32>", context)


def test_one_thread_moves_its_bits() -> None:
    assert HopType(64).thr_layout == Layout(1, 1)
    assert HopType(64).src_tv_bits.shape == (1, 64)
    assert [text_of(type_) for type_ in (f16, f32)] == ["f16", "f32"]
