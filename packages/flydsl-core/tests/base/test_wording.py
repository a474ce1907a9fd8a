"""Articles of names in messages."""

from __future__ import annotations

import pytest

from flydsl.base.wording import with_article


@pytest.mark.parametrize(
    "text", ["an Int32", "an Affine", "an i32", "a Uint32", "a Tensor", "a Boolean", "a 'str'", "an 'int'", "a f32"]
)
def test_a_name_has_the_article_of_its_first_sound(text: str) -> None:
    assert with_article(text.split(" ", 1)[1]) == text
