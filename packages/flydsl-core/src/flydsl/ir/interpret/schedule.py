"""Threads that can resume, with the values they receive: run in turns, from one barrier or shuffle to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from flydsl.base.errors import SynchronizationError
from flydsl.ir.interpret.poison import defined
from flydsl.ir.interpret.program import Program, Wait
from flydsl.ir.interpret.thread import Block, Thread
from flydsl.ir.location import get_location

_PATIENCE = 2000  # turns in which nothing changed before waiting counts as a deadlock
_MODES = ("xor", "up", "down", "idx")
Explain = Callable[..., Exception]


class Crew:
    """The threads of one block, as generators."""

    def __init__(self, program: Program, block: Block, arguments: Sequence[Any], explain: Explain) -> None:
        self._program, self._block, self._explain = program, block, explain
        self._steps = {thread: program.call(thread, *arguments) for thread in block.threads}
        self._waiting: dict[Thread, Wait] = {}
        self._idle = 0

    def run(self) -> None:
        """Until every thread has ended; SynchronizationError when none can go on."""
        ready: dict[Thread, Any] = dict.fromkeys(self._block.threads)
        while ready:
            for thread, answer in ready.items():
                self._advance(thread, answer)
            ready = self._released()
        if self._waiting:
            raise self._stuck()

    def _advance(self, thread: Thread, answer: Any) -> None:
        self._waiting.pop(thread, None)
        try:
            self._waiting[thread] = self._steps[thread].send(answer)
        except StopIteration:
            self._idle = 0
        except Exception as error:
            raise self._explain(error, self._program, thread) from error.__cause__

    def _released(self) -> dict[Thread, Any]:
        """Who may go on, and what it is told: first whole barriers and shuffles, else those who wait for a turn."""
        waiting = self._waiting
        operations = {wait.op for wait in waiting.values()}
        if len(waiting) == len(self._block.threads) and len(operations) == 1:
            (op,) = operations
            if op.name == "gpu.barrier":
                self._block.pass_barrier()
                self._idle = 0
                return dict.fromkeys(self._block.threads)
        answers: dict[Thread, Any] = {}
        for thread, wait in waiting.items():
            if wait.op.name == "gpu.shuffle" and thread not in answers:
                answers |= self._exchanged(thread, wait)
        if answers:
            self._idle = 0
            return answers
        turns = [thread for thread, wait in waiting.items() if wait.op.name not in ("gpu.barrier", "gpu.shuffle")]
        self._idle += 1
        if turns and self._idle > _PATIENCE:
            raise self._deadlock(turns[0])
        return dict.fromkeys(turns)

    def _exchanged(self, thread: Thread, wait: Wait) -> dict[Thread, Any]:
        """The results of a shuffle for the group of a thread, when all of the group are there."""
        width = defined(wait.operands[2], "a shuffle is decided")
        first = thread.linear - thread.linear % width
        group = self._block.threads[first : first + width]
        waits = [self._waiting.get(member) for member in group]
        if any(other is None or other.op is not wait.op for other in waits):
            return {}
        values = [other.operands[0] for other in waits if other is not None]
        answers = {}
        for lane, (member, other) in enumerate(zip(group, waits, strict=True)):
            assert other is not None
            source = _source(wait.op, lane, defined(other.operands[1], "a shuffle is decided"), width)
            valid = 0 <= source < len(group)
            answers[member] = (values[source if valid else lane], int(valid))
        return answers

    def _stuck(self) -> Exception:
        """The error for threads of which none can go on."""
        thread, wait = next(iter(self._waiting.items()))
        others = [other for other in self._block.threads if other not in self._waiting]
        if others:
            reason = f"{others[0]} has ended"
        else:
            other = next(other for other in self._waiting.items() if other[1].op is not wait.op)
            reason = f"{other[0]} waits at {_word(other[1].op)}{_place(other[1].op)}"
        error = SynchronizationError(f"waits at {_word(wait.op)} where not every thread comes: {reason}")
        return self._explain(error, self._program, thread, wait.op)

    def _deadlock(self, thread: Thread) -> Exception:
        error = SynchronizationError(
            f"deadlock: it has asked {_PATIENCE} times for what no other thread of its block will write; "
            "later blocks begin when this one has ended"
        )
        return self._explain(error, self._program, thread, self._waiting[thread].op)


def _source(op: Operation, lane: int, offset: int, width: int) -> int:
    """The lane of the group that a lane reads."""
    mode = op.get_attr_or_prop("mode")
    name = _MODES[mode.value.data] if isinstance(mode, IntegerAttr) else mode.data.value  # type: ignore[union-attr]
    if name == "xor":
        return lane ^ offset
    if name == "up":
        return lane - offset
    return lane + offset if name == "down" else offset & (width - 1)


def _word(op: Operation) -> str:
    return {"gpu.barrier": "a barrier", "gpu.shuffle": "a shuffle"}.get(op.name, "an atomic access")


def _place(op: Operation) -> str:
    where = get_location(op)
    return f"\n  --> {where}\n{where.caret()}" if where is not None else ""
