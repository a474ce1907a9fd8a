"""Factories that do not make what their manifest declares."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from flydsl.base.errors import LibraryMissingError, PluginFactoryError
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend, fake_runtime

ADVICE = "reinstall or upgrade flydsl-fake, or leave it out by FLYDSL_DISABLE_PLUGINS"


class Half(CompileBackend):
    """Leaves almost everything open."""

    name = "fake"

    def default_arch(self) -> str:
        return "fake1"


def raising() -> FakeBackend:
    raise KeyError("of a stranger")


def of_another_name() -> FakeBackend:
    return FakeBackend("other")


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = ModuleType("flydsl_toy")
    toy.__dict__.update(Half=Half, raising=raising, of_another_name=of_another_name, number=3, dictionary=dict)
    monkeypatch.setitem(sys.modules, "flydsl_toy", toy)


@pytest.mark.parametrize(
    ("factory", "problem"),
    [
        ("flydsl_toy.nothere:B", "cannot be imported, ModuleNotFoundError: No module named 'flydsl_toy.nothere'"),
        ("flydsl_toy:Nothing", "cannot be imported, AttributeError: module 'flydsl_toy' has no attribute 'Nothing'"),
        ("flydsl_toy:number", "is an 'int', expected a class or a function without arguments"),
        (
            "flydsl_toy:Half",
            "leaves methods abstract: gpu_module_targets, pipeline_fragments, supports_arch, warp_size",
        ),
        ("flydsl_toy:raising", "raised KeyError: 'of a stranger'"),
        ("flydsl_toy:dictionary", "made a 'dict', expected a CompileBackend"),
        ("flydsl_toy:of_another_name", "made one named 'other': both names must be the same"),
    ],
)
def test_the_message_has_plugin_distribution_problem_and_advice(factory: str, problem: str) -> None:
    with pytest.raises(PluginFactoryError) as caught:
        fake_backend(factory=factory).create()
    message = str(caught.value)
    assert message.startswith(f"CompileBackend 'fake' of flydsl-fake 1.0: its factory {factory!r} {problem}"), message
    assert message.endswith(ADVICE)


def test_a_factory_of_the_program_itself_has_no_distribution() -> None:
    with pytest.raises(PluginFactoryError) as caught:
        fake_backend(factory=raising, distribution="", version="").create()
    assert str(caught.value) == (
        "CompileBackend 'fake' of this program: its factory 'raising' raised KeyError: 'of a stranger'; "
        "mend the factory that was registered"
    )


def test_errors_of_our_own_pass_with_a_note() -> None:
    def without_library() -> FakeRuntime:
        raise LibraryMissingError("libtoy.so is missing: reinstall flydsl-toy")

    with pytest.raises(LibraryMissingError, match=r"^libtoy\.so is missing") as caught:
        fake_runtime(factory=without_library).create()
    (note,) = caught.value.__notes__
    assert "of DeviceRuntime 'fake' of flydsl-fake 1.0" in note


def test_a_runtime_may_be_registered_under_another_name() -> None:
    assert fake_runtime("mine", factory=FakeRuntime).create().name == "fake"
