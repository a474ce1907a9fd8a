"""scf.if, scf.for and scf.while with Python functions as bodies, and the values they carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.ir import Attribute, Block, Region

from flydsl.base.errors import FrontendError
from flydsl.base.location import raised_directly
from flydsl.expr.numeric import Numeric, Uint32, Uint64
from flydsl.expr.tracing.context import current
from flydsl.frontend.control.carried import LoopVariables
from flydsl.frontend.control.containers import Containers
from flydsl.frontend.control.join import join
from flydsl.frontend.control.ranges import LoopRange
from flydsl.frontend.control.truth import as_condition
from flydsl.frontend.exceptions import mark_left
from flydsl.ir.loop_annotations import LOOP_ANNOTATION, unrolling

Body = Callable[..., Any]


def emit_if(
    condition: Any,
    then: Body,
    orelse: Body,
    names: Sequence[str],
    changed: Sequence[str] = (),
    containers: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """scf.if over two paths, each of which returns the values of `names`; returns the joined values."""
    emitter, carried = current(), Containers(changed, containers)
    blocks, outcomes = (Block(), Block()), []
    for block, path in zip(blocks, (then, orelse), strict=True):
        with inside_region(block):
            outcomes.append((*path(), *carried.take()))
    joined = [join(name, a, b) for name, a, b in zip((*names, *carried.names), *outcomes, strict=True)]
    types: list[Any] = []
    for side, block in enumerate(blocks):
        with emitter.inside(block):
            yielded = [leaf.ir_value() for parts in joined for leaf in parts[side]]
            emitter.op("scf.yield", yielded)
            types = [value.type for value in yielded]
    op = emitter.op("scf.if", [condition.ir_value()], types, regions=[Region(block) for block in blocks])
    return carried.put(_finish(joined, list(op.results)))


def emit_for(
    loop: LoopRange,
    body: Body,
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str] = (),
    containers: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """scf.for over `loop`; returns the values after it."""
    state = changed, containers, _annotation(loop, 1)
    one = _indexed_body(loop, body)
    turns = _turns_at_a_time(loop)
    if turns == 1 or (loop.step.is_static and loop.step.value * turns >= 1 << (loop.step.width - 1)):
        return _emit_for(loop.start, loop.stop, loop.step, one, names, values, *state)
    stride = loop.step * turns
    middle = _end_of_whole_strides(loop, stride)

    def iterations(count: Any, *now: Any) -> Any:
        for offset in range(turns):
            now = body(loop.item(count + loop.step * offset), *now)
        return now

    values = _emit_for(loop.start, middle, stride, iterations, names, values, *state)
    if middle.is_static and loop.stop.is_static and middle.value >= loop.stop.value:
        return tuple(values)
    return _emit_for(middle, loop.stop, loop.step, one, names, values, *state)


def _turns_at_a_time(loop: LoopRange) -> int:
    """As many as the program asks for, and no more than there are, where that is known."""
    turns = loop.unroll or 1
    if not (loop.start.is_static and loop.stop.is_static and loop.step.is_static):
        return turns
    known = -((loop.start.value - loop.stop.value) // loop.step.value)
    return max(1, min(turns, int(known)))


def _annotation(loop: LoopRange, times: int) -> Mapping[str, Attribute]:
    """What the loop says of its iterations where the program does: LLVM makes `times` of them at a time."""
    return {} if loop.unroll is None else {LOOP_ANNOTATION: unrolling(times)}


def _end_of_whole_strides(loop: LoopRange, stride: Numeric) -> Numeric:
    """End of the last complete unrolled stride, which may exceed stop; the distance is an unsigned number."""
    dtype = type(loop.start)
    unsigned = Uint64 if dtype.width == 64 else Uint32
    length = unsigned(dtype(loop.stop - loop.start + (loop.step - 1)))
    middle = dtype(loop.start + dtype(length // unsigned(stride) * unsigned(stride)))
    return dtype((loop.start < loop.stop).select(middle, loop.start))


def emit_for_until(
    loop: LoopRange,
    body: Body,
    stops: Sequence[int],
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str],
    containers: Sequence[Any],
) -> tuple[Any, ...]:
    """scf.while over `loop`, ended by a true variable at one of the indices `stops`; returns the values after it.

    LLVM unrolls it, with a test of the end between two iterations.
    """

    def test(count: Any, *now: Any) -> Any:
        condition = count < loop.stop
        for index in stops:
            condition = condition & ~as_condition(now[index])
        return condition

    def iteration(count: Any, *now: Any) -> Any:
        if loop.unroll is None:
            return (count + loop.step, *body(loop.item(count), *now))
        after = body(loop.item(count), *now)
        return (count + loop.step, *after)  # last: a block without it merges with others, and so does its annotation

    start, annotation = (loop.start, *values), _annotation(loop, loop.unroll or 1)
    named = "the index of the loop", *names
    return emit_while(test, iteration, named, start, changed, containers, annotation)[1:]


@contextmanager
def inside_region(block: Block) -> Iterator[None]:
    """Trace a branch or a loop body into `block`; a `raise` in it, which would always run, is an error."""
    try:
        with current().inside(block):
            yield
    except Exception as cause:
        location = raised_directly(cause.__traceback__)
        mark_left(cause)
        if location is None:
            raise
        refused = FrontendError(
            f"raise runs while tracing, whether its branch is taken or not ({type(cause).__name__}: {cause}); "
            "use assert to stop a kernel, or test what is known while tracing",
            location=location,
        )
        mark_left(refused)
        raise refused from None


def _indexed_body(loop: LoopRange, body: Body) -> Body:
    return lambda count, *now: body(loop.item(count), *now)


def _emit_for(
    start: Any,
    stop: Any,
    step: Any,
    body: Body,
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str],
    containers: Sequence[Any],
    annotation: Mapping[str, Attribute],
) -> tuple[Any, ...]:
    carried = Containers(changed, containers)
    bounds = [bound.ir_value() for bound in (start, stop, step)]
    loop = LoopVariables([*names, *carried.names], [*values, *carried.take()])

    def iteration(count: Any, *now: Any) -> Any:
        return body(type(start).wrap(count), *now)

    inits, block = _iteration_block(loop, carried, iteration, [bounds[0].type])
    types = [init.type for init in inits]
    if start.is_static and stop.is_static and step.is_static and stop.value - start.value <= step.value:
        annotation = {}  # one turn is none to keep
    op = current().op("scf.for", [*bounds, *inits], types, regions=[Region(block)], attributes=annotation)
    return carried.put(loop.values(op.results))


def emit_while(
    test: Body,
    body: Body,
    names: Sequence[str],
    values: Sequence[Any],
    changed: Sequence[str],
    containers: Sequence[Any],
    annotation: Mapping[str, Attribute] | None = None,
) -> tuple[Any, ...]:
    """scf.while; returns the values after it."""
    emitter, carried = current(), Containers(changed, containers)
    loop = LoopVariables([*names, *carried.names], [*values, *carried.take()])
    inits, after = _iteration_block(loop, carried, body)
    types = [init.type for init in inits]
    before = Block(arg_types=types)
    with inside_region(before):
        condition = as_condition(test(*carried.put(loop.values(before.args))))
        emitter.op("scf.condition", [condition.ir_value(), *before.args])
    op = emitter.op("scf.while", inits, types, regions=[Region(before), Region(after)], attributes=annotation)
    return carried.put(loop.values(op.results))


def _iteration_block(
    loop: LoopVariables, carried: Containers, body: Body, counters: Sequence[Any] = ()
) -> tuple[Sequence[Any], Any]:
    """One iteration traced until its variables keep their types: their values before the loop, and its block.

    `counters` are the types of the block's arguments before the variables, which `body` takes first.
    """
    emitter = current()
    while True:
        inits = loop.inits()
        block = Block(arg_types=[*counters, *(init.type for init in inits)])
        counts, now = block.args[: len(counters)], block.args[len(counters) :]
        with inside_region(block):
            outcome = (*body(*counts, *carried.put(loop.values(now))), *carried.take())
            if loop.settles(outcome):
                emitter.op("scf.yield", loop.yields(outcome))
                return inits, block


def _finish(joined: Sequence[Any], results: list[Any]) -> tuple[Any, ...]:
    outcome = []
    for left, _, finish in joined:
        outcome.append(finish(results[: len(left)]))
        results = results[len(left) :]
    return tuple(outcome)
