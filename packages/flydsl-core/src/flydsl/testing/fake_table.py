"""A runtime table made of Python callbacks: what launchers ask of it is recorded, nothing is run."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flydsl.base.launch_flags import LAUNCH_COOPERATIVE, LAUNCH_DEPENDENT
from flydsl.runtime.abi import (
    ABI_VERSION,
    TENSOR_MAP_ALIGNMENT,
    TENSOR_MAP_BYTES,
    EncodeTensorMapFn,
    FlyLaunchConfig,
    FlyRuntimeApi,
    LaunchFn,
    ModuleLoadFn,
    ModuleUnloadFn,
)

SELF = 0x5E1F


@dataclass(frozen=True)
class RecordedLaunch:
    """The arguments of one launch, parameters as the bytes read at their addresses."""

    kernel: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    cluster: tuple[int, ...]
    shared_bytes: int
    stream: int | None
    parameters: tuple[bytes, ...]
    flags: int = 0


@dataclass(frozen=True)
class RecordedMap:
    """A tensor map that was asked for."""

    address: int | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    recipe: bytes

    def to_bytes(self) -> bytes:
        """What the fake writes for it."""
        return hashlib.sha512(repr(self).encode()).digest() * 2


@dataclass
class FakeTable:
    """The table and what was recorded; `load_codes`, `launch_codes` and `map_codes` are returned first, then 0.

    `size` makes it a smaller table, as a runtime has that was made for an older core.
    """

    load_codes: Sequence[int] = ()
    launch_codes: Sequence[int] = ()
    map_codes: Sequence[int] = ()
    size: int = ctypes.sizeof(FlyRuntimeApi)
    launch_flags: int = LAUNCH_COOPERATIVE | LAUNCH_DEPENDENT
    maps: list[RecordedMap] = field(default_factory=list)
    loads: list[tuple[int, bytes, list[str]]] = field(default_factory=list)
    launches: list[RecordedLaunch] = field(default_factory=list)
    unloads: int = 0

    def __post_init__(self) -> None:
        self._handles: list[Any] = []
        self._codes = {
            "load": iter(self.load_codes),
            "launch": iter(self.launch_codes),
            "map": iter(self.map_codes),
        }
        callbacks = (ModuleLoadFn(self._load), ModuleUnloadFn(self._unload), LaunchFn(self._launch))
        rest = (self.launch_flags, EncodeTensorMapFn(self._encode))
        self.api = FlyRuntimeApi(self.size, ABI_VERSION, SELF, *callbacks, *rest)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.api)

    def _load(self, this: int, ordinal: int, image: int, size: int, names: Any, count: int, module: Any) -> int:
        assert this == SELF
        self.loads.append((ordinal, ctypes.string_at(image, size), [names[i].decode() for i in range(count)]))
        handles = (ctypes.c_void_p * count)(*(0x100 + i for i in range(count)))
        self._handles.append(handles)
        module[0] = ctypes.addressof(handles)
        return next(self._codes["load"], 0)

    def _unload(self, this: int, module: int) -> int:
        self.unloads += 1
        return 0

    def _launch(self, this: int, kernel: int, config: Any, stream: int | None, parameters: Any) -> int:
        shape = config.contents
        if this != SELF or shape.struct_size != ctypes.sizeof(FlyLaunchConfig):
            return 99
        values = tuple(ctypes.string_at(parameters[i], shape.param_sizes[i]) for i in range(shape.n_params))
        extents = (tuple(shape.grid), tuple(shape.block), tuple(shape.cluster))
        self.launches.append(RecordedLaunch(kernel, *extents, shape.shared_bytes, stream, values, shape.flags))
        return next(self._codes["launch"], 0)

    def _encode(self, this: int, spec: Any, address: int) -> int:
        given = spec.contents
        if this != SELF or address % TENSOR_MAP_ALIGNMENT:
            return 99
        shape, strides = given.shape[: given.rank], given.strides[: given.rank]
        recipe = ctypes.string_at(given.recipe, given.recipe_size)
        recorded = RecordedMap(given.address, tuple(shape), tuple(strides), recipe)
        self.maps.append(recorded)
        ctypes.memmove(address, recorded.to_bytes(), TENSOR_MAP_BYTES)
        return next(self._codes["map"], 0)
