"""Data movement and matrix multiplication by atoms: `copy` and `gemm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.algebra import recast_layout
from flydsl.expr.layouts.layout import as_layout
from flydsl.expr.layouts.modes import rank, size
from flydsl.expr.memory.address_space import AddressSpace, is_generic_address_space
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.memory.pointer import Pointer, recast_iter
from flydsl.expr.memory.tensor import Tensor, make_fragment_like, make_view
from flydsl.expr.numbers.registry import numeric_by_type
from flydsl.expr.numeric import Boolean, Int32, Uint32
from flydsl.expr.tiles.atoms import A, Atom, CopyAtom, check_is_there
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from xdsl.ir import Attribute

    from flydsl.expr.tiles.enums import GemmTraversalOrder
    from flydsl.expr.values.operand_types import LayoutLike, MemoryLike, VectorLike

    AtomCallback: TypeAlias = Callable[[Atom, tuple[int, int, int]], Atom | None]

__all__ = ["copy", "copy_atom_call", "gemm", "mma_atom_call"]


def copy(
    copy_atom: Atom,
    src: MemoryLike,
    dst: MemoryLike,
    *,
    pred: Tensor | None = None,
    **state: VectorLike | Pointer | str | None,
) -> None:
    """Copy `src` to `dst` with `copy_atom` (or a tiled copy) where `pred` is true; `state` sets the atom's fields.

    `pred` is a Boolean register tensor over the rest modes, one element for each atom call. Raises FrontendError if the
    elements of the tensors differ in width. An atom of a backend that is no value of the dialect copies by its own
    method `__fly_copy__(src, dst, *, pred, **state)`, which may take memory that is no tensor.
    """
    own = getattr(type(copy_atom), "__fly_copy__", None)
    if own is not None:
        own(copy_atom, src, dst, pred=pred, **state)
        return
    _emit("copy", _with_state(copy_atom, state), src, dst, pred)


def copy_atom_call(copy_atom: Atom, src: Tensor, dst: Tensor, *, pred: Tensor | None = None) -> None:
    """A single call of a copy atom; `src` and `dst` are the values that one call copies."""
    _emit("copy_atom_call", copy_atom, src, dst, pred)


def gemm(
    mma_atom: Atom,
    d: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    traversal_order: GemmTraversalOrder | str | None = None,
    traversal_layout: LayoutLike | None = None,
    atom_callback: AtomCallback | None = None,
    **state: VectorLike,
) -> None:
    """d = a * b + c over fragments partitioned for `mma_atom` (or a tiled MMA), unrolled over (M, N, K).

    `traversal_order` (`GemmTraversalOrder`, default NMK) or a `traversal_layout`, step -> column-major (m, n, k), sets
    the order; `state` sets the atom's fields. `atom_callback(atom, (m, n, k))` returns the atom of each call (None: the
    same one), for state that differs between calls. Floats of 8 and 4 bits may be packed in register tensors of words,
    Int32 or Uint32. Raises FrontendError for elements of other types than the atom's.
    """
    checked = _mma_operands("gemm", mma_atom, (d, a, b, c), state)
    if atom_callback is not None:
        _gemm_by_call(checked, traversal_order, traversal_layout, atom_callback)
        return
    operands = checked if traversal_layout is None else (*checked, as_layout(traversal_layout))
    emitter = current()
    attributes = {} if traversal_order is None else {"traversalOrder": emitter.traversal_order(traversal_order)}
    emitter.op("fly.gemm", [operand.ir_value() for operand in operands], attributes=attributes)


def mma_atom_call(mma_atom: Atom, d: Tensor, a: Tensor, b: Tensor, c: Tensor, **state: VectorLike) -> None:
    """A single call of an MMA atom: d = a * b + c on the fragments of one atom."""
    operands = _mma_operands("mma_atom_call", mma_atom, (d, a, b, c), state)
    current().op("fly.mma_atom_call", [operand.ir_value() for operand in operands])


def _mma_operands(
    name: str, atom: Atom, tensors: Sequence[Tensor], state: Mapping[str, VectorLike]
) -> tuple[Atom, Tensor, Tensor, Tensor, Tensor]:
    """The atom with its state, and d, a, b, c, whose elements must have the atom's types."""
    from flydsl.ir.fly.views import wrong_element

    if not isinstance(atom, Atom) or isinstance(atom, CopyAtom):
        raise FrontendError(f"{name} needs an MMA atom first, found {atom!r}; make one with fx.make_mma_atom")
    checked = _tensors(name, *tensors)
    wrong = wrong_element(atom.payload, [tensor.value_type for tensor in checked])
    while wrong is not None and _holds_packed(checked[wrong[0]], wrong[1]):
        checked[wrong[0]] = _unpacked(checked[wrong[0]], wrong[1])
        wrong = wrong_element(atom.payload, [tensor.value_type for tensor in checked])
    if wrong is not None:
        index, expected = wrong
        raise FrontendError(
            f"operand {'dabc'[index]} of {name} has elements of type {checked[index].dtype.__name__}, and the atom "
            f"multiplies {expected}; convert in registers first, or choose another atom"
        )
    d, a, b, c = checked
    check_is_there(atom)
    return _with_state(atom, state), d, a, b, c


