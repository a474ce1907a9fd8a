"""Tiled MMAs: per-thread views of a tensor's layout, by an atom's thread-value layouts and the arrangement of atoms.

Operand A has the modes (M, K), B (N, K), C and D (M, N); further modes go to the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.compose import composed, composed_with
from flydsl.layout.divide import logical_divide, zipped_divide
from flydsl.layout.fragment import make_fragment_layout_like
from flydsl.layout.int_tuple import IntTuple, product
from flydsl.layout.inverse import right_inverse
from flydsl.layout.layout import AnyLayout, L, Layout, Tile, TileMode, check_layout, joined, on_outer, unchecked
from flydsl.layout.leaf import STAR, Dyn, Leaf
from flydsl.layout.make import outer_layout
from flydsl.layout.modes import take
from flydsl.layout.operation import operation
from flydsl.layout.product import tiled_product
from flydsl.layout.query import cosize, get_flat_coord

Operand: TypeAlias = Literal["a", "b", "c", "d"]

_MODES: dict[str, tuple[int, int]] = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}


@dataclass(frozen=True, slots=True)
class MmaTV:
    """How the threads of an MMA atom hold its operands: (thread, value) -> element of (M, K), (N, K) or (M, N)."""

    thr_layout: Layout
    shape_mnk: tuple[int, int, int]
    a: Layout
    b: Layout
    c: Layout

    def __post_init__(self) -> None:
        for name in ("a", "b", "c"):
            tv = check_layout("mma_atom", getattr(self, name), f"layout of operand {name}")
            if tv.rank != 2 or 0 in (product(tv[0].shape), product(tv[1].shape)):
                raise LayoutError("mma_atom", (tv,), f"the layout of operand {name} must be (thread, value), not empty")

    @property
    def is_plain(self) -> bool:
        """Atoms are static."""
        return True

    def operand(self, name: Operand) -> Layout:
        """The thread-value layout of an operand; D has that of C."""
        if name not in _MODES:
            raise LayoutError("mma_atom", (name,), "an operand is 'a', 'b', 'c' or 'd'")
        return {"a": self.a, "b": self.b}.get(name, self.c)


@operation
def tiled_mma_thr_layout(atom: MmaTV, atom_layout: Layout) -> Layout:
    """(ThrV, ThrM, ThrN, ThrK) -> thread number."""
    arranged = check_layout("tiled_mma", atom_layout, "atom layout")
    if arranged.rank > 3:
        raise LayoutError("tiled_mma", (arranged,), "the atom layout has at most three modes, M, N and K")
    modes = [*arranged, *[unchecked(1, 0)] * (3 - arranged.rank)]
    return tiled_product(atom.thr_layout, joined(modes))


def tiled_mma_permutation(atom: MmaTV, atom_layout: Layout, permutation: Tile | None = None) -> tuple[TileMode, ...]:
    """The tile entry of M, N and K: the permutation's entry, or the extent that the atoms cover side by side."""
    threads = tiled_mma_thr_layout(atom, atom_layout)
    modes = permutation.modes if isinstance(permutation, Tile) else ()
    if permutation is not None and (not isinstance(permutation, Tile) or len(modes) > 3):
        raise LayoutError("tiled_mma", (permutation,), "the permutation is a tile of at most three modes")
    entries: list[TileMode] = []
    for mode, extent in enumerate(atom.shape_mnk):
        entry = modes[mode] if mode < len(modes) else STAR
        default = leaf.mul(extent, product(threads[mode + 1].shape))
        entries.append(default if entry is STAR else entry)  # type: ignore[arg-type]
    return tuple(entries)


def tiled_mma_tile_size(atom: MmaTV, atom_layout: Layout, permutation: Tile | None = None) -> tuple[Leaf, ...]:
    """The extents (M, N, K) of one step of the tiled MMA."""
    entries = tiled_mma_permutation(atom, atom_layout, permutation)
    return tuple([_extent(entry) for entry in entries])


def _extent(entry: TileMode) -> Leaf:
    if isinstance(entry, Tile):
        return product(tuple([_extent(part) for part in entry.modes]))
    return product(entry.shape) if isinstance(entry, Layout) else entry


@operation
def tiled_mma_partition(atom: MmaTV, atom_layout: Layout, permutation: Tile | None, operand: Operand, layout: L) -> L:
    """((ThrV, (Thr0, Thr1)), (FrgV, (Rest0, Rest1, ...))): the part of every thread."""
    tv, modes = atom.operand(operand), _MODES[operand]
    entries = tiled_mma_permutation(atom, atom_layout, permutation)
    threads = tiled_mma_thr_layout(atom, atom_layout)
    permuted = Tile(tuple([entries[mode] for mode in modes]))
    atoms = Tile(tuple([atom.shape_mnk[mode] for mode in modes]))
    counts = Tile(tuple([product(threads[mode + 1].shape) for mode in modes]))  # type: ignore[misc]
    return on_outer("tiled_mma_partition", layout, lambda plain: _partition(plain, permuted, atoms, tv, counts))


