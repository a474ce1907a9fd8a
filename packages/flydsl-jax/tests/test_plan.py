"""Plans: what Python writes the native library reads, and it refuses everything else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.adaptors.dtypes import DTYPES
from flydsl.backend.frameworks import CallTemplate
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.compiler import AbstractTensor
from flydsl.compiler.aot.portable import Field
from flydsl.jax import native, plan
from flydsl.jax.plan import Buffer, CallPlan, PlanField, PlanTensor

HEADER = Path(__file__).parents[1] / "src/native/plan.h"
TENSORS = (
    PlanTensor(Buffer(False, 0), (None, 3), 32, align=16),
    PlanTensor(Buffer(True, 1), (), 8, is_narrow=False),
)
FIELDS = (
    PlanField(0, 8, 0, "address"),
    PlanField(8, 4, 0, "shape", 0),
    PlanField(16, 8, 0, "stride", 1),
    PlanField(24, 8, 1, "address"),
)
SAMPLE = CallPlan("scale", bytes(range(64)), inputs=1, outputs=2, tensors=TENSORS, fields=FIELDS)


def test_numbers_of_the_format_are_those_of_the_header() -> None:
    defines = {name: int(value) for name, value in re.findall(r"^  PLAN_(\w+) = (\d+),", HEADER.read_text(), re.M)}
    assert defines["VERSION"] == plan.VERSION
    sizes = (plan._HEADER.size, plan._TENSOR.size, plan._EXTENT.size, plan._FIELD.size)
    assert sizes == tuple(defines[f"{part}_BYTES"] for part in ("HEADER", "TENSOR", "EXTENT", "FIELD"))
    assert [defines[what.upper()] for what in plan._WHATS] == [0, 1, 2, 3]
    assert defines["MAX_NAME"] == plan._NAME_BYTES


def test_a_plan_is_read_and_equal_plans_are_equal_bytes() -> None:
    native.check_plan(SAMPLE.encode())
    shuffled = replace(SAMPLE, fields=(FIELDS[3], *FIELDS[:3]))
    assert shuffled.encode() == SAMPLE.encode()


def test_a_long_name_is_cut_between_characters() -> None:
    encoded = replace(SAMPLE, name="x" + "é" * 400).encode()
    native.check_plan(encoded)
    assert encoded.endswith(("x" + "é" * 255).encode())


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"tensors": (replace(TENSORS[0], buffer=Buffer(False, 1)), TENSORS[1])}, "tensor 0 is input 1 of 1"),
        ({"tensors": (TENSORS[0], replace(TENSORS[1], buffer=Buffer(True, 2)))}, "tensor 1 is output 2 of 2"),
        ({"tensors": (replace(TENSORS[0], bits=0), TENSORS[1])}, "tensor 0 has elements of 0 bits"),
        ({"tensors": (replace(TENSORS[0], align=0), TENSORS[1])}, "tensor 0 has alignment 0"),
        ({"tensors": (replace(TENSORS[0], shape=(1,) * 65), TENSORS[1])}, "tensor 0 has rank 65, above 64"),
        ({"tensors": (replace(TENSORS[0], shape=(-2, 3)), TENSORS[1])}, "an extent is -2"),
        ({"fields": (PlanField(57, 8, 0, "address"),)}, "field 0 at 57 is beyond the 64 bytes"),
        ({"fields": (PlanField((1 << 32) - 4, 8, 0, "address"),)}, "field 0 at 4294967292 is beyond"),
        ({"fields": (PlanField(0, 4, 0, "address"),)}, "field 0 has 4 bytes"),
        ({"fields": (PlanField(0, 2, 0, "shape"),)}, "field 0 has 2 bytes"),
        ({"fields": (PlanField(0, 8, 2, "address"),)}, "field 0 is of tensor 2 of 2"),
        ({"fields": (PlanField(0, 8, 1, "shape", 0),)}, "field 0 is of mode 0 of a tensor of rank 0"),
        ({"fields": (PlanField(0, 4, 0, "value"),)}, "field 0 holds the 4 bytes of a value, and tensor 0 is none"),
        ({"fields": (PlanField(0, 1, 1, "value"),)}, "field 0 holds the 1 bytes of a value, and tensor 1 is none"),
        ({"template": bytes(16385)}, "16385 bytes of packed arguments are above 16384"),
    ],
)
def test_what_would_lead_outside_is_refused(changed: dict[str, object], text: str) -> None:
    with pytest.raises(RuntimeFailure, match=text):
        native.check_plan(replace(SAMPLE, **changed).encode())  # type: ignore[arg-type]


def test_a_plan_that_is_cut_short_is_refused() -> None:
    for size in range(len(SAMPLE.encode())):
        with pytest.raises(RuntimeFailure, match="the plan of a call is bad"):
            native.check_plan(SAMPLE.encode()[:size])


def test_extents_that_a_tensor_does_not_have_are_refused() -> None:
    data = bytearray(SAMPLE.encode())
    rank_of_the_second = plan._HEADER.size + plan._TENSOR.size + 8
    assert data[rank_of_the_second] == 0
    data[rank_of_the_second] = 3
    with pytest.raises(RuntimeFailure, match="2 extents are there, and the tensors have 5"):
        native.check_plan(bytes(data))


@given(st.binary(max_size=400))
def test_any_bytes_are_a_plan_or_refused(data: bytes) -> None:
    with pytest.raises(RuntimeFailure, match="the plan of a call is bad"):
        native.check_plan(data)


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE.encode()) - 1), st.integers(0, 255)), max_size=8))
def test_any_change_of_a_plan_gives_a_plan_or_is_refused(changes: list[tuple[int, int]]) -> None:
    data = bytearray(SAMPLE.encode())
    for place, value in changes:
        data[place] = value
    try:
        native.check_plan(bytes(data))
    except RuntimeFailure as error:
        assert "the plan of a call is bad" in str(error)  # noqa: PT017


def test_a_portable_call_becomes_a_plan() -> None:
    narrow, closed = AbstractTensor((None, 7), DTYPES["float32"]), AbstractTensor((5, 7), DTYPES["bfloat16"])
    fields = (
        *(Field(0, 8, 0, "address"), Field(8, 4, 0, "shape", 0), Field(16, 8, 0, "stride", 0)),
        *(Field(24, 8, 1, "address"), Field(32, 8, 2, "address"), Field(40, 8, 2, "shape", 0)),
    )
    artifact = SimpleNamespace(name="copy")
    portable = CallTemplate(artifact, bytes(64), fields, (narrow, closed, narrow), (4, 2, 16), (1,))  # type: ignore[arg-type]
    made = CallPlan.of(portable, [Buffer(False, 1), Buffer(True, 0), Buffer(False, 0)], inputs=2, outputs=1)
    assert made.tensors == [
        PlanTensor(Buffer(False, 1), (None, 7), 32, align=4, is_narrow=True),
        PlanTensor(Buffer(True, 0), (5, 7), 16, align=2, is_narrow=False),
        PlanTensor(Buffer(False, 0), (None, 7), 32, align=16, is_narrow=False),
    ]
    assert made.fields[1:3] == [PlanField(8, 4, 0, "shape", 0), PlanField(16, 8, 0, "stride", 0)]
    assert (made.name, made.template, made.inputs, made.outputs) == ("copy", bytes(64), 2, 1)
    native.check_plan(made.encode())
    number = PlanTensor(Buffer(False, 1), (2,), 32)
    opened = replace(portable, fields=(*fields, Field(48, 8, 0, "value")))
    made = CallPlan.of(opened, [Buffer(False, 0), Buffer(True, 0), Buffer(False, 0)], 2, 1, [number])
    assert (made.tensors[3], made.fields[-1]) == (number, PlanField(48, 8, 3, "value"))
    native.check_plan(made.encode())
    with pytest.raises(ArgumentError, match="expected a buffer for each of 3 tensors, found 1"):
        CallPlan.of(portable, [Buffer(False, 1)], inputs=2, outputs=1)
