"""Threads and blocks: what is known to be over, and whose memory an address is in."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from flydsl.base.errors import OutOfBoundsError
from flydsl.ir.interpret import Memory
from flydsl.ir.interpret.races import Access
from flydsl.ir.interpret.thread import Block, Knowledge, Thread


def thread(block: Block, number: int = 0) -> Thread:
    return Thread((number, 0, 0), number, block, {})


def access(by: Thread, epoch: int = 0, release: int = 0) -> Access:
    return Access(by, ModuleOp([]), epoch, release, "reads it")


def test_knowledge_covers_earlier_epochs_and_releases_of_one_thread() -> None:
    block = Block()
    one, two = thread(block, 1), thread(block, 2)
    known = Knowledge()
    assert not known.covers(access(one))
    known.threads[one] = 1
    assert known.covers(access(one, release=0))
    assert not known.covers(access(one, release=1))
    assert not known.covers(access(two))
    known.blocks[block] = 2
    assert known.covers(access(two, epoch=1))
    assert not known.covers(access(two, epoch=2))


def test_merged_knowledge_is_the_later_of_both() -> None:
    one = thread(Block())
    a, b = Knowledge(), Knowledge()
    a.threads[one], b.threads[one] = 3, 1
    b.blocks[one.block] = 4
    a.merge(b)
    assert (a.threads[one], a.blocks[one.block]) == (3, 4)


def test_an_address_is_found_in_the_arguments_and_in_shared_memory() -> None:
    first, second = Memory(bytearray(16), 100), Memory(bytearray(8), 200)
    block = Block(memories={100: first})
    block.shared[None] = second
    assert block.memory_at(115) is first
    assert block.memory_at(200) is second
    for address in (99, 116, 208):
        with pytest.raises(
            OutOfBoundsError, match=f"makes a pointer from the number {address:#x}, which is in no tensor"
        ):
            block.memory_at(address)


def test_after_a_barrier_every_thread_knows_what_one_knew() -> None:
    block = Block()
    one, two, other = thread(block, 1), thread(block, 2), thread(Block())
    block.threads += [one, two]
    one.knows = Knowledge()
    one.knows.threads[other] = 5
    block.pass_barrier()
    assert block.epoch == 1
    assert two.knows is not None
    assert two.knows.covers(access(other, release=4))
