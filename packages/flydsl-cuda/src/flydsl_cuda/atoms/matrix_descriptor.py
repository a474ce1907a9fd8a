"""What the matrix instructions of Hopper are told of an operand in shared memory, from its layout and swizzle.

The instruction reads rows of `span` bytes: 16 without a swizzle, else as many as the swizzle is of. In the direction
that is not contiguous, 8 of them stand behind one another. Of the strides between such blocks the descriptor has two,
in units of 16 bytes:

| | K-major, swizzle | K-major, none | MN-major, swizzle | MN-major, none |
|---|---|---|---|---|
| stride  | of 8 rows of M or N | of 8 rows of M or N | of 8 rows of K | of 16 bytes of M or N |
| leading | not read | of 16 bytes of K | of `span` bytes of M or N | of 8 rows of K |
"""

from __future__ import annotations

from dataclasses import dataclass

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.layout import Layout, Swizzle

GRANULE = 16
"""Bytes that a swizzle moves as a whole, and the unit of addresses and strides."""
_ROWS = 8
_STRIDE_BITS = 14
_LEADING_AT, _STRIDE_AT, _MODE_AT = 16, 32, 62
_MODES: dict[int, int] = {16: 0, 128: 1, 64: 2, 32: 3}
"""By the span."""
SPANS = (128, 64, 32, 16)


@dataclass(frozen=True, slots=True)
class MatrixDescriptor:
    """Everything but the address: the span in bytes, and the two strides in bytes."""

    span: int
    leading: int
    stride: int

    @property
    def bits(self) -> int:
        """The descriptor of address 0."""
        leading, stride = self.leading // GRANULE, self.stride // GRANULE
        return leading << _LEADING_AT | stride << _STRIDE_AT | _MODES[self.span] << _MODE_AT

    @property
    def block(self) -> int:
        """Bytes of which the operand's memory begins at a multiple."""
        return self.span * _ROWS if self.span > GRANULE else GRANULE


def span_of(swizzle: Swizzle | None) -> int:
    """The span of a swizzle of byte addresses."""
    if swizzle is None or swizzle.mask == 0:
        return GRANULE
    if (swizzle.base, swizzle.shift) != (4, 3) or swizzle.mask > 3:
        raise IRError(
            f"the swizzle {swizzle} of byte addresses is none that matrix instructions know: S<3,4,3> of 128 bytes, "
            "S<2,4,3> of 64, S<1,4,3> of 32"
        )
    return GRANULE << swizzle.mask


def describe(
    layout: Layout, swizzle: Swizzle | None, bits: int, rows: int, k: int, *, k_major: bool
) -> MatrixDescriptor:
    """The descriptor of `rows` x `k` elements of `bits` bits; IRError when no descriptor says what the layout is."""
    if not layout.is_static:
        raise IRError(f"a matrix instruction reads a static layout, found {layout}")
    span = span_of(swizzle)
    plain = fl.composition(layout, Layout((rows, k)))
    by_rows, by_k = (_mode(plain, index) for index in range(2))
    across, along = (by_rows, by_k) if k_major else (by_k, by_rows)
    elements, granule = span * 8 // bits, GRANULE * 8 // bits
    far = _stride(across, _ROWS)
    near = _stride(along, granule if span == GRANULE else elements)
    expected = _blocks(rows if k_major else k, _ROWS, elements, far), _blocks(k if k_major else rows, elements, 1, near)
    if (across, along) != expected:
        raise IRError(_difference(layout, span, elements, rows, k, k_major))
    found = MatrixDescriptor(span, *_strides(span, far * bits // 8, near * bits // 8, k_major=k_major))
    for stride in (found.leading, found.stride):
        if stride % GRANULE or not 0 <= stride < GRANULE << _STRIDE_BITS:
            raise IRError(
                f"a stride of {stride} bytes is none of a descriptor: multiples of 16 below 256 KiB; {layout}"
            )
    return found


def _mode(layout: fl.AnyLayout, index: int) -> Layout:
    mode = fl.coalesce(fl.get(layout, index))
    assert isinstance(mode, Layout)
    return mode


def _stride(mode: Layout, index: int) -> int:
    """How far apart the elements 0 and `index` are, where the mode has so many; 0 elsewhere."""
    size, offset = fl.size(mode), mode(index) if index < int(fl.size(mode)) else 0  # type: ignore[arg-type]
    assert isinstance(size, int)
    assert isinstance(offset, int)
    return offset


def _blocks(extent: int, inner: int, step: int, stride: int) -> Layout:
    """`extent` elements in blocks of `inner`."""
    if extent <= inner:
        return fl.coalesce(Layout(extent, step))
    return fl.coalesce(Layout((inner, extent // inner), (step, stride)))


def _strides(span: int, far: int, near: int, *, k_major: bool) -> tuple[int, int]:
    """Leading and stride; a leading stride that is not read is one unit."""
    if span == GRANULE and not k_major:
        return far, near
    return near or GRANULE, far


def _difference(layout: Layout, span: int, elements: int, rows: int, k: int, k_major: bool) -> str:
    major, along, extent = ("K", "K", k) if k_major else ("MN", "M or N", rows)
    swizzle = f"a swizzle of {span} bytes" if span > GRANULE else "no swizzle"
    return (
        f"no descriptor is {layout} as a {major}-major operand of {rows} x {k} with {swizzle}: that has runs of "
        f"{min(elements, extent)} neighbours along {along}, {elements} apart, 8 behind one another; "
        "fx.nvvm.smem_layout gives the layouts that matrix instructions read"
    )
