"""Execution of a function by one thread, without checks of races."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import Operation

from flydsl.ir.interpret import (
    arith_operations,
    atomic_operations,
    fly_atoms,
    fly_operations,
    math_operations,
    thread_operations,
    vector_operations,
)
from flydsl.ir.interpret.handler import Handler
from flydsl.ir.interpret.program import translate
from flydsl.ir.interpret.thread import Block, Thread

HANDLERS: Mapping[str, Handler] = {
    **arith_operations.HANDLERS,
    **math_operations.HANDLERS,
    **vector_operations.HANDLERS,
    **atomic_operations.HANDLERS,
    **thread_operations.HANDLERS,
    **fly_operations.HANDLERS,
    **fly_atoms.HANDLERS,
}
"""Every operation that is not control flow."""


def run(
    function: Operation, arguments: Sequence[Any], ids: Mapping[str, tuple[int, int, int]] | None = None
) -> list[Any]:
    """Run a function for one thread, whose `ids` are looked up by operation (`gpu.thread_id`); returns its results.

    Barriers are passed; a shuffle has nobody to talk to.
    """
    program = translate(function, HANDLERS)
    thread = Thread((0, 0, 0), 0, Block(), ids or {})
    result = program.call(thread, *arguments)
    if not program.waits:
        return list(result)
    while True:
        try:
            next(result)
        except StopIteration as stop:
            return list(stop.value)
