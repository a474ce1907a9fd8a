"""The operations of the language under one name, the classes of IR types among them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import flydsl.expr as fx
from flydsl.expr import primitive
from flydsl.ir.fly import types


def test_every_public_name_is_there_once():
    assert len(primitive.__all__) == len(set(primitive.__all__))
    assert {"make_layout", "Tensor", "make_copy_atom", "gemm", "printf", "AtomicOp"} <= {
        *primitive.__all__,
    }
    assert [name for name in primitive.__all__ if getattr(primitive, name) is not getattr(fx, name)] == []


@pytest.mark.parametrize("name", ["LayoutType", "PointerType", "SwizzleType", "TiledMmaType"])
def test_classes_of_ir_types_are_those_of_the_dialect(name):
    assert getattr(primitive, name) is getattr(fx, name)
    assert getattr(primitive, name) is getattr(types, name)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no_such_word"):
        _ = primitive.no_such_word


def test_the_dialect_is_loaded_by_the_first_class_of_an_ir_type():
    code = (
        "import sys; from flydsl.expr import primitive; "
        "before = any(name.startswith('xdsl') for name in sys.modules); primitive.LayoutType.get; "
        "print(before, 'flydsl.ir.fly.types' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
