"""The functions of the protocols as one module: the types of the language go through them too."""

from __future__ import annotations

import ctypes

import flydsl.expr as fx
from flydsl.compiler import protocol


def test_types_of_the_language_have_the_methods(emitted):
    def taken_apart(x):
        values = protocol.extract_to_ir_values(x)
        again = protocol.construct_from_ir_values(fx.Int32, x, values)
        return isinstance(x, protocol.DslType), len(values), again.dtype, protocol.get_ir_types(x)

    is_type, count, dtype, types = emitted(taken_apart, fx.Int32).result
    assert (is_type, count, dtype) == (True, 1, fx.Int32)
    assert [str(type_) for type_ in types] == ["i32"]


def test_sizes_and_alignments():
    assert (protocol.dsl_size_of(fx.Float64), protocol.dsl_align_of(fx.Float64)) == (8, 8)
    assert protocol.dsl_size_of(fx.Float16) == 2


def test_the_c_types_of_an_argument():
    class Both:
        def __c_abi_spec__(self):
            return [(ctypes.c_int32, lambda value, slot: None), (ctypes.c_double, lambda value, slot: None)]

    assert [kind for kind, _ in protocol.c_abi_spec(Both())] == [ctypes.c_int32, ctypes.c_double]
