"""The operator of graphs: its schema says what is written, its fake does nothing, and it calls by key."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError
from flydsl.torch.call_table import GraphCall, calls
from flydsl.torch.launch_op import MOST_OUTPUTS, launch, launch_changing, launch_numbers


def test_only_the_outputs_are_written() -> None:
    arguments = {argument.name: argument.alias_info for argument in launch._schema.arguments}
    assert [name for name, alias in arguments.items() if alias is not None and alias.is_write] == ["outs"]
    assert torch.Tag.needs_exact_strides in launch.tags


def test_it_calls_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [("out", 0), ("in", 0), ("float", 0)]
    monkeypatch.setitem(calls, "test:1", GraphCall.of(lambda out, x, f: out.copy_(x * f), parts))
    x, y = torch.ones(3), torch.zeros(3)
    assert launch([x], [y], "test:1", [], [2.0]) is None
    assert y.tolist() == [2.0] * 3
    with FakeTensorMode() as mode:
        launch([mode.from_tensor(x)], [mode.from_tensor(y)], "nobody:2", [], [])
    with pytest.raises(RuntimeFailure, match="'nobody'"):
        launch([x], [y], "nobody:2", [], [])


def test_numbers_that_change_are_put_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [("out", 0), ("float", 0), ("float", 1), ("float", 2)]
    monkeypatch.setitem(calls, "test:2", GraphCall.of(lambda out, *floats: out.copy_(torch.tensor(floats)), parts))
    out = torch.zeros(3)
    launch_numbers([], [out], "test:2", [], [1.0, 0.0, 0.0], [2, 1], [3.0, 2.0])
    assert out.tolist() == [1.0, 2.0, 3.0]
    launch_changing([], [out], "test:2", [], [0.0, 5.0, 0.0], [2, 0], [6.0], [torch.tensor(4.0)])
    assert out.tolist() == [4.0, 5.0, 6.0]
    assert torch.Tag.cudagraph_unsafe in launch_changing.tags


def test_outputs_of_branches_are_single_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [("out", 0), ("out", 1), ("in", 0)]
    monkeypatch.setitem(calls, "test:3", GraphCall.of(lambda one, two, x: (one.copy_(x), two.copy_(-x)), parts))
    one, two = torch.zeros(3), torch.zeros(3)
    torch.ops.flydsl.launch_into_2([torch.ones(3)], one, two, "test:3", [], [])
    assert (one.tolist(), two.tolist()) == ([1.0] * 3, [-1.0] * 3)
    assert hasattr(torch.ops.flydsl, f"launch_into_{MOST_OUTPUTS}")


def test_stand_ins_tell_by_their_versions_that_they_are_written() -> None:
    with FakeTensorMode() as mode:
        x, y = mode.from_tensor(torch.ones(3)), mode.from_tensor(torch.zeros(3))
        launch([x], [y], "nobody:3", [], [])
        torch.ops.flydsl.launch_into_1([x], y, "nobody:3", [], [])
    assert (x._version, y._version) == (0, 2)


def test_a_batch_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedTensorError, match="'copy' is called inside of torch.vmap"):
        torch.vmap(lambda x: launch([x], [x], "copy:4", [], []))(torch.ones(2, 3))