def _holds_packed(tensor: Tensor, element: Attribute) -> bool:
    """Whether words of a thread's registers can hold such narrow floats, several a word."""
    dtype = numeric_by_type().get(element)
    is_narrow = dtype is not None and dtype.is_float and dtype.width in (4, 8)
    is_word = tensor.dtype in (Int32, Uint32)
    return is_narrow and is_word and is_generic_address_space(tensor.address_space, AddressSpace.Register)


def _unpacked(words: Tensor, element: Attribute) -> Tensor:
    """The same registers as a tensor of the elements that its words hold, the first in the lowest bits."""
    dtype = numeric_by_type()[element]
    return make_view(recast_iter(dtype, words.iter), recast_layout(words.layout, 32, dtype.width))


def _gemm_by_call(
    operands: tuple[Atom, Tensor, Tensor, Tensor, Tensor],
    order: GemmTraversalOrder | str | None,
    layout: LayoutLike | None,
    atom_callback: AtomCallback,
) -> None:
    from flydsl.ir.fly.attributes import GemmTraversalOrder as Order
    from flydsl.ir.fly.traversal import traversal

    atom, d, a, b, c = operands
    if layout is not None:
        raise FrontendError("gemm with atom_callback uses traversal_order; leave out traversal_layout")
    if [rank(tensor) for tensor in (d, a, b, c)] != [3, 3, 3, 3]:
        raise FrontendError("gemm with atom_callback takes d and c as (V,M,N), a as (V,M,K) and b as (V,N,K)")
    extents = int(size(d.shape[1])), int(size(d.shape[2])), int(size(a.shape[2]))
    done: set[tuple[int, int]] = set()
    chosen = None if order is None else Order((order if isinstance(order, str) else order.name).lower())
    for m, n, k in traversal(extents, chosen):
        source = d if (m, n) in done else c
        done.add((m, n))
        other = atom_callback(atom, (m, n, k))
        pieces = d[None, m, n], a[None, m, k], b[None, n, k], source[None, m, n]
        mma_atom_call(atom if other is None else other, *pieces)


def _emit(name: str, atom: Atom, given: MemoryLike, to: MemoryLike, pred: Tensor | None) -> None:
    src, dst = _tensors(name, given, to)
    operands = [atom, src, dst, *(() if pred is None else (_flags(name, pred),))]
    if not isinstance(atom, Atom):
        raise FrontendError(f"{name} needs a copy atom first, found {atom!r}; make one with fx.make_copy_atom")
    if _width(src) != _width(dst):
        raise FrontendError(
            f"{name} moves bits, and {src.dtype.__name__} and {dst.dtype.__name__} differ in width: {_width(src)} and "
            f"{_width(dst)} bits; convert in registers first, as `registers.store(tensor.load())` does"
        )
    current().op(f"fly.{name}", [operand.ir_value() for operand in operands])


def _flags(name: str, pred: Tensor) -> Tensor:
    """Predicates as bits; in memory, and in registers loaded from it, they are bytes."""
    (predicate,) = _tensors(name, pred)
    if predicate.dtype is not Boolean:
        raise FrontendError(
            f"pred of {name} is a tensor of fx.Boolean, found {predicate.dtype.__name__}; compare its elements first"
        )
    if memory_dtype(Boolean, predicate.value_type) is Boolean:
        return predicate
    bits = make_fragment_like(predicate, Boolean)
    bits.store(predicate.load())
    return bits


def _width(tensor: Tensor) -> int:
    """Width of an element in memory, in bits."""
    return memory_dtype(tensor.dtype, tensor.value_type).width


def _tensors(name: str, *given: MemoryLike) -> list[Tensor]:
    tensors = [tensor for tensor in given if isinstance(tensor, Tensor)]
    if len(tensors) != len(given):
        wrong = next(tensor for tensor in given if not isinstance(tensor, Tensor))
        raise FrontendError(f"{name} needs tensors, found {wrong!r}")
    return tensors


def _with_state(atom: A, state: Mapping[str, VectorLike | Pointer | str | None]) -> A:
    for field, value in state.items():
        if value is None or isinstance(value, Pointer | str):
            raise FrontendError(f"{field} of {atom!r} is a number, found {value!r}")
        atom = atom.set_value(field, value)
    return atom
