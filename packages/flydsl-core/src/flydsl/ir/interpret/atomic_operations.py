"""Loads and stores with an ordering, read-modify-write, fences: atomic ones do not race among themselves."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation

from flydsl.base.arithmetic import maximum, minimum
from flydsl.base.errors import IRError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.handler import Action, Handler
from flydsl.ir.interpret.memory import Address
from flydsl.ir.interpret.numbers import codec, rounder
from flydsl.ir.interpret.poison import defined
from flydsl.ir.interpret.thread import Thread

Function = Callable[[Any, Any], Any]

_ACQUIRE, _RELEASE = frozenset({4, 6, 7}), frozenset({5, 6, 7})
_KINDS = (
    *("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd", "fsub", "fmax", "fmin"),
    *("uinc_wrap", "udec_wrap"),
)
"""`bin_op` numbers of `llvm.atomicrmw`."""


def _number_of(function: Function) -> Function:
    return lambda a, b: b if a != a else a if b != b else function(a, b)


_FUNCTIONS: dict[str, Function] = {
    "xchg": lambda old, new: new,
    "add": operator.add,
    "sub": operator.sub,
    "and": operator.and_,
    "nand": lambda old, new: ~(old & new),
    "or": operator.or_,
    "xor": operator.xor,
    "max": max,
    "min": min,
    "fadd": operator.add,
    "fsub": operator.sub,
    "fmax": _number_of(maximum),
    "fmin": _number_of(minimum),
}
_UNSIGNED: dict[str, Function] = {
    "umax": max,
    "umin": min,
    "uinc_wrap": lambda old, limit: 0 if old >= limit else old + 1,
    "udec_wrap": lambda old, limit: limit if old == 0 or old > limit else old - 1,
}


def combine(kind: str, type_: Attribute) -> Function:
    """What a read-modify-write of a kind makes of the old value and its operand."""
    round_ = rounder(type_)
    if kind in _UNSIGNED:
        unsigned, mask = _UNSIGNED[kind], (1 << element_bits(type_)) - 1
        return lambda old, new: round_(unsigned(old & mask, new & mask))
    if kind not in _FUNCTIONS:
        raise IRError(f"an atomic of kind {kind!r} on {type_} cannot be interpreted")
    function = _FUNCTIONS[kind]
    return lambda old, new: round_(function(old, new))


def update(
    thread: Thread,
    op: Operation,
    address: Address,
    value: Any,
    type_: Attribute,
    function: Function,
    ordering: int = 2,
) -> Any:
    """Replace what is at an address by a function of it, in one step; the value before."""
    old, offset = _touch(thread, op, address, type_, ordering)
    address.memory.put(offset, function(defined(old, "an atomic access is decided"), value), type_)
    _tell(thread, address, ordering)
    return old


def is_atomic(op: Operation) -> bool:
    """Whether an operation accesses memory atomically: where threads may wait for each other."""
    return op.name in ("llvm.atomicrmw", "llvm.cmpxchg") or (
        op.name in ("llvm.load", "llvm.store") and _ordering(op) != 0
    )


def _ordering(op: Operation, name: str = "ordering") -> int:
    attribute = op.get_attr_or_prop(name)
    return int(attribute.value.data) if isinstance(attribute, IntegerAttr) else 0


def _touch(thread: Thread, op: Operation, address: Address, type_: Attribute, ordering: int) -> tuple[Any, int]:
    """What an atomic access finds, and where."""
    memory, byte, size = address.memory, address.target, codec(type_).size
    offset = memory.offset(byte, size, "accesses")
    if memory.shadow is not None:
        memory.shadow.update(memory.name, byte, size, thread, op)
        thread.listen(memory.shadow.told, byte, ordering in _ACQUIRE)
    return memory.load(byte, type_), offset


def _tell(thread: Thread, address: Address, ordering: int) -> None:
    if address.memory.shadow is not None:
        thread.publish(address.memory.shadow.told, address.target, ordering in _RELEASE)


def _read_modify_write(op: Operation) -> Action:
    type_, ordering = op.results[0].type, _ordering(op)
    function = combine(_KINDS[_ordering(op, "bin_op")], type_)

    def apply(thread: Thread, address: Address, value: Any) -> Any:
        return update(thread, op, address, defined(value, "an atomic access is decided"), type_, function, ordering)

    return apply


def _compare_exchange(op: Operation) -> Action:
    """The bits are compared; the value before, and whether it was replaced."""
    type_ = op.operands[1].type
    success, failure = _ordering(op, "success_ordering"), _ordering(op, "failure_ordering")

    def apply(thread: Thread, address: Address, expected: Any, new: Any) -> list[Any]:
        old, offset = _touch(thread, op, address, type_, success if success in _ACQUIRE else failure)
        what = "compare and exchange is decided"
        is_equal = defined(old, what) == defined(expected, what)
        if is_equal:
            address.memory.put(offset, new, type_)
            _tell(thread, address, success)
        return [old, int(is_equal)]

    return apply


def _load(op: Operation) -> Action:
    type_, ordering = op.results[0].type, _ordering(op)
    if not ordering:
        return lambda thread, address: address.load(type_, thread, op)
    return lambda thread, address: _touch(thread, op, address, type_, ordering)[0]


def _store(op: Operation) -> Action:
    type_, ordering = op.operands[0].type, _ordering(op)
    if not ordering:
        return lambda thread, value, address: address.store(value, type_, thread, op)

    def store(thread: Thread, value: Any, address: Address) -> None:
        memory = address.memory
        size = codec(type_).size
        offset = memory.offset(address.target, size, "writes")
        if memory.shadow is not None:
            memory.shadow.update(memory.name, address.target, size, thread, op)
        memory.put(offset, value, type_)
        _tell(thread, address, ordering)

    return store


def _fence(op: Operation) -> Action:
    ordering = _ordering(op)
    return lambda thread: thread.fence(acquire=ordering in _ACQUIRE, release=ordering in _RELEASE)


HANDLERS: Mapping[str, Handler] = {
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.atomicrmw": _read_modify_write,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.fence": _fence,
}
