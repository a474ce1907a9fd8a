"""The fastest configuration of a kernel, found by measuring candidates and remembered.

@autotune([Config(BLOCK=64), Config(BLOCK=256)], key=["n"])
@flyc.jit
def add(x: fx.Tensor, y: fx.Tensor, n: fx.Int32, BLOCK: fx.Constexpr[int]): ...
"""

from __future__ import annotations

from flydsl.autotune.bench import do_bench
from flydsl.autotune.config import Config
from flydsl.autotune.fingerprints import device_descriptor as _device_descriptor
from flydsl.autotune.fingerprints import device_fingerprint as _device_fingerprint
from flydsl.autotune.fingerprints import env_fingerprint as _env_fingerprint
from flydsl.autotune.fingerprints import toolchain_fingerprint as _toolchain_fingerprint
from flydsl.autotune.key import normalize_strides as _normalize_strides
from flydsl.autotune.tuner import Autotuner, autotune

__all__ = ["Autotuner", "Config", "autotune", "do_bench"]

# Programs and their tests replace these, and do_bench, in this module: the tuner looks them up at each call.
_REPLACEABLE = (
    _device_descriptor,
    _device_fingerprint,
    _env_fingerprint,
    _normalize_strides,
    _toolchain_fingerprint,
)
