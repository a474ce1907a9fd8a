"""The object with half conversions: made once for a machine, and only for code that calls them."""

from __future__ import annotations

import pytest

from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.toolchain.half_conversions import _OBJECTS, half_conversions


@pytest.fixture(autouse=True)
def nothing_made() -> None:
    _OBJECTS.clear()


@pytest.mark.parametrize("name", [b"__extendhfsf2", b"__truncsfhf2", b"__truncdfhf2", b"__truncsfbf2", b"__truncdfbf2"])
def test_code_that_calls_one_is_linked_with_all(name: bytes) -> None:
    toolchain = FakeToolchain()
    (made,) = half_conversions(b"\0" + name + b"\0", toolchain)
    assert [made] == half_conversions(b"\0" + name + b"\0", toolchain)
    (request,) = toolchain.asked("emit_host_object")
    assert name.decode() in request.input


def test_other_code_needs_none() -> None:
    toolchain = FakeToolchain()
    assert half_conversions(b"__extendhfsf2_of_mine\0", toolchain) == []
    assert toolchain.requests == []


def test_each_machine_has_its_own() -> None:
    toolchain = FakeToolchain()
    objects = {half_conversions(b"__truncsfhf2\0", toolchain, triple=triple)[0] for triple in ("", "aarch64-linux-gnu")}
    assert len(objects) == 2
