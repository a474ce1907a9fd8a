"""The key of a search: what decides which configuration is the fastest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flydsl.autotune.arguments import Values, arrays_in
from flydsl.autotune.public_names import public_names
from flydsl.base.container_items import CONTAINERS, is_dataclass, items_of
from flydsl.base.errors import FlyDSLError


def key_value(value: Any) -> object:
    """What counts of an argument: the shape of an array, of each in a record, the name of a type, else the value."""
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if isinstance(value, CONTAINERS) or is_dataclass(value):
        return tuple(key_value(item) for _, item in items_of(value))
    return str(value.dtype) if hasattr(value, "dtype") else value


def normalize_strides(array: Any) -> tuple[int | str, ...]:
    """Which strides of an array are 0 and 1; `"s"` stands for any other."""
    if callable(getattr(array, "stride", None)):
        strides = tuple(array.stride())
    else:  # in bytes, as NumPy has them
        size = getattr(array, "itemsize", 1) or 1
        strides = tuple(stride // size for stride in getattr(array, "strides", None) or ())
    return tuple(stride if stride in (0, 1) else "s" for stride in strides)


def make_key(
    names: Sequence[str], values: Values, given: Values, hints: Mapping[str, object], artifact_name: str | None
) -> tuple[str, ...]:
    """The key of a call with the arguments `given`, `values` with defaults, whose search depends on `names`."""
    public = public_names()
    arrays = [(name, array) for name, value in sorted(given.items()) for array in arrays_in(value)]
    parts = [f"{name}={key_value(values.get(name))}" for name in names]
    parts += [f"{name}:{array.dtype}" for name, array in arrays]
    parts += [f"{name}:{public._normalize_strides(array)}" for name, array in arrays]
    parts += [
        f"_env_:{public._env_fingerprint()}",
        f"_toolchain_:{public._toolchain_fingerprint()}",
        f"_device_:{public._device_fingerprint()}",
    ]
    if artifact_name is not None:
        parts += [f"_artifact_:{artifact_name}", f"_artifact_device_:{_descriptor()}"]
    parts += [f"_hint_:{name}={value!r}" for name, value in sorted(hints.items())]
    return tuple(parts)


def _descriptor() -> str:
    try:
        return json.dumps(public_names()._device_descriptor(), sort_keys=True)
    except FlyDSLError:
        return "none"
