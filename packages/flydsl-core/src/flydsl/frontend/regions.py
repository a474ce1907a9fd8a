"""Bodies as Python functions in, scf.if, scf.for and scf.while with the values they carry out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.expr.context import current
from flydsl.expr.numeric import Int32, Int64, as_numeric
from flydsl.frontend.carried import LoopVariables
from flydsl.frontend.containers import Containers
from flydsl.frontend.join import join

__all__ = ["emit_for", "emit_if", "emit_while", "loop_bounds"]

Body = Callable[..., Any]


def emit_if(
    condition: Any,
    then: Body,
    orelse: Body,
    names: Sequence[str],
    changed: Sequence[str] = (),
    containers: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """scf.if over two paths, each of which gives the values of `names`; the joined values."""
    from xdsl.ir import Block, Region

    emitter, held = current(), Containers(changed, containers)
    blocks, outcomes = (Block(), Block()), []
    for block, path in zip(blocks, (then, orelse), strict=True):
        with emitter.inside(block):
            outcomes.append((*path(), *held.take()))
    joined = [join(name, a, b) for name, a, b in zip((*names, *held.names), *outcomes, strict=True)]
    types: list[Any] = []
    for side, block in enumerate(blocks):
        with emitter.inside(block):
            yielded = [leaf.ir_value() for parts in joined for leaf in parts[side]]
            emitter.op("scf.yield", yielded)
            types = [value.type for value in yielded]
    op = emitter.op("scf.if", [condition.ir_value()], types, regions=[Region(block) for block in blocks])
    return held.put(_finish(joined, list(op.results)))


def emit_for(
    bounds: tuple[Any, Any, Any],
    body: Body,
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str],
    containers: Sequence[Any],
) -> tuple[Any, ...]:
    """scf.for over `bounds`; the values after it."""
    from xdsl.ir import Block, Region

    emitter, held = current(), Containers(changed, containers)
    index, operands = bounds[0], [bound.ir_value() for bound in bounds]
    loop = LoopVariables([*names, *held.names], [*values, *held.take()])
    while True:
        inits = loop.inits()
        block = Block(arg_types=[index.ir_type, *(init.type for init in inits)])
        with emitter.inside(block):
            given = held.put(loop.values(block.args[1:]))
            outcome = (*body(type(index).wrap(block.args[0]), *given), *held.take())
            if loop.settles(outcome):
                emitter.op("scf.yield", loop.yields(outcome))
                break
    op = emitter.op("scf.for", [*operands, *inits], [init.type for init in inits], regions=[Region(block)])
    return held.put(loop.values(op.results))


def emit_while(
    test: Body,
    body: Body,
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str],
    containers: Sequence[Any],
) -> tuple[Any, ...]:
    """scf.while; the values after it."""
    from xdsl.ir import Block, Region

    from flydsl.frontend.conditions import as_condition

    emitter, held = current(), Containers(changed, containers)
    loop = LoopVariables([*names, *held.names], [*values, *held.take()])
    while True:
        inits = loop.inits()
        types = [init.type for init in inits]
        before, after = Block(arg_types=types), Block(arg_types=types)
        with emitter.inside(after):
            outcome = (*body(*held.put(loop.values(after.args))), *held.take())
            if loop.settles(outcome):
                emitter.op("scf.yield", loop.yields(outcome))
                break
    with emitter.inside(before):
        condition = as_condition(test(*held.put(loop.values(before.args))))
        emitter.op("scf.condition", [condition.ir_value(), *before.args])
    op = emitter.op("scf.while", inits, types, regions=[Region(before), Region(after)])
    return held.put(loop.values(op.results))


def loop_bounds(args: Sequence[Any]) -> tuple[Any, Any, Any]:
    """The arguments of `range` as start, stop and step of one integer type."""
    if not 1 <= len(args) <= 3:
        raise FrontendError(f"range takes 1 to 3 arguments, found {len(args)}")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    scalars = [as_numeric(bound) for bound in (start, stop, step)]
    if any(scalar.is_float for scalar in scalars):
        raise FrontendError(f"range takes integers, found {scalars!r}")
    if scalars[2].is_static and scalars[2].value <= 0:
        raise UnsupportedConstructError(
            f"a dynamic loop needs a positive step, found {scalars[2].value}; use range_constexpr, or count up"
        )
    wide = Int64 if any(scalar.width > 32 for scalar in scalars) else Int32
    return wide(scalars[0]), wide(scalars[1]), wide(scalars[2])


def _finish(joined: Sequence[Any], results: list[Any]) -> tuple[Any, ...]:
    outcome = []
    for left, _, finish in joined:
        outcome.append(finish(results[: len(left)]))
        results = results[len(left) :]
    return tuple(outcome)
