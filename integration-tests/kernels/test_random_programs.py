"""Random programs of nested branches, loops and exits: what a kernel computes equals what Python computes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.source_modules import module_of

import flydsl.compiler as flyc
import flydsl.expr as fx

N, VARIABLES = 16, "abc"
EXAMPLES = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 12  # each is compiled
_COUNTER = iter(range(1 << 30))


def expressions(loops: tuple[str, ...]):
    names = st.sampled_from([*VARIABLES, "n", *loops])
    small = st.integers(-3, 9).map(str)
    return st.one_of(
        names, small, st.builds("{} {} {}".format, names, st.sampled_from("+-*&"), st.one_of(names, small))
    )


def conditions(loops: tuple[str, ...]):
    compare = st.builds(
        "{} {} {}".format, expressions(loops), st.sampled_from(["<", ">=", "==", "!="]), expressions(loops)
    )
    both = st.builds("({}) {} ({})".format, compare, st.sampled_from(["and", "or"]), compare)
    return st.one_of(compare, both, st.builds("not ({})".format, compare))


@st.composite
def blocks(draw, depth: int, loops: tuple[str, ...]) -> list[str]:
    """Lines of one block; `loops` are the variables of the loops around it."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statements(depth, loops))
    return lines


@st.composite
def statements(draw, depth: int, loops: tuple[str, ...]) -> list[str]:
    kinds = ["assign", "assign", "augment", *(["exit"] if loops else []), *(["if", "if", "for", "while"] * (depth > 0))]
    kind = draw(st.sampled_from(kinds))
    value = draw(expressions(loops))
    if kind == "assign":
        return [f"{draw(st.sampled_from(VARIABLES))} = ({value}) & 255"]
    if kind == "augment":
        name = draw(st.sampled_from(VARIABLES))
        return [f"{name} += {value}", f"{name} &= 1023"]
    if kind == "exit":
        leave = draw(st.sampled_from(["break", "continue", f"return {value}"]))
        return [f"if {draw(conditions(loops))}:", f"    {leave}"]
    if kind == "if":
        lines = [f"if {draw(conditions(loops))}:", *indented(draw(blocks(depth - 1, loops)))]
        return [*lines, "else:", *indented(draw(blocks(depth - 1, loops)))] if draw(st.booleans()) else lines
    name = f"k{len(loops)}"
    body = indented(draw(blocks(depth - 1, (*loops, name))))
    other = ["else:", *indented(draw(blocks(depth - 1, loops)))] if draw(st.booleans()) else []
    if kind == "for":
        unroll = draw(st.sampled_from(["", ", unroll=1", ", unroll=2", ", unroll=3"]))
        head = f"for {name} in fx.range({draw(st.integers(0, 3))}, (n & 7) + 1{unroll}):"  # in Python it is Python's
        return [f"{name} = 0", head, *body, *other]
    turn = [f"    {name} += 1"]
    return [f"{name} = 0", f"while {name} < 5 and ({draw(conditions(loops))}):", *turn, *body, *other]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def programs(draw) -> str:
    body = [*draw(blocks(2, ())), *draw(blocks(2, ())), "return a * 3 + b * 5 + c"]
    return "\n".join(["import flydsl.expr as fx", "def function(n):", "    a, b, c = n & 3, 1, 0", *indented(body), ""])


def load(text: str, folder: Path):
    file = folder / f"program_{next(_COUNTER)}.py"
    file.write_text(text)
    return module_of(file).function


@settings(max_examples=EXAMPLES, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck))
@given(program=programs())
def test_random_control_flow_equals_python(program, tmp_path):
    function = load(program, tmp_path)

    @flyc.kernel
    def kernel(y: fx.Tensor):
        y[fx.thread_idx.x] = function(fx.thread_idx.x)

    @flyc.jit
    def host(y: fx.Tensor):
        kernel(y).launch(grid=1, block=N)

    y = np.full(N, -99, np.int32)
    host(y)
    np.testing.assert_array_equal(y, [function(n) for n in range(N)], program)
