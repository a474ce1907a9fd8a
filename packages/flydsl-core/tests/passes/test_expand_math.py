"""The pass `expand-math`: which operations it replaces, and what replaces them computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from expressions import compiled
from xdsl.dialects.builtin import ModuleOp

from flydsl.base.errors import SettingError
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run


def expanded(name: str, *types: str, result: str = "", functions: str = "") -> tuple[ModuleOp, ModuleOp]:
    """A function that calls `math.<name>`, as it is and after the pass."""
    result = result or types[0]
    arguments = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(types))
    operands = ", ".join(f"%a{i}" for i in range(len(types)))
    signature = f"({', '.join(types)}) -> {result}"
    module = parse_module(
        f'"builtin.module"() ({{ "func.func"() <{{sym_name = "f", function_type = {signature}}}> ({{\n'
        f"^bb0({arguments}):\n"
        f'  %r = "math.{name}"({operands}) : {signature}\n'
        f'  "func.return"(%r) : ({result}) -> ()\n'
        "}) : () -> () }) : () -> ()"
    )
    before = module.clone()
    run(module, f"expand-math{{functions={functions}}}" if functions else "expand-math")
    return before, module


def names(module: ModuleOp) -> set[str]:
    return {op.name for op in module.walk()}


def called(module: ModuleOp, *arguments: object) -> object:
    return compiled(next(iter(module.body.block.ops)))(*arguments)[0]


@pytest.mark.parametrize("type_", ["f32", "f16", "bf16", "vector<3xf32>", "vector<2x2xf16>"])
def test_a_function_is_replaced_for_each_type_of_float(type_: str) -> None:
    before, after = expanded("exp", type_)
    assert "math.exp" in names(before)
    assert "math.exp" not in names(after)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_narrow_floats_are_computed_in_f32_and_rounded_once(type_: str) -> None:
    before, after = expanded("log", type_)
    for x in (0.5, 1.75, 3.0, 100.0):
        assert called(after, x) == called(before, x)


def test_every_lane_of_a_vector_is_computed() -> None:
    before, after = expanded("sin", "vector<3xf32>", functions="sin")
    lanes = [0.5, -1.25, 40000.0]
    np.testing.assert_allclose(called(after, lanes), called(before, lanes), rtol=3e-7)


def test_only_the_named_functions_are_replaced() -> None:
    assert "math.exp" in names(expanded("exp", "f32", functions="log,sin")[1])
    assert "math.sin" in names(expanded("sin", "f32")[1])  # it branches: only by name


def test_an_unknown_function_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"no expansion of \['math.gamma'\]; known: math.acos, "):
        expanded("exp", "f32", functions="gamma")


def test_f64_is_left_to_a_library_except_where_that_would_cancel() -> None:
    assert "math.exp" in names(expanded("exp", "f64")[1])
    _, after = expanded("log1p", "f64")
    assert "math.log1p" not in names(after)
    np.testing.assert_allclose(called(after, 1e-12), np.log1p(1e-12), rtol=1e-15)


def test_integer_powers_of_integers_and_floats() -> None:
    _, integers = expanded("ipowi", "i32", "i32")
    assert [called(integers, 3, 5), called(integers, -2, 3), called(integers, 5, -1)] == [243, -8, 0]
    _, doubles = expanded("fpowi", "f64", "i32", functions="fpowi")
    assert "math.powf" in names(doubles)
    assert called(doubles, 1.5, 3) == 3.375
