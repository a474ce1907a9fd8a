"""The base of all suites: the plugin registry around each test, and the values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from flydsl.base import settings
from flydsl.testing.capabilities import Capability
from flydsl.testing.suite.bench import Bench

_CHOOSING = ("compile", "runtime", "plugins")


class Suite:
    """Tests of one noun. `conformance` makes a class of several suites and gives it a bench."""

    bench: Bench
    level = 0
    """0 needs nothing, 1 the backend, 2 a device; tests that require a device are of level 2 in any suite."""

    @pytest.fixture(autouse=True)
    def _plugin_world(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Only the plugin under test, whatever the environment says; work is done on a device of one architecture."""
        known = self.bench.subject.known
        reason = known.get(request.node.name) or known.get(request.node.originalname)
        if reason is not None:
            request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
        for name in self.bench.subject.fixtures:
            request.getfixturevalue(name)
        for name, setting in settings.declared().items():
            if name.partition(".")[0] in _CHOOSING:
                for variable in setting.variables:
                    monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
        arch = getattr(request, "param", "")
        if arch:
            monkeypatch.setenv("FLYDSL_COMPILE_ARCH", arch)
        with self.bench.active(arch):
            yield

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """`target`, `dtype`, `view` and `refused` run over what the subject declares, device work over its devices."""
        subject = self.bench.subject
        if Capability.DEVICE in getattr(metafunc.function, "needed", ()) and subject.devices != ("",):
            metafunc.parametrize("_plugin_world", subject.devices, indirect=True)
        values: dict[str, list[str]] = {"target": list(subject.targets)}
        if subject.tensors is not None:
            values |= {
                "dtype": list(subject.tensors.dtypes),
                "view": list(subject.tensors.views),
                "refused": list(subject.tensors.refused),
            }
        for name in values.keys() & set(metafunc.fixturenames):
            metafunc.parametrize(name, values[name], ids=[value or "default" for value in values[name]])


def check_same(found: bytes | bytearray, expected: bytes | bytearray) -> None:
    """AssertionError that says where bytes differ."""
    text = difference(found, expected)
    assert not text, text


def told(failures: Sequence[BaseException]) -> str:
    """What went wrong in threads, which pytest does not see."""
    kinds = dict.fromkeys(f"{type(error).__name__}: {error}" for error in failures)
    return f"{len(failures)} threads failed: {'; '.join(kinds)}"


def difference(found: bytes | bytearray, expected: bytes | bytearray) -> str:
    """Where bytes differ, or an empty string; pytest's own comparison of megabytes takes minutes."""
    if len(found) != len(expected):
        return f"{len(found)} bytes, expected {len(expected)}"
    places = np.flatnonzero(np.frombuffer(found, np.uint8) != np.frombuffer(expected, np.uint8))
    if not places.size:
        return ""
    first = int(places[0])
    return f"{places.size} of {len(found)} bytes differ, first {first}: {found[first]:#04x}, not {expected[first]:#04x}"
