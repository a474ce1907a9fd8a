"""Unchecked edits of IR leave behind what xDSL's own methods do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, cf, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, UnregisteredOp, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use

from flydsl.ir import edits
from flydsl.ir.fly import MakeIntTupleOp
from flydsl.ir.location import to_attribute
from flydsl.ir.parse import parse_module, verify
from flydsl.ir.upstream import OPERATIONS

VALUE = IntegerAttr(3, i32)
NSW = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])


def state(op: Operation) -> dict[str, object]:
    """What an operation holds, with its values and uses in order."""
    return {
        "class": type(op),
        "operands": (type(op._operands), tuple(op._operands)),
        "uses": [(use.operation is op, use.index) for use in op._operand_uses],
        "results": [(result.type, result.index, result.op is op, result.name_hint) for result in op.results],
        "properties": list(op.properties.items()),
        "attributes": list(op.attributes.items()),
        "location": op.location,
        "regions": (type(op.regions), [region.parent is op for region in op.regions]),
        "successors": list(op.successors),
        "parent": op.parent,
        "neighbours": (op.prev_op, op.next_op),
    }


def users(value: SSAValue) -> list[tuple[str, int]]:
    """The operations that use a value, in the order in which xDSL visits them."""
    return [(str(use.operation.attributes.get("name")), use.index) for use in value.uses]


def named(name: str, *operands: SSAValue) -> Operation:
    return arith.AddiOp.create(operands=operands, result_types=[i32], attributes={"name": StringAttr(name)})


def three(block: Block) -> list[Operation]:
    """Three sums of the block's arguments, of which the last one uses the first one twice."""
    a, b = block.args
    first = named("first", a, b)
    ops = [first, named("second", first.results[0], a), named("third", first.results[0], first.results[0])]
    block.add_ops(ops)
    return ops


