"""Operations that say where a thread is, that print, that stop in a debugger, and that stop for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation

import flydsl.layout as fl
from flydsl.base.errors import KernelError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.debugger import stop
from flydsl.ir.interpret.handler import Action, Handler
from flydsl.ir.interpret.known import ConcreteLeaf
from flydsl.ir.interpret.memory import Address
from flydsl.ir.interpret.poison import Poison
from flydsl.ir.interpret.tensor import Tensor
from flydsl.ir.interpret.thread import Thread
from flydsl.ir.location import get_location
from flydsl.ir.print_format import parse_format


def _identifier(op: Operation) -> Action:
    name, axis = op.name, "xyz".index(op.properties["dimension"].data.value)  # type: ignore[attr-defined]
    return lambda thread: thread.ids[name][axis]


def _global_id(op: Operation) -> Action:
    axis = "xyz".index(op.properties["dimension"].data.value)  # type: ignore[attr-defined]

    def number(thread: Thread) -> int:
        block = thread.block
        return block.index[axis] * block.extent[axis] + thread.index[axis]

    return number


def _lane(op: Operation) -> Action:
    return lambda thread: thread.linear % thread.block.wave


def _print(op: Operation) -> Action:
    text = op.get_attr_or_prop("format")
    form = " ".join(["{}"] * len(op.operands)) if text is None else str(as_python(text))
    types = [operand.type for operand in op.operands]
    parts = parse_format(form, len(types))

    def write(thread: Thread, *values: Any) -> None:
        remaining = iter(zip(values, types, strict=True))
        line = "".join(p if isinstance(p, str) else _shown(*next(remaining), p.flags + p.letter) for p in parts)
        print(line, end="" if line.endswith("\n") else "\n")  # which a process without an output stream takes too

    return write


def _shown(value: Any, type_: Attribute | None, spec: str) -> str:
    """A value as C's `printf` writes it; parts of tuples and layouts have no type."""
    if isinstance(value, Poison):
        return "poison"
    value = value.number if isinstance(value, ConcreteLeaf) else value
    if isinstance(type_, VectorType):
        return f"[{','.join(_shown(lane, type_.element_type, spec) for lane in value)}]"
    if isinstance(value, Address):
        return f"0x{value.byte:x}"
    if isinstance(value, Tensor):
        return _shown(value.layout, None, spec)
    if isinstance(value, fl.Layout):
        return f"{_shown(value.shape, None, spec)}:{_shown(value.stride, None, spec)}"
    if isinstance(value, tuple):
        return f"({','.join(_shown(part, None, spec) for part in value)})"
    if isinstance(value, fl.Basis):
        return _shown(value.value, None, spec) + "".join(f"E{mode}" for mode in value.path)
    if isinstance(type_, AnyFloat):
        return value.hex() if spec[-1:] in ("a", "A") else str(f"%{spec or 'f'}" % value)
    if isinstance(type_, IntegerType | IndexType) and spec[-1:] in ("u", "x", "X", "o"):
        return str(f"%{spec}" % (value & ((1 << max(32, element_bits(type_))) - 1)))
    return str(f"%{spec or 'd'}" % value if isinstance(value, int) else value)


def _breakpoint(op: Operation) -> Action:
    """Stop with the variables of the operation: expressions of `v`, the values of its operands."""
    variables = op.attributes["variables"]
    expressions = {name: compile(str(as_python(text)), name, "eval") for name, text in variables.data.items()}  # type: ignore[attr-defined]
    location, name = get_location(op), _function(op)

    def pause(thread: Thread, *values: Any) -> None:
        stop(location, name, thread, expressions, values)

    return pause


def _trap(_: Operation) -> Action:
    """What ends an assertion that does not hold, after its text is printed."""

    def end(_: Thread) -> None:
        raise KernelError("an assertion does not hold; its text is printed before this error")

    return end


def _function(op: Operation) -> str:
    parent: Operation | None = op
    while parent is not None and parent.name not in ("gpu.func", "func.func"):
        parent = parent.parent_op()
    return "?" if parent is None else parent.get_attr_or_prop("sym_name").data  # type: ignore[union-attr]


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim"), _identifier),
    "gpu.global_id": _global_id,
    "gpu.lane_id": _lane,
    "fly.print": _print,
    "fly.breakpoint": _breakpoint,
    "llvm.intr.trap": _trap,
}
