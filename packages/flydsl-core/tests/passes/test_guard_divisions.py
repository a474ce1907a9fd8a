"""Divisions have a result for every divisor, in functions of the device and not in what the host runs."""

from __future__ import annotations

import pytest
from support.device_modules import kernel_module

from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run

DIVISION = '%q = "arith.divsi"(%a, %a) : (i32, i32) -> i32 "func.return"() : () -> ()'
FUNCTION = '"func.func"() <{sym_name = "f", function_type = (i32) -> ()}>'
FUNCTION += f" ({{ ^bb0(%a: i32): {DIVISION} }}) : () -> ()"


def after(text: str, *names: str) -> str:
    module = parse_module(text, check=False)
    run(module, names)
    return emit_generic(module)


@pytest.mark.parametrize(
    "text",
    [
        kernel_module("%a: i32, %b: i32", '%q = "arith.divsi"(%a, %b) : (i32, i32) -> i32'),
        f'"builtin.module"() ({{ "gpu.module"() <{{sym_name = "m"}}> ({{ {FUNCTION} }}) : () -> () }}) : () -> ()',
    ],
    ids=["a kernel", "a native function"],
)
def test_an_unknown_divisor_is_replaced_where_it_will_not_do(text: str) -> None:
    assert "arith.select" not in after(text)
    assert after(text, "guard-divisions").count('"arith.select"') == 2


def test_functions_of_the_host_stay() -> None:
    text = f'"builtin.module"() ({{ {FUNCTION} }}) : () -> ()'
    assert after(text, "guard-divisions") == after(text)
