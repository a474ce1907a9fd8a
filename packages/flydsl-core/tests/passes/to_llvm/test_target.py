"""Memory operands: accesses go to the space that the pointer is of."""

from __future__ import annotations

from unittest.mock import Mock

from flydsl.ir.parse import parse_type
from flydsl.passes.to_llvm.target import AtomField, LoweringTarget, Memory, MemorySpace


def test_accesses_are_those_of_the_space() -> None:
    space, build = Mock(spec=MemorySpace), object()
    type_ = parse_type("!fly.ptr<f32, global>")
    memory = Memory("pointer", type_, space)  # type: ignore[arg-type]
    assert memory.load(build, "f32") is space.load.return_value  # type: ignore[arg-type]
    memory.store(build, "value")  # type: ignore[arg-type]
    assert memory.address(build) is space.address.return_value  # type: ignore[arg-type]
    space.load.assert_called_once_with(build, "pointer", type_, "f32")
    space.store.assert_called_once_with(build, "value", "pointer", type_)
    space.address.assert_called_once_with(build, "pointer", type_)


def test_a_target_without_atoms_of_its_own_has_empty_tables() -> None:
    target = LoweringTarget("toy", {})
    tables = (target.copies, target.mmas, target.states, target.operations, target.sync_scopes)
    assert [dict(table) for table in tables] == [{}] * 5
    assert AtomField("offset", parse_type("i32")).default == 0