def _partition(layout: Layout, permuted: Tile, atoms: Tile, tv: Layout, counts: Tile) -> Layout:
    if layout.rank < 2:
        raise LayoutError("tiled_mma_partition", (layout,), "an operand has at least two modes")
    by_atom = zipped_divide(logical_divide(layout, permuted), atoms)
    return zipped_divide(composed_with(by_atom, Tile((tv, STAR))), Tile((STAR, counts)))


def tiled_mma_thr_coord(atom: MmaTV, atom_layout: Layout, thread: int | Dyn, operand: Operand) -> IntTuple:
    """The coordinate (ThrV, (Thr0, Thr1)) of a thread in the view of an operand."""
    coord = get_flat_coord(thread, tiled_mma_thr_layout(atom, atom_layout))
    assert isinstance(coord, tuple)
    first, second = _MODES[operand]
    return coord[0], (coord[first + 1], coord[second + 1])


def tiled_mma_partition_shape(
    atom: MmaTV, atom_layout: Layout, permutation: Tile | None, operand: Operand, shape: IntTuple
) -> IntTuple:
    """The shape (FrgV, Rest0, Rest1, ...) of a thread's part of an operand of this shape."""
    view = tiled_mma_partition(atom, atom_layout, permutation, operand, Layout(shape))
    values, rest = view[1]
    return values.shape, *(mode.shape for mode in rest)


@operation
def tiled_mma_tv(atom: MmaTV, atom_layout: Layout, permutation: Tile | None, operand: Operand) -> Layout:
    """(thread, (FrgV, (Rest0, Rest1))) -> element of the operand's tile; the third dimension's threads share it."""
    size = tiled_mma_tile_size(atom, atom_layout, permutation)
    first, second = _MODES[operand]
    view = tiled_mma_partition(atom, atom_layout, permutation, operand, Layout((size[first], size[second])))
    threads = tiled_mma_thr_layout(atom, atom_layout)
    counts = [product(mode.shape) for mode in threads]
    thr_v, (thr0, thr1) = view[0]
    shared = 3 - first - second
    by_mode = {first: thr0, second: thr1, shared: unchecked(counts[shared + 1], 0)}
    per_thread = joined([thr_v, *[by_mode[mode] for mode in range(3)]])
    return joined([composed(per_thread, right_inverse(threads)), view[1]])


def is_mma_partition(
    atom: MmaTV, atom_layout: Layout, permutation: Tile | None, operand: Operand, layout: AnyLayout
) -> bool:
    """A layout (FrgV, Rest0, Rest1, ...) that was partitioned for this operand, not a tile of it.

    The first mode of a part has the values of a thread. What could be both, as its first two modes are whole steps of
    the tiled MMA, is a tile, unless a thread has a single value; three modes that can be neither are a LayoutError.
    """
    if layout.rank < 3:
        return False
    values = product(atom.operand(operand)[1].shape)
    size = tiled_mma_tile_size(atom, atom_layout, permutation)
    steps = [size[mode] for mode in _MODES[operand]]
    found = [product(layout[number].shape) for number in range(3)]
    parts = zip(found, steps, strict=False)
    is_whole = all(type(part) is not int or type(step) is not int or part % step == 0 for part, step in parts)
    is_part = found[0] == values and (values == 1 or not is_whole)
    if not is_part and not is_whole:
        condition = f"neither a tile, in steps of {tuple(steps)}, nor a part with the {values} values of a thread"
        raise LayoutError("mma_make_fragment", (layout,), condition)
    return is_part


def mma_fragment_layout(view: AnyLayout, stages: int | None = None) -> Layout:
    """The registers of a partitioned operand (FrgV, Rest0, Rest1, ...).

    With `stages`, (FrgV, Rest0, Rest1, stages): so many copies of the first three modes, one behind the other.
    """
    if stages is None:
        return make_fragment_layout_like(view)
    if type(stages) is not int or stages < 1 or view.rank < 3:
        raise LayoutError("mma_make_fragment", (view, stages), "stages is an integer > 0 for a view of three modes")
    stage = make_fragment_layout_like(take(outer_layout("mma_make_fragment", view), 0, 3))
    return joined([*stage, unchecked(stages, cosize(stage))])
