"""Memory operands and what a backend says of itself: accesses go to the space that the pointer is of."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Block, SSAValue

from flydsl.backend.conversion.target import AtomField, LoweringTarget, Memory, MemorySpace
from flydsl.ir.parse import parse_type


class RecordedSpace(MemorySpace):
    """A space whose accesses are recorded, in the order of their arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def llvm_type(self, type_):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def make(self, conversion, op, type_):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def add_offset(self, build, pointer, type_, offset):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def load(self, build, pointer, type_, value_type):  # type: ignore[no-untyped-def]
        self.calls.append(("load", build, pointer, type_, value_type))
        return f"loaded {value_type}"

    def store(self, build, value, pointer, type_):  # type: ignore[no-untyped-def]
        self.calls.append(("store", build, value, pointer, type_))

    def address(self, build, pointer, type_):  # type: ignore[no-untyped-def]
        self.calls.append(("address", build, pointer, type_))
        return "address"


@pytest.fixture
def values() -> tuple[SSAValue, SSAValue, Attribute]:
    type_ = parse_type("!fly.ptr<f32, global>")
    pointer, value = Block(arg_types=[type_, f32]).args
    return pointer, value, type_


def test_accesses_are_those_of_the_space(values: tuple[SSAValue, SSAValue, Attribute]) -> None:
    pointer, value, type_ = values
    space, build = RecordedSpace(), object()
    memory = Memory(pointer, type_, space)  # type: ignore[arg-type]
    assert memory.load(build, i32) == "loaded i32"  # type: ignore[arg-type,comparison-overlap]
    memory.store(build, value)  # type: ignore[arg-type]
    assert memory.address(build) == "address"  # type: ignore[arg-type,comparison-overlap]
    assert space.calls == [
        ("load", build, pointer, type_, i32),
        ("store", build, value, pointer, type_),
        ("address", build, pointer, type_),
    ]


@pytest.mark.parametrize("missing", ["llvm_type", "make", "add_offset", "load", "store", "address"])
def test_a_space_has_every_kind_of_access(missing: str) -> None:
    methods = {name: getattr(RecordedSpace, name) for name in MemorySpace.__abstractmethods__ - {missing}}
    with pytest.raises(TypeError, match=missing):
        type("Partial", (MemorySpace,), methods)()


def test_targets_share_no_tables_and_do_not_change() -> None:
    toy, other = LoweringTarget("toy", {}), LoweringTarget("other", {})
    for table in ("copies", "mmas", "states", "operations", "sync_scopes"):
        assert getattr(toy, table) == {}
        assert getattr(toy, table) is not getattr(other, table)
    with pytest.raises(FrozenInstanceError):
        toy.name = "changed"  # type: ignore[misc]


def test_a_field_of_an_atom_starts_at_zero_unless_it_says_otherwise() -> None:
    assert AtomField("offset", i32) == AtomField("offset", i32, 0)
    assert AtomField("offset", i32, 3).default == 3
