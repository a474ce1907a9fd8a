"""The protocol of toolchains: what is one, and the data that go through it."""

from __future__ import annotations

import pytest

from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import CodegenTarget, GpuObject, Toolchain
from flydsl.toolchain.upstream import UpstreamToolchain


@pytest.mark.parametrize("toolchain", [NativeToolchain(), UpstreamToolchain(), FakeToolchain()])
def test_every_toolchain_has_the_methods_of_the_protocol(toolchain: object) -> None:
    assert isinstance(toolchain, Toolchain)


def test_an_object_without_one_of_them_is_none() -> None:
    class Partial:
        name = "partial"

        def version(self) -> str:
            return "1"

    assert not isinstance(Partial(), Toolchain)


def test_objects_are_code_unless_they_say_otherwise() -> None:
    assert GpuObject("m", "#t", b"x").format == "bin"


def test_equal_targets_are_one_key() -> None:
    assert CodegenTarget("t", "c") == CodegenTarget("t", "c")
    assert len({CodegenTarget("t", "c"), CodegenTarget("t", "d"), CodegenTarget("t", "c", "+f")}) == 3
