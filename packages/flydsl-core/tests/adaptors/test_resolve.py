"""One adaptor for a type, asked for once."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.adaptors.resolve import adaptor_for, claiming_adaptor
from flydsl.base.errors import ArgumentError
from flydsl.plugins import TensorAdaptorManifest
from flydsl.plugins.entry_points import EntryPoint
from flydsl.testing.sandbox import PluginSandbox

CORE = EntryPoint("core", "flydsl-core", "0.1.0", "flydsl.adaptors.plugin")


class Plain:
    """No tensor."""


class Both(np.ndarray):
    """An array that others claim too."""


class Speaks:
    """Has the methods of DLPack."""

    def __dlpack__(self) -> None: ...
    def __dlpack_device__(self) -> None: ...


@pytest.fixture
def core(isolated_plugins: PluginSandbox) -> PluginSandbox:
    isolated_plugins.install(CORE)
    return isolated_plugins


@pytest.mark.usefixtures("core")
def test_the_core_comes_through_the_door_of_all_plugins() -> None:
    assert adaptor_for(np.ndarray).name == "numpy"
    assert adaptor_for(Speaks).name == "dlpack"


@pytest.mark.usefixtures("core")
def test_an_adaptor_is_made_once_and_found_again() -> None:
    assert adaptor_for(np.ndarray) is adaptor_for(np.memmap) is adaptor_for(np.ndarray)


def test_the_highest_priority_wins(core: PluginSandbox) -> None:
    core.register(TensorAdaptorManifest(name="all", factory=NumpyAdaptor, claims=lambda cls: True, priority=9))
    core.register(TensorAdaptorManifest(name="rest", factory=NumpyAdaptor, claims=lambda cls: True, priority=-9))
    assert adaptor_for(Both) is adaptor_for(Plain) is adaptor_for(Speaks)


def test_a_type_is_asked_about_once_and_again_when_adaptors_change(isolated_plugins: PluginSandbox) -> None:
    asked: list[type] = []

    def claims(cls: type) -> bool:
        asked.append(cls)
        return cls is Plain

    isolated_plugins.register(TensorAdaptorManifest(name="mine", factory=NumpyAdaptor, claims=claims))
    first = adaptor_for(Plain)
    assert adaptor_for(Plain) is first
    assert asked == [Plain]
    isolated_plugins.register(TensorAdaptorManifest(name="other", factory=NumpyAdaptor, claims=lambda cls: False))
    adaptor_for(Plain)
    assert asked == [Plain, Plain]


def test_a_type_nobody_claims_is_an_error_that_lists_the_adaptors(core: PluginSandbox) -> None:
    with pytest.raises(ArgumentError, match=r"takes a .*Plain, installed: 'abstract', 'numpy', 'dlpack'; "):
        adaptor_for(Plain)
    core.install()
    with pytest.raises(TypeError, match="installed: none"):
        adaptor_for(np.ndarray)


def test_an_adaptor_whose_claim_fails_does_not_hide_the_others(
    core: PluginSandbox, caplog: pytest.LogCaptureFixture
) -> None:
    def claims(cls: type) -> bool:
        raise RuntimeError("broken")

    core.register(TensorAdaptorManifest(name="bad", factory=NumpyAdaptor, claims=claims, priority=100))
    assert adaptor_for(np.ndarray).name == "numpy"
    assert "tensor adaptor 'bad' fails" in caplog.text


def test_claims_import_no_framework() -> None:
    script = (
        "import sys; from flydsl.adaptors.resolve import adaptor_for, claiming_adaptor\n"
        "class Speaks:\n    __dlpack__ = __dlpack_device__ = None\n"
        "adaptor_for(Speaks); print(*({'numpy', 'torch', 'jax'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not done.stdout.split()


@pytest.mark.usefixtures("core")
def test_what_no_adaptor_claims_has_none() -> None:
    assert claiming_adaptor(np.ndarray) is adaptor_for(np.ndarray)
    assert [claiming_adaptor(cls) for cls in (int, str, type(None), Plain)] == [None] * 4


def test_what_no_adaptor_claims_is_asked_for_once_and_not_kept_alive(isolated_plugins: PluginSandbox) -> None:
    asked: list[str] = []

    def claims(cls: type) -> bool:
        asked.append(cls.__name__)
        return False

    isolated_plugins.register(TensorAdaptorManifest(name="asked", factory=NumpyAdaptor, claims=claims))
    passing = type("Passing", (), {})
    assert claiming_adaptor(passing) is claiming_adaptor(passing) is None
    assert asked == ["Passing"]
    reference = weakref.ref(passing)
    del passing
    gc.collect()
    assert reference() is None
