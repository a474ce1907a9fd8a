"""Threads and blocks of an interpreted kernel: their numbers, the memory of a block, and what orders their accesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from flydsl.base.errors import KernelError, OutOfBoundsError

if TYPE_CHECKING:
    from flydsl.ir.interpret.memory import Memory
    from flydsl.ir.interpret.races import Access

Three = tuple[int, int, int]


class Knowledge:
    """What is known to be over: releases of threads, and barriers of blocks."""

    __slots__ = ("blocks", "threads")

    def __init__(self) -> None:
        self.threads: dict[Thread, int] = {}
        self.blocks: dict[Block, int] = {}

    def covers(self, access: Access) -> bool:
        """Whether an access is among it."""
        thread = access.thread
        return access.epoch < self.blocks.get(thread.block, 0) or access.release < self.threads.get(thread, 0)

    def merge(self, other: Knowledge) -> None:
        """Know what `other` knows too."""
        for thread, release in other.threads.items():
            self.threads[thread] = max(release, self.threads.get(thread, 0))
        for block, epoch in other.blocks.items():
            self.blocks[block] = max(epoch, self.blocks.get(block, 0))


class Block:
    """One block of a launch. `memories` finds the memory behind an integer address; `shared_limit` are the bytes of
    shared memory that it may have, 0 for any number.
    """

    def __init__(
        self,
        index: Three = (0, 0, 0),
        sizes: tuple[Three, Three] = ((1, 1, 1), (1, 1, 1)),
        wave: int = 1,
        memories: Mapping[int, Memory] | None = None,
        shared_limit: int = 0,
    ) -> None:
        self.index, self.grid, self.extent, self.wave = index, *sizes, wave
        self.epoch = 0
        self.threads: list[Thread] = []
        self.shared: dict[Operation | None, Memory] = {}  # by allocation; None is the dynamic one
        self.next_address = 1024
        self._shared_limit, self._shared_bytes = shared_limit, 0
        self._memories = memories or {}

    def take_shared(self, size: int) -> None:
        """Count an allocation; KernelError where the block has not so much shared memory."""
        self._shared_bytes += size
        if self._shared_limit and self._shared_bytes > self._shared_limit:
            raise KernelError(
                f"needs {self._shared_bytes} bytes of shared memory, above the limit of {self._shared_limit} bytes of "
                "a block; allocate less"
            )

    def memory_at(self, address: int) -> Memory:
        """The argument or shared memory that an address is in."""
        for memory in (*self._memories.values(), *self.shared.values()):
            if memory.base <= address < memory.base + len(memory.data):
                return memory
        raise OutOfBoundsError(f"makes a pointer from the number {address:#x}, which is in no tensor")

    def pass_barrier(self) -> None:
        """Every thread has come: each knows what every other knew."""
        self.epoch += 1
        known = [thread.knows for thread in self.threads if thread.knows is not None]
        if known:
            together = Knowledge()
            for one in known:
                together.merge(one)
            for thread in self.threads:
                thread.knows = Knowledge()
                thread.knows.merge(together)


class Thread:
    """One thread: `ids` are looked up by the operation that asks for them."""

    __slots__ = ("_fence", "_heard", "block", "ids", "index", "knows", "linear", "releases")

    def __init__(self, index: Three, linear: int, block: Block, ids: Mapping[str, Three]) -> None:
        self.index, self.linear, self.block, self.ids = index, linear, block, ids
        self.releases = 1
        self.knows: Knowledge | None = None
        self._fence: Knowledge | None = None  # what was known at the last release fence
        self._heard: Knowledge | None = None  # what atomic reads brought, waiting for an acquire fence

    def __str__(self) -> str:
        return f"thread {self.index} of block {self.block.index}"

    def fence(self, *, acquire: bool, release: bool) -> None:
        """A memory fence."""
        if acquire and self._heard is not None:
            self._known().merge(self._heard)
        if release:
            self._fence = self._told()

    def publish(self, known: dict[int, Knowledge], byte: int, release: bool) -> None:
        """An atomic write: a later acquire that reads it learns what this thread knew."""
        told = self._told() if release else self._fence
        before = known.get(byte)
        if told is not None:
            if before is not None:
                told.merge(before)
            known[byte] = told

    def listen(self, known: Mapping[int, Knowledge], byte: int, acquire: bool) -> None:
        """An atomic read."""
        published = known.get(byte)
        if published is None:
            return
        if acquire:
            self._known().merge(published)
        if self._heard is None:
            self._heard = Knowledge()
        self._heard.merge(published)

    def _known(self) -> Knowledge:
        if self.knows is None:
            self.knows = Knowledge()
        return self.knows

    def _told(self) -> Knowledge:
        self.releases += 1
        told = Knowledge()
        if self.knows is not None:
            told.merge(self.knows)
        told.threads[self] = self.releases
        told.blocks[self.block] = self.block.epoch
        return told
