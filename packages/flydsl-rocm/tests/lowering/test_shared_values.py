"""What the threads of a wave have in common is known from what computes it."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_module
from flydsl_rocm.lowering.shared_values import SharedValues

BODY = """
  %thread = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %block = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
  %c1 = arith.constant 1 : index
  %own = arith.addi %thread, %block : index
  %sum = arith.addi %block, %n : index
  scf.for %i = %c1 to %sum step %c1 {
    %in_loop = arith.muli %i, %block : index
  }
  scf.for %j = %c1 to %thread step %c1 {
    %in_other = arith.muli %j, %block : index
  }
"""


def test_values_of_a_kernel(kernel: Callable[..., str]) -> None:
    module = parse_module(kernel("%n: index", BODY), create_context())
    values: dict[str, SSAValue] = {}
    for op in module.walk():
        found = [
            *op.results,
            *(argument for region in op.regions for block in region.blocks for argument in block.args),
        ]
        values |= {value.name_hint: value for value in found if value.name_hint}
    shared = SharedValues()
    assert {name for name, value in values.items() if shared.has(value)} == {"block", "c1", "sum", "in_loop", "n", "i"}
    assert {name for name, value in values.items() if not shared.has(value)} == {"thread", "own", "in_other", "j"}
