"""One instance of each runtime."""

from __future__ import annotations

import pytest

from flydsl.plugins.instances import Stack
from flydsl.testing.fakes import fake_runtime


def test_a_runtime_is_made_once_and_a_failure_is_not_kept() -> None:
    stack, manifest = Stack(), fake_runtime()
    assert stack.instance(manifest) is stack.instance(manifest)
    assert stack.instance(fake_runtime()) is not stack.instance(manifest)  # a factory of its own
    with pytest.raises(RuntimeError):
        stack.instance(fake_runtime(factory=dict))
    assert len(stack.instances) == 2


def test_instances_are_exchanged_whole() -> None:
    stack, manifest = Stack(), fake_runtime()
    first = stack.instance(manifest)
    old = stack.swap((), None)
    assert stack.instance(manifest) is not first
    stack.swap(*old)
    assert stack.instance(manifest) is first
