"""The check of a manifest's API version, with an error that names both sides."""

from __future__ import annotations

from typing import Protocol

from flydsl.base.errors import IncompatiblePluginError

API_VERSION = 1
"""Version of the plugin API that this core speaks; raised only by a change that breaks a plugin."""


class _Versioned(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def distribution(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def api_version(self) -> int: ...


def check_api_version(manifest: _Versioned) -> None:
    """Raise IncompatiblePluginError unless `manifest` was made for this core's API version."""
    if manifest.api_version == API_VERSION:
        return
    owner = f"{manifest.distribution or 'unknown distribution'} {manifest.version}".rstrip()
    advice = "upgrade flydsl-core" if manifest.api_version > API_VERSION else f"upgrade {manifest.distribution or 'it'}"
    raise IncompatiblePluginError(
        f"plugin {manifest.name!r} of {owner} speaks plugin API {manifest.api_version}, "
        f"flydsl-core speaks plugin API {API_VERSION}: {advice}"
    )
