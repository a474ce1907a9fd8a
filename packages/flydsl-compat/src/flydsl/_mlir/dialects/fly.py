"""What kernels use of the `fly` dialect by name; all else of it is in `fx`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import address, raw, type_of, wrapped
from flydsl.backend.language import as_dtype, current, vector_class
from flydsl.base.errors import FrontendError
from flydsl.expr import Pointer, Tensor, Vector, copy_atom_call, make_layout, make_rmem_tensor

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

_FUNCTIONS = ("copy_atom_call_ssa", "extract_aligned_pointer_as_index", "mma_atom_call_ssa")


def extract_aligned_pointer_as_index(result: object, source: Tensor | Pointer | SSAValue) -> Any:
    """The address of a tensor or pointer, or of an SSA value that is one, as `result`.

    `result` is `!llvm.ptr`, of any address space, or an integer type.
    """
    kind: Any = type_of(result)
    if kind.name == "llvm.ptr":
        return address(source, getattr(kind.addr_space, "data", 0) or 0)
    number = current().value("llvm.ptrtoint", [address(source)], type_of("i64"))
    return wrapped(number if kind == number.type else current().value("arith.index_cast", [number], kind))


def copy_atom_call_ssa(
    results: Sequence[object], atom: Any, src: Tensor, dst: Tensor | None = None, pred: Tensor | None = None
) -> Any:
    """One call of a copy atom on `src`: what it loads, as a vector of the type in `results`; with `dst`, into it."""
    if dst is not None:
        return copy_atom_call(atom, src, dst, pred=pred)
    if len(results) != 1:
        raise FrontendError(f"copy_atom_call_ssa without dst has one result, found types of {len(results)}")
    target, dtype = type_of(results[0]), src.dtype
    kind = vector_class(target)
    width = as_dtype(target).width if kind is None else kind.dtype.width * prod(kind.shape)
    if width % dtype.width:
        raise FrontendError(f"{width} bits of the result are no whole number of {dtype.__name__}")
    registers = make_rmem_tensor(make_layout(width // dtype.width, 1), dtype)
    copy_atom_call(atom, src, registers, pred=pred)
    loaded = registers.load()
    return loaded if loaded.ir_type == target else _as(loaded, target)


def mma_atom_call_ssa(results: Sequence[object], atom: Any, a: Any, b: Any, c: Any) -> Vector:
    """One call of an MMA atom on vectors of a thread's elements: `a * b + c` as the type in `results`."""
    from flydsl.backend.atoms import check_is_there  # loads xDSL

    check_is_there(atom)
    emitter = current()
    operands = [atom.ir_value(), *(raw(value) for value in (a, b, c))]
    attributes = {"operandSegmentSizes": emitter.integers([1, 0, 1, 1, 1], 32)}
    made = emitter.op("fly.mma_atom_call_ssa", operands, [type_of(one) for one in results], attributes=attributes)
    return wrapped(made.results[0])  # type: ignore[return-value]


def __getattr__(name: str) -> Any:
    """What is not here, with its public name."""
    plain = name.removesuffix("Op").removesuffix("_ssa")
    refuse(__name__, name, _FUNCTIONS, f"use fx.{plain}, or what else fx has for it")


def _as(loaded: Vector, target: Any) -> Any:
    return loaded[0] if loaded.numel == 1 and loaded.dtype.ir_type_of() == target else loaded.bitcast(target)
