"""Tensors of the interpreter."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from flydsl.ir.interpret import Address, Memory, Tensor
from flydsl.ir.interpret.tensor import moved
from flydsl.layout import Layout


def tensor() -> Tensor:
    data = bytearray(b"".join(i.to_bytes(4, "little") for i in range(24)))
    return Tensor(Address(Memory(data), 0, i32), Layout((4, 6), (6, 1)))


def test_elements_are_at_the_index_of_their_coordinate() -> None:
    t = tensor()
    assert [t[(i, j)] for i in range(4) for j in range(6)] == list(range(24))
    t.store(-1, (2, 3))
    assert t.load((2, 3)) == -1
    assert t.at((2, 3)).byte == 4 * 15


def test_all_elements_are_in_colexicographic_order() -> None:
    t = tensor()
    assert t.values() == [6 * i + j for j in range(6) for i in range(4)]
    assert t.size == 24
    assert len(t.addresses()) == 24


def test_a_part_begins_further_on() -> None:
    part = tensor().moved((7,), Layout(3, 1))
    assert part.values() == [7, 8, 9]


def test_coordinates_move_as_tuples() -> None:
    assert moved((1, (2, 3)), (10, (0, 5))) == (11, (2, 8))
    assert repr(Tensor((0, 0), Layout(4, 1))) == "Tensor((0, 0), 4:1)"
