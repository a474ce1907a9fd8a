"""The tables of expansions: each operation has the function of its name."""

from __future__ import annotations

from flydsl.ir.interpret import HANDLERS
from flydsl.passes.math.functions import FUNCTIONS, SCALAR_FUNCTIONS, WIDE_FUNCTIONS


def test_each_operation_is_expanded_by_the_function_of_its_name() -> None:
    for table, suffix in ((FUNCTIONS, ""), (SCALAR_FUNCTIONS, ""), (WIDE_FUNCTIONS, "_wide")):
        assert {name: function.__name__ for name, function in table.items()} == {
            name: name.removeprefix("math.") + suffix for name in table
        }


def test_every_expanded_operation_is_one_that_the_interpreter_defines() -> None:
    assert {*FUNCTIONS, *SCALAR_FUNCTIONS} <= set(HANDLERS)


def test_functions_that_branch_are_not_in_the_table_of_vectors() -> None:
    assert not set(FUNCTIONS) & set(SCALAR_FUNCTIONS)
