"""Manifests refuse what they cannot mean, when they are made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from flydsl.plugins import CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend, fake_runtime

GOOD: dict[type, dict[str, Any]] = {
    CompileBackendManifest: {"name": "x", "factory": "m:a", "runtime_kind": "k"},
    DeviceRuntimeManifest: {"name": "x", "factory": "m:a", "kind": "k"},
    TensorAdaptorManifest: {"name": "x", "factory": "m:a", "claims": lambda cls: False},
}
ALL = (CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest)
BAD = [
    *((cls, "name", value) for cls in ALL for value in ("", "Acme", "a b", 3, None)),
    *((cls, "factory", value) for cls in ALL for value in ("module", "m:", 3, None)),
    *((cls, "api_version", value) for cls in ALL for value in (0, "1", True, 1.0)),
    *((cls, "distribution", None) for cls in ALL),
    *((cls, "conformance", value) for cls in ALL for value in ("module", None, 3)),
    *((cls, "version", 1) for cls in ALL),
    *((cls, "words", value) for cls in ALL for value in ({"flydsl.expr.w": "m:a"}, {"w": "m:a"}, ["w"])),
    *((cls, "words", {word: "m:a"}) for cls in ALL for word in ("flydsl.compiler._w", "flydsl.compiler.a b")),
    *((cls, "words", {"flydsl.compiler.w": "module"}) for cls in ALL),
    (CompileBackendManifest, "runtime_kind", ""),
    (CompileBackendManifest, "accelerator", 1),
    (CompileBackendManifest, "expr_namespaces", {"not a word": "m:a"}),
    (CompileBackendManifest, "expr_namespaces", {"word": "module"}),
    (CompileBackendManifest, "passes", ["a"]),
    (CompileBackendManifest, "passes", {"": "m:a"}),
    (CompileBackendManifest, "dialects", "m:a"),
    (CompileBackendManifest, "dialects", ("module",)),
    (CompileBackendManifest, "default_runtime", "No"),
    (CompileBackendManifest, "warp_functions", "module"),
    (DeviceRuntimeManifest, "kind", None),
    (DeviceRuntimeManifest, "device_kinds", {"cpu"}),
    (DeviceRuntimeManifest, "device_kinds", {0}),
    (DeviceRuntimeManifest, "device_kinds", 1),
    (DeviceRuntimeManifest, "simulator", "yes"),
    (DeviceRuntimeManifest, "requested_by", None),
    (TensorAdaptorManifest, "claims", True),
    (TensorAdaptorManifest, "priority", "high"),
]


@pytest.mark.parametrize("cls", ALL)
def test_a_good_manifest_is_made_and_hashable(cls: type) -> None:
    assert hash(cls(**GOOD[cls])) == hash(cls(**GOOD[cls]))
    assert cls(**GOOD[cls]) == cls(**GOOD[cls])


@pytest.mark.parametrize("cls, field, value", BAD)
def test_a_bad_field_is_named_with_its_value_and_what_is_expected(cls: type, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"{cls.__name__} .*: {field} is .*, expected ") as caught:
        cls(**{**GOOD[cls], field: value})
    assert repr(value) in str(caught.value)


def test_a_manifest_cannot_be_changed() -> None:
    manifest = fake_backend(expr_namespaces={"acme": "m:a"})
    with pytest.raises(FrozenInstanceError):
        manifest.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        manifest.expr_namespaces["other"] = "m:b"  # type: ignore[index]


def test_a_manifest_keeps_its_own_copy_of_tables() -> None:
    words = {"acme": "m:a"}
    manifest = fake_backend(expr_namespaces=words, dialects=["m:d"])
    words.clear()
    assert (dict(manifest.expr_namespaces), manifest.dialects) == ({"acme": "m:a"}, ("m:d",))


def test_factories_are_callables_or_references() -> None:
    assert isinstance(fake_backend().create(), FakeBackend)
    assert isinstance(fake_backend(factory="flydsl.testing.fakes:FakeBackend").create(), FakeBackend)
    assert isinstance(fake_runtime().create(), FakeRuntime)


def test_a_backend_is_made_afresh_each_time() -> None:
    manifest = fake_backend()
    assert manifest.create() is not manifest.create()


def test_references_lists_every_module_of_the_manifest() -> None:
    manifest = fake_backend(factory="a:x", expr_namespaces={"w": "b:x"}, dialects=("c:x",), passes={"p": "d:x"})
    assert manifest.references() == ("a:x", "b:x", "c:x", "d:x")
    assert fake_runtime(words={"flydsl.runtime.device.w": "e:x"}).references() == ("e:x",)
    assert fake_backend().references() == ()