CASES: dict[str, tuple[type[Operation], int, list[Attribute], dict[str, Attribute], dict[str, Attribute]]] = {
    "defaults": (arith.AddiOp, 2, [i32], {}, {}),
    "a default given": (arith.AddiOp, 2, [i32], {"overflowFlags": NSW}, {}),
    "no operands": (arith.ConstantOp, 0, [i32], {"value": VALUE}, {}),
    "attributes": (MakeIntTupleOp, 1, [i32], {}, {"a": UnitAttr(), "b": VALUE}),
    "several results": (OPERATIONS["gpu.shuffle"], 3, [i32, i1], {}, {}),
    "no results": (llvm.StoreOp, 2, [], {}, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_created_operation_is_as_xdsl_makes_it(case: str) -> None:
    op_class, count, types, properties, attributes = CASES[case]
    block = Block(arg_types=[i32] * 3)
    operands, location = block.args[:count], to_attribute(None)
    made = edits.create(op_class, operands, types, attributes, properties, location)
    other = op_class.create(
        operands=operands, result_types=types, attributes=attributes, properties=properties, location=location
    )
    assert state(made) == state(other)
    assert made.properties is not properties
    assert all(next(iter(value.uses)).operation is other for value in operands)


def test_a_created_operation_owns_its_regions_and_has_its_successors() -> None:
    block, region = Block(arg_types=[i1]), Region(Block())
    branch = edits.create(cf.BranchOp, (), (), successors=(block,))
    assert list(branch.successors) == [block]
    assert [use.operation for use in block.uses] == [branch]
    made = edits.create(scf.IfOp, block.args, (), regions=(region, Region()))
    assert made.regions[0] is region
    assert [inner.parent for inner in made.regions] == [made, made]


def test_an_operation_with_an_initialiser_of_its_own_runs_it() -> None:
    made = edits.create(UnregisteredOp, (), (i32,), {"op_name__": StringAttr("other.op")})
    assert state(made) == state(UnregisteredOp.create(result_types=[i32], attributes=made.attributes))


EDITS: dict[str, tuple[Callable[..., object], Callable[..., object]]] = {
    "insert at the start": (
        lambda block, ops: edits.insert_before(named("new", block.args[0], block.args[0]), ops[0]),
        lambda block, ops: block.insert_op_before(named("new", block.args[0], block.args[0]), ops[0]),
    ),
    "insert in between": (
        lambda block, ops: edits.insert_before(named("new", ops[0].results[0], block.args[0]), ops[2]),
        lambda block, ops: block.insert_op_before(named("new", ops[0].results[0], block.args[0]), ops[2]),
    ),
    "append": (
        lambda block, ops: edits.append(block, named("new", ops[0].results[0], block.args[0])),
        lambda block, ops: block.add_op(named("new", ops[0].results[0], block.args[0])),
    ),
    "detach the first": (lambda block, ops: edits.detach(ops[0]), lambda block, ops: block.detach_op(ops[0])),
    "detach one in between": (lambda block, ops: edits.detach(ops[1]), lambda block, ops: block.detach_op(ops[1])),
    "detach the last": (lambda block, ops: edits.detach(ops[2]), lambda block, ops: block.detach_op(ops[2])),
    "erase": (
        lambda block, ops: edits.erase(ops[2]),
        lambda block, ops: block.erase_op(ops[2]),
    ),
    "set an operand": (
        lambda block, ops: edits.set_operand(ops[2], 1, block.args[1]),
        lambda block, ops: ops[2].operands.__setitem__(1, block.args[1]),
    ),
    "set all operands": (
        lambda block, ops: edits.set_operands(ops[2], [*block.args, ops[1].results[0]]),
        lambda block, ops: setattr(ops[2], "operands", [*block.args, ops[1].results[0]]),
    ),
    "map operands": (
        lambda block, ops: edits.map_operands(ops[2], {ops[0].results[0]: block.args[1]}),
        lambda block, ops: (
            ops[2].operands.__setitem__(0, block.args[1]),
            ops[2].operands.__setitem__(1, block.args[1]),
        ),
    ),
    "map no operands": (
        lambda block, ops: edits.map_operands(ops[2], {block.args[0]: block.args[1]}),
        lambda block, ops: None,
    ),
    "replace uses": (
        lambda block, ops: edits.replace_uses(ops[0].results[0], block.args[0]),
        lambda block, ops: ops[0].results[0].replace_all_uses_with(block.args[0]),
    ),
    "replace uses by itself": (
        lambda block, ops: edits.replace_uses(ops[0].results[0], ops[0].results[0]),
        lambda block, ops: ops[0].results[0].replace_all_uses_with(ops[0].results[0]),
    ),
}


def described(edit: Callable[..., object]) -> list[object]:
    """The block after an edit: its operations, who uses what, in which order, and its ends."""
    block = Block(arg_types=[i32, i32])
    ops = three(block)
    edit(block, ops)
    numbers = {value: number for number, value in enumerate([*block.args, *(op.results[0] for op in ops)])}
    values = [*block.args, *(op.results[0] for op in ops), *(op.results[0] for op in block.ops)]
    names = [str(op.attributes["name"]) for op in block.ops]
    backwards = [str(op.attributes["name"]) for op in reversed(block.ops)]
    operands = [[numbers.get(value) for value in op.operands] for op in block.ops]
    loose = [(op.parent is block, op.prev_op is None, op.next_op is None) for op in ops]
    return [names, backwards, operands, loose, *(users(value) for value in values)]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_the_same_as_by_xdsl(edit: str) -> None:
    ours, theirs = EDITS[edit]
    assert described(ours) == described(theirs)


def test_operands_of_one_user_are_exchanged_together_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block(arg_types=[i32, i32])
    a, b = block.args
    first = named("first", a, a)
    many = OPERATIONS["vector.from_elements"].create(operands=[first.results[0]] * 3000)
    block.add_ops([first, many])
    copied = 0

    def tuple_of(kind: type, values: list[SSAValue]) -> object:
        nonlocal copied
        copied += 1
        return tuple.__new__(kind, values)

    monkeypatch.setattr(edits, "_values", tuple_of)
    edits.replace_uses(first.results[0], b)
    edits.map_operands(many, {b: a})
    assert copied == 2
    assert set(many.operands) == {a}
    assert [use.index for use in b.uses] == []


def test_names_move_to_a_value_that_has_none() -> None:
    block = Block(arg_types=[i32, i32])
    a, b = block.args
    a.name_hint = "left"
    edits.replace_uses(a, b)
    assert b.name_hint == "left"


def test_users_of_an_erased_operation_are_left_with_an_erased_value() -> None:
    block = Block(arg_types=[i32, i32])
    ops = three(block)
    edits.erase(ops[0])
    with pytest.raises(ValueError, match="Erased SSA value"):
        ops[1].verify()


def test_erasing_an_operation_with_a_region_drops_what_is_inside() -> None:
    block = Block(arg_types=[i1])
    inner = named("inner", *block.args, *block.args)
    outer = scf.IfOp.create(operands=block.args, regions=[Region(Block([inner])), Region()])
    block.add_op(outer)
    edits.erase(outer)
    assert block.args[0].first_use is None


LOOP = """
func.func @f(%n: index, %start: f32, %c: i1) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%x = %start) -> (f32) {
    %next = scf.if %c -> (f32) {
      %twice = arith.addf %x, %x : f32
      scf.yield %twice : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %next : f32
  }
  return %sum : f32
}
func.func @g(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  return
}
"""


def test_a_clone_is_that_of_xdsl() -> None:
    module = parse_module(LOOP)
    ours, theirs = edits.clone(module), module.clone()
    verify(ours)
    assert ours.is_structurally_equivalent(theirs)
    for original, copy, other in zip(module.walk(), ours.walk(), theirs.walk(), strict=True):
        assert copy is not original
        assert (copy.location, copy.properties, copy.attributes) == (other.location, other.properties, other.attributes)
        assert [value.name_hint for value in copy.results] == [value.name_hint for value in other.results]
        assert [list(map(number_of_use, value.uses)) for value in copy.results] == [
            list(map(number_of_use, value.uses)) for value in other.results
        ]


def number_of_use(use: Use) -> tuple[str, int]:
    return use.operation.name, use.index


def test_a_clone_reads_what_it_is_told_and_tells_its_results() -> None:
    block = Block(arg_types=[i32, i32])
    a, b = block.args
    first, _, third = three(block)
    values: dict[SSAValue, SSAValue] = {a: b, first.results[0]: a}
    copy = edits.clone(third, values)
    assert copy.parent is None
    assert list(copy.operands) == [a, a]
    assert values[third.results[0]] is copy.results[0]
