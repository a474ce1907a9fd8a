"""Capacities of shared memory come from plugins; names that only other programs have say what to use."""

from __future__ import annotations

import sys

import pytest

from flydsl.base.errors import FrontendError
from flydsl.plugins import register_device_runtime
from flydsl.testing.fakes import fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.utils import smem_allocator


def test_a_plugin_adds_the_capacities(isolated_plugins: PluginSandbox) -> None:
    with pytest.raises(AttributeError, match="'SMEM_CAPACITY_MAP', and no installed plugin adds it"):
        smem_allocator.SMEM_CAPACITY_MAP
    register_device_runtime(fake_runtime("worded", words={f"{smem_allocator.__name__}.SMEM_CAPACITY_MAP": "sys:path"}))
    assert smem_allocator.SMEM_CAPACITY_MAP is sys.path


@pytest.mark.parametrize("name", ["SmemAllocator", "SmemPtr"])
def test_an_allocator_of_other_programs_says_what_to_use(name: str) -> None:
    with pytest.raises(FrontendError, match=rf"there is no {name}; .* fx.SharedAllocator\(\).allocate"):
        getattr(smem_allocator, name)(None, arch="any")
