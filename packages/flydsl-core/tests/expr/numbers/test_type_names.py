"""MLIR types by name."""

import pytest

import flydsl.expr as fx


@pytest.mark.parametrize("name", ["bf16", "f32", "i8", "i128", "index"])
def test_a_scalar_type_is_an_attribute_of_its_name(name: str) -> None:
    assert str(getattr(fx.T, name)) == name


@pytest.mark.parametrize(("name", "text"), [("bf16x8", "vector<8xbf16>"), ("i8x16", "vector<16xi8>")])
def test_a_small_vector_type_is_an_attribute_of_element_and_count(name: str, text: str) -> None:
    assert str(getattr(fx.T, name)) == text


def test_other_vectors_are_made_of_a_count_and_an_element() -> None:
    assert str(fx.T.vec(3, fx.Float32)) == "vector<3xf32>"


def test_every_listed_name_is_a_type() -> None:
    assert len(dir(fx.T)) == 29
    assert all(getattr(fx.T, name) is not None for name in dir(fx.T))


@pytest.mark.parametrize("name", ["f33", "f32x3", "x", "_ipython_display_"])
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'Types' object has no attribute '{name}'"):
        getattr(fx.T, name)
