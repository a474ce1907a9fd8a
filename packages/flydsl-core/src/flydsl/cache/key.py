"""The cache key: a flat table of strings that identifies a compilation, and its sha256.

Two tables exist. The artifact key holds the digest of the traced IR and is the truth. The index key holds what can be
known without tracing (digest of the sources, signature of the arguments) and only leads to an artifact key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


def digest(fields: Mapping[str, str]) -> str:
    """The sha256, in hex, of a key: equal for equal tables, whatever their order."""
    return hashlib.sha256(canonical(fields)).hexdigest()


def canonical(fields: Mapping[str, str]) -> bytes:
    """The one spelling of a key that is hashed."""
    for name, value in fields.items():
        if type(name) is not str or type(value) is not str:
            raise TypeError(f"a cache key holds strings only: {name!r} is {value!r}")
    return json.dumps(dict(fields), sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


class Configuration(NamedTuple):
    """What decides the code besides its source; the fields that both keys begin with."""

    backend: str
    runtime_kind: str
    target: str
    pair: str
    """The fingerprint of the active backend and runtime."""
    options: Mapping[str, str] = MappingProxyType({})
    """Every knob that changes the code."""
    tools: Mapping[str, str] = MappingProxyType({})
    """The fingerprints of compiler, linker and device libraries by name."""

    def artifact_key(self, ir: bytes | str) -> dict[str, str]:
        """The full key of an artifact: `ir` is the traced module, without locations unless they end up in the code."""
        return self._key(ir=bytes_digest(ir))

    def index_key(self, sources: str, signature: str) -> dict[str, str]:
        """The fast index: `sources` is `Dependencies.digest`, `signature` the text of argument types and constants."""
        return self._key(sources=sources, signature=signature)

    def _key(self, **fields: str) -> dict[str, str]:
        key = {"backend": self.backend, "runtime_kind": self.runtime_kind, "target": self.target, "pair": self.pair}
        return key | fields | _prefixed("option", self.options) | _prefixed("tool", self.tools)


def bytes_digest(data: bytes | str) -> str:
    """The sha256, in hex, of bytes or of UTF-8 text, in which names of files may have bytes that are none."""
    return hashlib.sha256(data.encode(errors="surrogatepass") if isinstance(data, str) else data).hexdigest()


def _prefixed(prefix: str, fields: Mapping[str, str]) -> dict[str, str]:
    return {f"{prefix}.{name}": value for name, value in fields.items()}
