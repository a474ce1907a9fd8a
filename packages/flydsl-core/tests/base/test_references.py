"""'module:attribute' strings."""

from __future__ import annotations

import pytest

from flydsl.base.references import is_reference, resolve_reference


@pytest.mark.parametrize("text", ["a:b", "a.b_c:D.e", "_x:y"])
def test_references_have_one_colon(text: str) -> None:
    assert is_reference(text)


@pytest.mark.parametrize("text", ["a", "a:", ":b", "a:b:c", "a b:c", "1:2", None, 3])
def test_other_values_are_no_references(text: object) -> None:
    assert not is_reference(text)


def test_attributes_and_submodules_are_resolved() -> None:
    import flydsl.base.errors

    assert resolve_reference("flydsl.base.errors:LayoutError") is flydsl.base.errors.LayoutError
    assert resolve_reference("flydsl.base:errors.LayoutError.__name__") == "LayoutError"


def test_what_is_missing_keeps_its_own_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        resolve_reference("flydsl_nowhere:x")
    with pytest.raises(ImportError):
        resolve_reference("flydsl.base:nothing")
    with pytest.raises(AttributeError):
        resolve_reference("flydsl.base.errors:nothing")
    with pytest.raises(ValueError, match="'nonsense' is not a 'module:attribute' reference"):
        resolve_reference("nonsense")
