"""Single buffer instructions on a resource, which is that of `get_buffer_rsrc`, or a buffer pointer."""

from __future__ import annotations

from math import prod
from typing import Any

from flydsl.backend.language import as_dtype, current, vector_class
from flydsl.base.errors import FrontendError
from flydsl.expr import Int32, Int64, Int128, Numeric, Vector, as_numeric
from flydsl_rocm.features import Feature
from flydsl_rocm.rocdl import Argument

from .chips import require
from .emit import count, intrinsic
from .float_atomics import FLOAT_ATOMICS
from .operands import as_operand
from .operations import operation_function

__all__ = ["buffer_load_to_lds", "raw_buffer_atomic", "s_buffer_load"]

_INTEGER = frozenset({"swap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"})
_FLOAT = {(f"f{op}", kind, lanes): feature for (op, kind, lanes), feature in FLOAT_ATOMICS.items()}
_RESOURCE = Argument("rsrc", ":", "p8")


def raw_buffer_atomic(op: str, value: Any, rsrc: Any, offset: Any, soffset: Any = 0, aux: Any = 0) -> Any:
    """`value` combined into the buffer at byte `offset` + `soffset` (the same in all lanes); returns what was there.

    `op` is swap, add, sub, smin, umin, smax, umax, and, or, xor, inc or dec for 32 and 64-bit integers, fadd, fmin or
    fmax for floats. Beyond the bound nothing is written.
    """
    name = "raw_buffer_atomic"
    data = value if isinstance(value, Vector) else as_numeric(value)
    require(f"{name} {op!r} of {data.dtype.__name__}", _feature_of(op, data))
    words = [as_operand(name, Argument(n, ":", "i32"), v) for n, v in (("offset", offset), ("soffset", soffset))]
    operands = [data.ir_value(), as_operand(name, _RESOURCE, rsrc), *words, Int32(count(name, aux)).ir_value()]
    old = intrinsic(f"raw.ptr.buffer.atomic.{op}", operands, [data.ir_type])
    return Vector(old, data.shape, data.dtype) if isinstance(data, Vector) else data.dtype.wrap(old)


def buffer_load_to_lds(
    rsrc: Any, lds: Any, size: Any, voffset: Any, soffset: Any = 0, offset: Any = 0, aux: Any = 0
) -> None:
    """`size` bytes a thread from the buffer into LDS, past the registers: thread i of a wave fills byte `i * size`.

    Byte `voffset` (of each thread) + `soffset` (of the wave) + `offset` (known while tracing) is read; sizes are 1, 2
    and 4, on gfx950 12 and 16 too.
    """
    name, bytes_ = "buffer_load_to_lds", count("buffer_load_to_lds", size)
    if bytes_ not in (1, 2, 4, 12, 16):
        raise FrontendError(f"fx.rocdl.{name} moves 1, 2, 4, 12 or 16 bytes a thread, found {bytes_}")
    require(name, Feature.LOADS_TO_LDS if bytes_ <= 4 else Feature.WIDE_LOADS_TO_LDS)
    operation_function("raw_ptr_buffer_load_lds")(rsrc, lds, bytes_, voffset, soffset, offset, aux)


def s_buffer_load(result: Any, rsrc: Any, offset: Any, aux: Any = 0) -> Any:
    """A number or vector of 1, 2, 4, 8 or 16 words of 32 bits, the same in all lanes, at byte `offset` of a buffer.

    `result` is its type. `offset` is the same in all lanes; beyond the bound are zeros.
    """
    name, emitter = "s_buffer_load", current()
    require(name)
    kind = vector_class(result)
    shape, dtype = ((), as_dtype(result)) if kind is None else (kind.shape, kind.dtype)
    words = prod(shape)
    if dtype.width != Int32.width or words not in (1, 2, 4, 8, 16):
        raise FrontendError(f"fx.rocdl.{name} loads 1, 2, 4, 8 or 16 words of 32 bits, found {result!r}")
    bits = emitter.value("llvm.ptrtoint", [as_operand(name, _RESOURCE, rsrc)], emitter.type(Int128))
    resource = emitter.value("llvm.bitcast", [bits], emitter.type(Int32, (4,)))
    byte = as_operand(name, Argument("offset", ":", "i32"), offset)
    loaded = emitter.type(Int32, (words,)) if words > 1 else emitter.type(Int32)
    value = intrinsic("s.buffer.load", [resource, byte, Int32(count(name, aux)).ir_value()], [loaded])
    own = emitter.type(dtype, shape) if shape else emitter.type(dtype)
    value = value if loaded == own else emitter.value("llvm.bitcast", [value], own)
    return Vector(value, shape, dtype) if shape else dtype.wrap(value)


def _feature_of(op: str, data: Numeric | Vector) -> Feature | None:
    lanes = data.numel if isinstance(data, Vector) else 1
    if op in _INTEGER and lanes == 1 and not data.dtype.is_float and data.dtype.width in (Int32.width, Int64.width):
        return None
    key = (op, data.dtype, lanes)
    if key not in _FLOAT:
        kinds = dict.fromkeys(f"{name} of {lanes} x {kind.__name__}" for name, kind, lanes in _FLOAT)
        raise FrontendError(
            f"there is no fx.rocdl.raw_buffer_atomic {op!r} of {data!r}; there are {', '.join(sorted(_INTEGER))} of "
            f"integers of 32 and 64 bits, and {', '.join(kinds)}"
        )
    return _FLOAT[key]
