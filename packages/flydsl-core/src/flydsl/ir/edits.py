"""Operations made, inserted, moved and erased as xDSL does, without its checks and views.

Passes make thousands of operations, and xDSL takes 6 us for each and 4 more to insert and erase it. What these
functions leave behind is what xDSL's methods do, down to the order of uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, OptionalDef

OpT = TypeVar("OpT", bound=Operation)
_Defaults = tuple[tuple[str, Attribute], ...]

_NOTHING: Mapping[str, Attribute] = {}
_NO_VALUES: SSAValues[Any] = SSAValues()
_allocate: Any = object.__new__
_values: Any = tuple.__new__
_defaults: dict[type[Operation], tuple[_Defaults, _Defaults] | None] = {}
"""Class -> properties and attributes that its operations have unless they say otherwise; None asks the operation."""


def create(
    op_class: type[OpT],
    operands: Iterable[SSAValue] = (),
    result_types: Iterable[Attribute] = (),
    attributes: Mapping[str, Attribute] = _NOTHING,
    properties: Mapping[str, Attribute] = _NOTHING,
    location: LocationAttr = UNKNOWN_LOC,
    regions: Sequence[Region] = (),
    successors: Sequence[Block] = (),
) -> OpT:
    """A new operation in no block: `op_class.create`."""
    op: OpT = _allocate(op_class)
    values = op._operands = _values(SSAValues, operands)
    op._operand_uses = _uses(op, values) if values else ()
    results = []
    for index, type_ in enumerate(result_types):
        result: OpResult[Any] = _allocate(OpResult)
        result._type = type_
        result.op = op
        result.index = index
        results.append(result)
    op.results = _values(SSAValues, results) if results else _NO_VALUES
    op.properties = dict(properties)
    op.attributes = dict(attributes)
    op.location = location
    if successors:
        op.successors = list(successors)
    for region in regions:
        op.add_region(region)
    try:
        defaults = _defaults[op_class]
    except KeyError:
        defaults = _defaults[op_class] = _defaults_of(op_class)
    if defaults is None:
        op.__post_init__()  # type: ignore[no-untyped-call]
        return op
    for name, value in defaults[0]:
        if name not in properties:
            op.properties[name] = value
    for name, value in defaults[1]:
        if name not in attributes:
            op.attributes[name] = value
    return op


def insert_before(op: Operation, anchor: Operation) -> None:
    """Put `op`, which is in no block, in front of `anchor`."""
    block = anchor.parent
    assert block is not None
    before = anchor._prev_op
    op.parent = block
    op._prev_op = before
    op._next_op = anchor
    anchor._prev_op = op
    if before is None:
        block._first_op = op
    else:
        before._next_op = op


def append(block: Block, op: Operation) -> None:
    """Put `op`, which is in no block, at the end of one."""
    last = block._last_op
    op.parent = block
    op._prev_op = last
    block._last_op = op
    if last is None:
        block._first_op = op
    else:
        last._next_op = op


def detach(op: Operation) -> None:
    """Take `op` out of its block."""
    block, before, after = op.parent, op._prev_op, op._next_op
    assert block is not None
    op.parent = op._prev_op = op._next_op = None
    if before is None:
        block._first_op = after
    else:
        before._next_op = after
    if after is None:
        block._last_op = before
    else:
        after._prev_op = before


def erase(op: Operation) -> None:
    """Take `op` out of its block, and drop its references; whoever uses its results is left with none."""
    detach(op)
    if op.regions or op._successors:
        op.drop_all_references()
    else:
        for value, use in zip(op._operands, op._operand_uses, strict=True):
            _remove(value, use)
        op._operand_uses = ()
    for result in op.results:
        if result.first_use is not None:
            result.erase(safe_erase=False)


def set_operands(op: Operation, values: Iterable[SSAValue]) -> None:
    """Let `values` be all operands of `op`."""
    for value, use in zip(op._operands, op._operand_uses, strict=True):
        _remove(value, use)
    found = op._operands = _values(SSAValues, values)
    op._operand_uses = _uses(op, found)


def set_operand(op: Operation, index: int, value: SSAValue) -> None:
    """Let `value` be one operand of `op`."""
    _exchange(op, ((index, value),))


def map_operands(op: Operation, known: Mapping[SSAValue, SSAValue]) -> None:
    """Let what `known` has for an operand of `op` take its place."""
    changed = []
    for index, operand in enumerate(op._operands):
        found = known.get(operand)
        if found is not None:
            changed.append((index, found))
    if changed:
        _exchange(op, changed)


def replace_uses(old: SSAValue, new: SSAValue) -> None:
    """Let `new` take the place of `old` wherever that is used."""
    use = old.first_use
    if old is new:
        return
    old.first_use = None
    user: Operation | None = None
    values: list[SSAValue] = []
    uses: list[Use] = []
    while use is not None:
        op, index = use._operation, use._index
        if op is not user:  # that reads it several times does so one after the other
            if user is not None:
                user._operands, user._operand_uses = _values(SSAValues, values), tuple(uses)
            user, values, uses = op, list(op._operands), list(op._operand_uses)
        values[index] = new
        (uses[index],) = _uses(op, (new,), index)
        use = use._next_use
    if user is not None:
        user._operands, user._operand_uses = _values(SSAValues, values), tuple(uses)
    if new._name is None:
        new._name = old._name


def clone(op: OpT, values: dict[SSAValue, SSAValue] | None = None) -> OpT:
    """A copy of `op` in no block: `op.clone`. It reads what `values` says in place of the operands, and `values` then
    has the copies of all results and arguments.

    Values are copied in front of what reads them, as they stand in blocks that dominate their users.
    """
    values = {} if values is None else values
    operands = [values.get(operand, operand) for operand in op._operands]
    types = [result._type for result in op.results]
    if op._successors:
        return op.clone(values)
    copy = create(type(op), operands, types, op.attributes, op.properties, op.location)
    for result, copied in zip(op.results, copy.results, strict=True):
        values[result] = copied
        copied._name = result._name
    for region in op.regions:
        if len(region.blocks) > 1:
            copy.add_region(other := Region())
            region.clone_into(other, 0, values)
        else:
            copy.add_region(Region([_clone_block(block, values) for block in region.blocks]))
    return copy


def _clone_block(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    copy = Block(arg_types=[argument._type for argument in block.args])
    for argument, copied in zip(block.args, copy.args, strict=True):
        values[argument] = copied
        copied._name, copied.location = argument._name, argument.location
    op = block._first_op
    while op is not None:
        append(copy, clone(op, values))
        op = op._next_op
    return copy


def _exchange(op: Operation, changed: Iterable[tuple[int, SSAValue]]) -> None:
    """Let each value of `changed` be the operand of that index."""
    values, uses = list(op._operands), list(op._operand_uses)
    for index, value in changed:
        _remove(values[index], uses[index])
        (uses[index],) = _uses(op, (value,), index)
        values[index] = value
    op._operands, op._operand_uses = _values(SSAValues, values), tuple(uses)


def _uses(op: Operation, values: Iterable[SSAValue], first_index: int = 0) -> tuple[Use, ...]:
    """The links of operands from number `first_index` on; each is the first of its value's uses."""
    uses = []
    for index, value in enumerate(values, first_index):
        use = _allocate(Use)
        use._operation = op
        use._index = index
        use._prev_use = None
        first = use._next_use = value.first_use
        if first is not None:
            first._prev_use = use
        value.first_use = use
        uses.append(use)
    return tuple(uses)


def _remove(value: SSAValue, use: Use) -> None:
    before, after = use._prev_use, use._next_use
    if before is None:
        value.first_use = after
    else:
        before._next_use = after
    if after is not None:
        after._prev_use = before


def _defaults_of(op_class: type[Operation]) -> tuple[_Defaults, _Defaults] | None:
    """What `__post_init__` adds to operations of the class; None where it is a method of the class's own."""
    if op_class.__post_init__ is Operation.__post_init__:
        return (), ()
    if not issubclass(op_class, IRDLOperation) or op_class.__post_init__ is not IRDLOperation.__post_init__:
        return None
    definition = op_class.get_irdl_definition()
    return _given(definition.properties), _given(definition.attributes)


def _given(fields: Mapping[str, Any]) -> _Defaults:
    return tuple(
        (name, field.default_value)
        for name, field in fields.items()
        if not isinstance(field, OptionalDef) and field.default_value is not None
    )
