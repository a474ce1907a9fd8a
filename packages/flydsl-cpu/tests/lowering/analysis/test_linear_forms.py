"""Linear forms of values of a thread loop, also of those that nests of branches give."""

from __future__ import annotations

import pytest
from xdsl.ir import Block, Operation

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_module
from flydsl_cpu.lowering.analysis import linear_forms
from flydsl_cpu.lowering.analysis.linear_forms import Digit, Form, LinearForms


def body(text: str) -> Block:
    """A block with the thread ids, a condition and an address; only the first id has more than one value."""
    source = f"func.func @f(%x : i32, %y : i32, %z : i32, %c : i1, %p : !llvm.ptr) {{ {text} func.return }}"
    module = parse_module(source, create_context(), check=False)
    (function,) = module.body.block.ops
    block: Block = function.regions[0].block
    return block


def form(text: str) -> Form:
    """The form of the last result of a body of 64 threads in a row."""
    block = body(text)
    results = [result for op in block.ops for result in op.results]
    return LinearForms(block, [Digit(0, 64)]).of(results[-1])


def nest(depth: int, innermost: str = "%x") -> str:
    """A nest of branches, each of which gives what the next one in it does, or y."""
    text = innermost
    for level in range(depth):
        inner = f"scf.yield {text} : i32" if not level else f"{text} scf.yield %r{level - 1} : i32"
        text = f"%r{level} = scf.if %c -> (i32) {{ {inner} }} else {{ scf.yield %y : i32 }}"
    return text


@pytest.mark.parametrize(
    "text, coefficients, unknown",
    [
        ("%c4 = arith.constant 4 : i32 %r = arith.muli %x, %c4 : i32", {0: 4}, set()),
        ("%r = arith.xori %x, %y : i32", {}, {0}),
        ("%r = scf.if %c -> (i32) { scf.yield %x : i32 } else { scf.yield %y : i32 }", {}, {0}),
        ("%r = scf.if %c -> (i32) { scf.yield %z : i32 } else { scf.yield %z : i32 }", {}, set()),
        ("%r = scf.if %c -> (i32) { %l = llvm.load %p : !llvm.ptr -> i32 scf.yield %l : i32 }"
         " else { scf.yield %z : i32 }", {}, {0}),
    ],
)  # fmt: skip
def test_a_value_depends_on_what_it_is_made_from(text: str, coefficients: dict[int, int], unknown: set[int]) -> None:
    found = form(text)
    assert (found.coefficients, found.unknown) == (coefficients, frozenset(unknown))


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_a_nest_of_branches_depends_on_what_the_innermost_gives(depth: int) -> None:
    assert form(nest(depth)).unknown == {0}
    assert form(nest(depth, innermost="%z")).unknown == set()


def test_what_a_nest_depends_on_is_found_once_for_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    is_pure_itself = linear_forms.is_pure_itself

    def recorded(op: Operation) -> bool:
        asked.extend([op] if op.regions else [])
        return is_pure_itself(op)

    monkeypatch.setattr(linear_forms, "is_pure_itself", recorded)
    counts = []
    for depth in (10, 20, 40):
        asked.clear()
        LinearForms(body(nest(depth)), [Digit(0, 64)])
        counts.append(len(asked))
    assert counts == [10, 20, 40]
