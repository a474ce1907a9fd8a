"""Names of synchronisation scopes."""

from __future__ import annotations

import pytest
from toy_target import convert, lines

BODY = """
  "llvm.fence"() <{ordering = 5 : i64, syncscope = "agent"}> : () -> ()
  %v = "llvm.load"(%p) <{ordering = 2 : i64, syncscope = "agent", alignment = 4 : i64}> : (!llvm.ptr) -> f32
"""


@pytest.mark.parametrize(
    ("scopes", "name"),
    [({"agent": "device"}, 'syncscope = "device"'), ({}, 'syncscope = "agent"'), ({"agent": ""}, "")],
)
def test_a_scope_gets_the_targets_name_and_the_whole_system_none(scopes: dict[str, str], name: str) -> None:
    text = convert("%p: !llvm.ptr", BODY, sync_scopes=scopes)
    for op in ("llvm.fence", "llvm.load"):
        (line,) = lines(text, op)
        assert name in line
        assert ("syncscope" in line) == bool(name)
