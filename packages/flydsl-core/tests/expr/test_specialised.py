"""Records with fields that are part of their type."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


@fx.struct
class Tile:
    rows: fx.Constexpr[int]
    scale: fx.Float32
    name: fx.Constexpr = "tile"


def test_equal_values_have_one_class_and_others_their_own() -> None:
    assert type(Tile(3, 1.0)) is type(Tile(3, 2.0)) is type(Tile(rows=fx.Int32(3), scale=0))
    assert len({type(Tile(3, 1.0)), type(Tile(4, 1.0)), type(Tile(3, 1.0, "other"))}) == 3
    assert type(Tile(1, 1.0, 1)) is not type(Tile(1, 1.0, True))
    assert isinstance(Tile(3, 1.0), Tile)
    assert fx.is_specializable_struct_type(Tile)


def test_a_record_holds_the_other_fields() -> None:
    tile = Tile(3, 1.5)
    assert (tile.rows, tile.name, tile.scale.value, len(tile)) == (3, "tile", 1.5, 1)
    assert (type(tile).__dsl_size_of__(), [name for name, _, _ in type(tile).members()]) == (4, ["scale"])
    other = tile.replace(scale=2.0, rows=5)
    assert (other.rows, other.name, other.scale.value) == (5, "tile", 2.0)
    assert repr(other) == "Tile(rows=5, name='tile', scale=Float32(2.0))"
    assert type(other).__name__ == "Tile[rows=5, name='tile']"


def test_types_are_part_of_a_type() -> None:
    tile = Tile(3, 1.0, fx.Float16)
    assert tile.name is fx.Float16
    assert type(tile).__name__ == "Tile[rows=3, name=Float16]"


def test_what_cannot_be_part_of_a_type_is_refused(emitted) -> None:
    with pytest.raises(FrontendError, match=r"Tile.rows takes int, found '3'"):
        Tile("3", 1.0)
    with pytest.raises(
        FrontendError, match=r"Tile.name is part of the type and needs a value with a hash, found \[1\]"
    ):
        Tile(3, 1.0, [1])
    with pytest.raises(
        FrontendError, match="Tile.rows is part of the type and must be known while tracing, found Int32"
    ):
        emitted(lambda n: Tile(n, 1.0), fx.Int32)
    with pytest.raises(FrontendError, match="Tile needs a value for scale"):
        Tile(3)
