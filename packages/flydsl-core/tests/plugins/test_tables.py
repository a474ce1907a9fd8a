"""Tables of manifests: what may be added, and what is refused."""

from __future__ import annotations

import pytest

from flydsl.base.errors import DuplicateNameError, IncompatiblePluginError
from flydsl.plugins import TensorAdaptorManifest
from flydsl.plugins.tables import Tables
from flydsl.testing.fakes import fake_backend, fake_runtime


@pytest.mark.parametrize(
    "manifest",
    [
        fake_backend("one"),
        fake_runtime("one"),
        TensorAdaptorManifest(name="one", factory="m:a", claims=bool),
    ],
)
def test_a_name_is_given_once(manifest: object) -> None:
    tables = Tables().with_manifest(manifest)  # type: ignore[arg-type]
    with pytest.raises(DuplicateNameError, match="'one' exists already, registered by"):
        tables.with_manifest(manifest)  # type: ignore[arg-type]
    assert isinstance(DuplicateNameError("x"), ValueError)


def test_force_replaces() -> None:
    new = fake_backend("one", version="2.0")
    tables = Tables().with_manifest(fake_backend("one")).with_manifest(new, force=True)
    assert tables.backends["one"] is new


def test_another_api_version_is_refused() -> None:
    with pytest.raises(IncompatiblePluginError, match="speaks plugin API 9, flydsl-core speaks plugin API 1 to 4"):
        Tables().with_manifest(fake_runtime(api_version=9))


@pytest.mark.parametrize(
    ("made_for", "oldest", "newest", "message"),
    [
        (1, 1, 2, ""),
        (2, 1, 2, ""),
        (1, 2, 2, "of flydsl-fake 1.0 speaks plugin API 1, flydsl-core speaks plugin API 2: upgrade flydsl-fake"),
        (1, 2, 3, "of flydsl-fake 1.0 speaks plugin API 1, flydsl-core speaks plugin API 2 to 3: upgrade flydsl-fake"),
        (4, 2, 3, "of flydsl-fake 1.0 speaks plugin API 4, flydsl-core speaks plugin API 2 to 3: upgrade flydsl-core"),
    ],
)
def test_a_newer_core_speaks_a_range(
    made_for: int, oldest: int, newest: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flydsl.plugins.manifests.OLDEST_API_VERSION", oldest)
    monkeypatch.setattr("flydsl.plugins.manifests.API_VERSION", newest)
    manifest = fake_backend(api_version=made_for)
    if not message:
        assert Tables().with_manifest(manifest).backends["fake"] is manifest
        return
    with pytest.raises(IncompatiblePluginError) as caught:
        Tables().with_manifest(manifest)
    assert str(caught.value).endswith(message)


def test_what_is_no_manifest_is_refused() -> None:
    with pytest.raises(TypeError, match="is no manifest"):
        Tables().with_manifest("text")  # type: ignore[arg-type]
