"""The conformance suite finds wrong arithmetic and wrong machines: one thing of the toy device is wrong at a time.

`integration-tests/nightly/conformance_mutants.py` has all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))

from support.machine_mutants import machine_mutants
from support.mutants import mutants_of
from support.mutation_runs import Laboratory, Run

INT32, UINT32 = (f"test_integers_wrap_compare_divide_and_shift[{element}]" for element in ("int32", "uint32"))
FLOAT32 = "test_floats_are_rounded_once_and_special_ones_are_kept[float32]"
CONVERSIONS = "test_numbers_of_each_type_become_those_of_each"
FUNCTIONS = "test_functions_of_floats_are_within_their_bounds"
LAST, ROWS = "test_the_last_store_to_a_place_counts", "test_a_thread_reads_what_it_wrote_last"
LOOPS, LANES = "test_loops_turn_as_often_as_each_thread_says", "test_lanes_of_a_wave_exchange_numbers[int32]"
UPDATES, BARRIERS = "test_no_update_of_many_threads_is_lost", "test_threads_of_a_block_wait_for_each_other"

WRONG_NUMBERS = {
    CONVERSIONS: [
        *("arith.truncf f32 -> f16: is rounded toward zero", "arith.truncf f32 -> bf16: is rounded toward zero"),
        *("arith.sitofp i64 -> f32: is rounded toward zero", "arith.truncf f32 -> f16: subnormal numbers are zero"),
        *("arith.extsi i8 -> i64: counts as unsigned", "arith.sitofp i32 -> f32: counts as unsigned"),
        *("arith.trunci i64 -> i16: is one more", "arith.fptosi f32 -> i8: is one more"),
    ],
    INT32: [
        *("arith.addi i32: saturates", "arith.muli i32: loses its high bit", "arith.floordivsi i32: is arith.divsi"),
        *("arith.remsi i32: is arith.remui", "arith.shrsi i32: is arith.shrui", "arith.shrui i32: is arith.shrsi"),
        *("arith.minsi i32: is arith.minui", "arith.xori i32: is arith.ori", "math.cttz i32: is math.ctlz"),
        "arith.cmpi i32 -> i1 predicate 2: counts as unsigned",
    ],
    UINT32: [
        *("arith.divui i32: is arith.divsi", "arith.remui i32: is arith.remsi", "arith.maxui i32: is arith.maxsi"),
        "arith.cmpi i32 -> i1 predicate 6: counts as signed",
    ],
    FLOAT32: [
        *("arith.addf f32: is rounded toward zero", "arith.mulf f32: subnormal numbers are zero"),
        *("arith.divf f32: infinity is the largest", "arith.divf f32: is a unit beyond its bound"),
        *("arith.maximumf f32: is arith.maxnumf", "arith.minimumf f32: zero loses its sign"),
        *("arith.minnumf f32: is arith.minimumf", "arith.negf f32: zero loses its sign"),
        *("arith.cmpf f32 -> i1 predicate 4: is the opposite of NaN", "math.roundeven f32: is math.round"),
        *("math.floor f32: is math.trunc", "math.ceil f32: zero loses its sign"),
    ],
    FUNCTIONS: [
        *(f"math.{name} f32: is a unit beyond its bound" for name in ("exp", "sin", "erfc", "sqrt", "powf", "tanh")),
        *("math.exp2 f32: subnormal numbers are zero", "math.atan2 f32: zero loses its sign"),
        *("math.log f32: NaN is zero", "math.fma f32: is a unit beyond its bound"),
    ],
}
"""The test that finds it -> mutants."""
WRONG_MACHINES = {
    ROWS: ["every fifth store is lost", "every seventh store goes to the next place", "branches are never taken"],
    LAST: ["the first store of a thread to a place stays", "a load gives what the thread read there before"],
    LOOPS: [
        *("branches go the other way", "branches are always taken", "a while loop ends after six turns"),
        *("a loop leaves out its last turn", "a loop leaves out its first turn", "a loop turns at least once"),
        "loops go by steps of one",
    ],
    LANES: [
        *("a shuffle gives a lane its own number", "a shuffle is off by one lane"),
        "a shuffle wraps around its group",
    ],
    UPDATES: [
        *("every seventh atomic update is lost", "an atomic update gives the new value"),
        *("compare and exchange always replaces", "compare and exchange always says that it did"),
    ],
    BARRIERS: ["barriers are ignored"],
}


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with (laboratory := Laboratory()).open(*WRONG_NUMBERS, *WRONG_MACHINES):
        yield laboratory


def check(runs: list[Run], test: str) -> None:
    print(*(f"{run.fate:16}{run.mutant.name} {run.killer}" for run in runs), sep="\n")
    assert [run.mutant.name for run in runs if run.killer != test] == []


@pytest.mark.parametrize("test", WRONG_NUMBERS)
def test_wrong_arithmetic_fails_the_suite(test: str, laboratory: Laboratory) -> None:
    by_name = {mutant.name: mutant for kind, op in laboratory.kinds.items() for mutant in mutants_of(kind, op)}
    case = laboratory.case(test)
    check([laboratory.run(by_name[name], [case]) for name in WRONG_NUMBERS[test]], test)


@pytest.mark.parametrize("test", WRONG_MACHINES)
def test_a_wrong_machine_fails_the_suite(test: str, laboratory: Laboratory) -> None:
    by_name = {mutant.name: mutant for mutant in machine_mutants()}
    case = laboratory.case(test)
    check([laboratory.run(by_name[name], [case]) for name in WRONG_MACHINES[test]], test)
