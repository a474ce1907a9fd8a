"""The cache key: a flat table of strings that identifies a compilation, and its sha256.

Two tables exist. The artifact key holds the digest of the traced IR and is the truth. The index key holds what can be
known without tracing (digest of the sources, signature of the arguments) and only leads to an artifact key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def digest(fields: Mapping[str, str]) -> str:
    """The sha256, in hex, of a key: equal for equal tables, whatever their order."""
    return hashlib.sha256(canonical(fields)).hexdigest()


def canonical(fields: Mapping[str, str]) -> bytes:
    """The one spelling of a key that is hashed."""
    for name, value in fields.items():
        if type(name) is not str or type(value) is not str:
            raise TypeError(f"a cache key holds strings only: {name!r} is {value!r}")
    return json.dumps(dict(fields), sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def artifact_key(
    *,
    backend: str,
    runtime_kind: str,
    target: str,
    pair: str,
    ir: bytes | str,
    options: Mapping[str, str] | None = None,
    tools: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The full key of an artifact.

    `pair` is the fingerprint of the active backend and runtime, `ir` the traced module without locations (unless they
    end up in the code), `options` every knob that changes the code, `tools` the fingerprints of compiler, linker and
    device libraries by name.
    """
    key = {"backend": backend, "runtime_kind": runtime_kind, "target": target, "pair": pair, "ir": bytes_digest(ir)}
    return key | _prefixed("option", options) | _prefixed("tool", tools)


def index_key(
    *,
    backend: str,
    runtime_kind: str,
    target: str,
    pair: str,
    sources: str,
    signature: str,
    options: Mapping[str, str] | None = None,
    tools: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The fast index: `sources` is `Dependencies.digest`, `signature` a stable text of argument types and constants."""
    key = {"backend": backend, "runtime_kind": runtime_kind, "target": target, "pair": pair}
    key |= {"sources": sources, "signature": signature}
    return key | _prefixed("option", options) | _prefixed("tool", tools)


def bytes_digest(data: bytes | str) -> str:
    """The sha256, in hex, of bytes or of UTF-8 text."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _prefixed(prefix: str, fields: Mapping[str, str] | None) -> dict[str, str]:
    return {f"{prefix}.{name}": value for name, value in (fields or {}).items()}
