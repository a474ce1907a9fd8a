"""Divisions have a result for every divisor, in kernels and not in what the host runs."""

from __future__ import annotations

from collections.abc import Callable

Kernel = Callable[..., str]
After = Callable[..., str]


def test_an_unknown_divisor_is_replaced_where_it_will_not_do(kernel: Kernel, after: After) -> None:
    text = kernel("%a: i32, %b: i32", '%q = "arith.divsi"(%a, %b) : (i32, i32) -> i32')
    assert "arith.select" not in after(text)
    assert after(text, "nvvm-guard-divisions").count('"arith.select"') == 2


def test_functions_of_the_host_stay(after: After) -> None:
    division = '%q = "arith.divsi"(%a, %a) : (i32, i32) -> i32 "func.return"() : () -> ()'
    head = '"func.func"() <{sym_name = "f", function_type = (i32) -> ()}>'
    text = f'"builtin.module"() ({{ {head} ({{ ^bb0(%a: i32): {division} }}) : () -> () }}) : () -> ()'
    assert after(text, "nvvm-guard-divisions") == after(text)
