"""Composed layouts in, their parts out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.layout import ComposedLayout, as_layout

if TYPE_CHECKING:
    from flydsl.expr.layouts.int_tuple import IntTuple
    from flydsl.expr.layouts.layout import Layout, LayoutValue, Swizzle
    from flydsl.expr.values.operand_types import LayoutLike

__all__ = ["composed_get_inner", "composed_get_offset", "composed_get_outer"]


def composed_get_inner(input: LayoutLike) -> Swizzle | LayoutValue:
    """The layout or swizzle that is applied last."""
    return _composed("composed_get_inner", input).inner


def composed_get_offset(input: LayoutLike) -> IntTuple:
    """The offset added between the two parts."""
    return _composed("composed_get_offset", input).offset


def composed_get_outer(input: LayoutLike) -> Layout:
    """The layout that is applied first."""
    return _composed("composed_get_outer", input).outer


def _composed(function: str, value: LayoutLike) -> ComposedLayout:
    layout = as_layout(value)
    if not isinstance(layout, ComposedLayout):
        raise FrontendError(f"{function} needs a composed layout, found {layout!r}; see fx.make_composed_layout")
    return layout
