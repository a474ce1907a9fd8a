"""Data-race detection: an error at the first two conflicting accesses that nothing orders.

Two accesses of one address race when different threads make them, one of them writes, they are not both atomic, and
neither happens before the other. What orders them: the program of a thread, a barrier of its block, and an acquire that
reads what a release wrote. Per address the last write, and two readers and two atomic accesses of different threads,
are remembered: enough to find a race where there is one (Flanagan and Freund, "FastTrack", PLDI 2009).
"""

from __future__ import annotations

from math import gcd
from typing import Any, NamedTuple

from xdsl.ir import Operation

from flydsl.base.errors import DataRaceError
from flydsl.ir.interpret.thread import Knowledge, Thread
from flydsl.ir.location import get_location


class Access(NamedTuple):
    """Who accessed memory where in the program, and when: barriers passed by its block, releases by the thread."""

    thread: Thread
    op: Operation
    epoch: int
    release: int
    what: str

    def __str__(self) -> str:
        where = get_location(self.op)
        excerpt = f"\n  --> {where}\n{where.caret()}" if where is not None else ""
        return f"{self.thread} {self.what}{excerpt}"


_WRITE, _READERS, _ATOMICS = 0, (1, 2), (3, 4)
Cell = list[Access | None]


class Shadow:
    """What is remembered of the accesses to a memory, by byte address in units of the smallest access so far."""

    def __init__(self) -> None:
        self._unit = 0
        self._cells: dict[int, Cell] = {}
        self.told: dict[int, Knowledge] = {}  # what releasing writes made known, by address

    def clear(self) -> None:
        """Forget: what comes next happens after everything so far."""
        self._cells.clear()
        self.told.clear()

    def read(self, name: str, byte: int, size: int, thread: Thread, op: Operation) -> None:
        """Note a load."""
        access = Access(thread, op, thread.block.epoch, thread.releases, "reads it")
        for cell in self._covered(byte, size):
            self._check(name, byte, cell, (_WRITE, *_ATOMICS), access)
            _remember(cell, _READERS, access)

    def write(self, name: str, byte: int, size: int, thread: Thread, op: Operation) -> None:
        """Note a store."""
        access = Access(thread, op, thread.block.epoch, thread.releases, "writes it")
        for cell in self._covered(byte, size):
            self._check(name, byte, cell, (_WRITE, *_READERS, *_ATOMICS), access)
            cell[:] = [access, None, None, None, None]  # the others happened before

    def update(self, name: str, byte: int, size: int, thread: Thread, op: Operation) -> None:
        """Note an atomic access."""
        access = Access(thread, op, thread.block.epoch, thread.releases, "accesses it atomically")
        for cell in self._covered(byte, size):
            self._check(name, byte, cell, (_WRITE, *_READERS), access)
            _remember(cell, _ATOMICS, access)

    def _covered(self, byte: int, size: int) -> list[Cell]:
        unit = self._unit
        if unit == 0 or byte % unit or size % unit:
            unit = self._refine(gcd(unit, byte, size))
        cells, found = self._cells, []
        for key in range(byte // unit, (byte + size) // unit):
            cell = cells.get(key)
            if cell is None:
                cells[key] = cell = [None, None, None, None, None]
            found.append(cell)
        return found

    def _refine(self, unit: int) -> int:
        ratio = self._unit // unit
        self._cells = {key * ratio + part: list(cell) for key, cell in self._cells.items() for part in range(ratio)}
        self._unit = unit
        return unit

    @staticmethod
    def _check(name: str, byte: int, cell: Cell, kinds: tuple[int, ...], access: Access) -> None:
        for kind in kinds:
            other = cell[kind]
            if other is not None and other.thread is not access.thread and not _ordered(other, access.thread):
                race = DataRaceError(f"data race on {name}: {access.thread} {access.what}")
                race.other = str(other)
                raise race


def _remember(cell: Cell, slots: tuple[int, int], access: Access) -> None:
    first, second = slots
    known = cell[first]
    if known is None or known.thread is access.thread or _ordered(known, access.thread):
        cell[first] = access
    else:
        cell[second] = access


def _ordered(earlier: Access, thread: Thread) -> bool:
    """Whether `thread` knows that `earlier`, of another thread, is over."""
    other = earlier.thread
    if other.block is thread.block and earlier.epoch < thread.block.epoch:
        return True
    known: Any = thread.knows
    return known is not None and known.covers(earlier)
