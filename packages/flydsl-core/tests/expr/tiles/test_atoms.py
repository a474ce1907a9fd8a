"""Copy and MMA atoms: operations, layouts of threads and values, state."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.types import UniversalCopyType


@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
def test_a_universal_copy_moves_a_number_of_bits(bits):
    operation = fx.UniversalCopy(bits)
    assert (repr(operation), operation.bit_size) == (f"UniversalCopy({bits})", bits)
    assert str(operation.ir_type()) == f"!fly.universal_copy<{bits}>"
    assert getattr(fx, f"UniversalCopy{bits}b")().ir_type() == operation.ir_type()


@pytest.mark.parametrize("bits", [0, 24, 256, "32"])
def test_other_sizes_are_refused(bits):
    with pytest.raises(FrontendError, match=f"UniversalCopy moves 8, 16, 32, 64 or 128 bits, found {bits!r}"):
        fx.UniversalCopy(bits)


def test_a_copy_atom_counts_in_values_of_its_width():
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float16)
    assert atom.val_bits == 16
    assert atom.thr_layout.payload == atom.thr_id.payload == fl.Layout(1, 1)
    for layout in (atom.layout_src_tv, atom.layout_dst_tv, atom.layout_ref_tv):
        assert int(fx.size(layout)) == 8
        assert [layout.payload((0, value)) for value in range(8)] == list(range(8))


@pytest.mark.parametrize(("element", "bits"), [(fx.Boolean, 8), (fx.Int4, 4), (fx.Float64, 64), (24, 24)])
def test_values_are_as_wide_as_the_type_in_memory(element, bits):
    assert fx.make_copy_atom(UniversalCopyType(128 if 128 % bits == 0 else 24 * 8), element).val_bits == bits


def test_an_mma_atom_knows_its_shape_and_layouts():
    operation = fx.UniversalFMA(fx.Float32)
    atom = fx.make_mma_atom(operation)
    assert repr(operation) == "UniversalFMA(Float32)"
    assert atom.shape_mnk == (1, 1, 1)
    assert str(atom.ir_type) == "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
    for layout in (atom.layout_A_tv, atom.layout_B_tv, atom.layout_C_tv):
        assert int(fx.size(layout)) == 1


@pytest.mark.parametrize("make", [lambda op: fx.make_copy_atom(op, 32), fx.make_mma_atom])
@pytest.mark.parametrize("operation", [fx.UniversalCopy, "copy", None])
def test_atoms_are_made_of_operations(make, operation):
    with pytest.raises(FrontendError, match=r"needs an operation such as fx\.UniversalCopy32b\(\), found"):
        make(operation)


def test_an_atom_becomes_an_operation_when_it_is_an_operand(emitted):
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    assert atom.is_static
    run = emitted(atom.ir_value)
    assert run.names == ["fly.make_copy_atom"]
    assert run.result.type == atom.ir_type


def test_fields_that_an_atom_does_not_have_are_refused():
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    for set_value in (lambda: atom.set_value("soffset", 1), lambda: atom.set_value({"soffset": 1})):
        with pytest.raises(FrontendError, match=r"has no state field 'soffset'; it has \[\]"):
            set_value()
    assert atom.set_value({}) is atom
