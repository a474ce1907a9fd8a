"""The edits of IR that passes are made of."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Block

from flydsl.ir.parse import parse_module
from flydsl.passes.rewriting import block_ops, erase, functions, insert_before, operands_of, operations, replace, walk


def chain() -> tuple[Block, list[arith.AddiOp]]:
    """Three additions, each of the one before."""
    block = Block(arg_types=[i32])
    ops: list[arith.AddiOp] = []
    for _ in range(3):
        ops.append(arith.AddiOp(ops[-1] if ops else block.args[0], block.args[0]))
    block.add_ops(ops)
    return block, ops


def test_operands_are_a_tuple_of_the_values() -> None:
    block, ops = chain()
    assert operands_of(ops[1]) == (ops[0].result, block.args[0])


def test_a_replaced_operation_is_gone_and_its_users_read_the_value() -> None:
    block, ops = chain()
    replace(ops[1], [block.args[0]])
    assert list(block.ops) == [ops[0], ops[2]]
    assert ops[2].operands[0] is block.args[0]
    assert ops[0].result.first_use is None


def test_an_erased_operation_uses_nothing_any_more() -> None:
    block, ops = chain()
    erase(ops[2])
    assert list(block.ops) == ops[:2]
    assert ops[1].result.first_use is None


def test_an_operation_is_inserted_before_its_anchor() -> None:
    block, ops = chain()
    new = arith.MuliOp(block.args[0], block.args[0])
    insert_before(new, ops[1])
    assert list(block.ops) == [ops[0], new, *ops[1:]]


def test_a_block_may_change_while_it_is_walked() -> None:
    block, ops = chain()
    visited = []
    for op in block_ops(block):
        visited.append(op)
        insert_before(arith.MuliOp(block.args[0], block.args[0]), op)
        if op is ops[2]:
            erase(op)
    assert visited == ops
    assert [op.name for op in block.ops] == ["arith.muli", "arith.addi", "arith.muli", "arith.addi", "arith.muli"]


NESTED = """
    func.func @f(%c: i1, %x: i32) {
      %a = arith.addi %x, %x : i32
      scf.if %c {
        %b = arith.muli %a, %a : i32
        scf.if %c { %d = arith.subi %b, %b : i32 } else { %e = arith.andi %b, %b : i32 }
        %g = arith.ori %b, %b : i32
      }
      %h = arith.xori %a, %a : i32
      func.return
    }
"""


def test_a_walk_visits_what_xdsl_visits_in_its_order() -> None:
    module = parse_module(NESTED)
    assert list(walk(module)) == list(module.walk())
    block = next(op for op in module.walk() if op.name == "func.func").regions[0].block
    assert list(walk(block)) == list(block.walk())


def test_a_walk_goes_on_when_what_it_visits_is_erased() -> None:
    module = parse_module(NESTED)
    for op in walk(module):
        if op.name in ("arith.subi", "arith.andi", "arith.ori"):
            erase(op)
    assert [op.name for op in walk(module) if op.name.startswith("arith.")] == [
        "arith.addi",
        "arith.muli",
        "arith.xori",
    ]


def test_functions_of_nested_modules_are_found_and_declarations_are_not() -> None:
    module = parse_module(
        """
        module {
          func.func private @declared() -> ()
          func.func @host() { return }
          gpu.module @kernels { gpu.func @kernel() kernel { gpu.return } }
          module { func.func @inner() { return } }
        }
        """
    )
    assert [op.get_attr_or_prop("sym_name").data for op in functions(module)] == ["host", "kernel", "inner"]  # type: ignore[union-attr]


def test_operations_are_listed_with_the_outer_ones_first_or_those_of_names() -> None:
    module = parse_module(
        """
        func.func @f(%c: i1, %a: i32) {
          scf.if %c {
            %0 = arith.addi %a, %a : i32
          }
          %1 = arith.muli %a, %a : i32
          return
        }
        """
    )
    names = [op.name for op in module.walk()]
    assert [op.name for op in operations(module)] == names
    assert [op.name for op in operations(module, {"scf.if", "arith.addi"})] == ["scf.if", "arith.addi"]
    assert operations(module, ("builtin.module",)) == [module]
