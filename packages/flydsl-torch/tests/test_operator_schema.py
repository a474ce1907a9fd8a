"""Schemas of operators from the signatures of the functions that launch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.torch.operator_schema import signature_of, torch_type


def launch(x: torch.Tensor, y: fx.Tensor, scale: fx.Float32, n: int = 3, on: bool = True) -> None:
    """Stands for a function that launches kernels."""


def test_inputs_are_what_out_takes_and_outputs_the_rest() -> None:
    signature = signature_of("flydsl_schemas::one", launch, lambda scale, x, on=False: x)
    assert signature.schema == "one(float scale, Tensor x, bool on=False) -> Tensor"
    assert (signature.inputs, signature.outputs) == (("scale", "x", "on"), ("y",))
    tensor, out = torch.zeros(1), torch.zeros(1)
    assert signature.completed((0.5, tensor)) == (0.5, tensor, False)
    assert signature.arranged((0.5, tensor, True), (out,)) == (tensor, out, 0.5, 3, True)


def test_several_outputs_are_a_tuple() -> None:
    signature = signature_of("flydsl_schemas::two", launch, lambda n: None)
    assert signature.schema == "two(SymInt n=3) -> (Tensor, Tensor, Tensor)"
    assert signature.outputs == ("x", "y", "scale")


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (fx.Tensor, torch.Tensor),
        (torch.nn.Parameter, torch.Tensor),
        (fx.Int64, int),
        (fx.BFloat16, float),
        (fx.Boolean, bool),
        (fx.Constexpr[int], int),
        (str, str),
        (fx.Constexpr[torch.dtype], torch.dtype),
        (torch.device, torch.device),
        (torch.Tensor | None, torch.Tensor | None),
        (torch.dtype | None, torch.dtype | None),
        (list[torch.Tensor], Sequence[torch.Tensor]),
        (Sequence[int], Sequence[int]),
        (list[int] | None, Sequence[int] | None),
        (list, None),
        (list[str], None),
        (dict[str, int], None),
        (int | float, None),
        (int | str | None, None),
        (fx.Stream, None),
        ("x", None),
    ],
)
def test_types_are_those_of_torch(annotation: object, kind: object) -> None:
    assert torch_type(annotation) == kind


def test_variadic_functions_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"out= takes \*args, name the parameters"):
        signature_of("flydsl_schemas::three", launch, lambda *args: None)
