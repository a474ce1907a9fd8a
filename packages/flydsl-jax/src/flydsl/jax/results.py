"""The results of a call: shapes and dtypes from what a caller says in `out`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from flydsl.backend.frameworks import DTYPES
from flydsl.base.errors import ArgumentError, UnsupportedTensorError
from flydsl.jax.launch import Shape, is_array
from flydsl.jax.numbers import OpenNumber, UnknownNumber
from flydsl.plugins import DType


@dataclass(frozen=True, slots=True)
class Results:
    """Shape and dtype of each output; `tree` is how the caller wants them.

    `labels` are the keys and fields that hold the outputs, empty in tuples and lists; `sorted_keys` are those of a dict
    that jax has in another order than the caller wrote.
    """

    avals: tuple[tuple[Shape, Any], ...]
    tree: Any
    labels: tuple[str, ...]
    sorted_keys: tuple[str, ...]

    @classmethod
    def of(cls, name: str, out: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Self:
        """Those that `out` describes: arrays or jax.ShapeDtypeStructs in any container, or a function that gives such.

        The function is called as the kernel is, with a jax.ShapeDtypeStruct for each array; `NeedsValue` is raised when
        it asks for an open number.
        """
        if isinstance(out, cls):
            return out
        if callable(out):
            shapes = jax.tree.map(_shown, (tuple(args), dict(kwargs)))
            out = out(*shapes[0], **shapes[1])
        sorted_keys: list[str] = []

        def is_leaf(node: Any) -> bool:
            if isinstance(node, dict) and not isinstance(node, OrderedDict) and list(node) != sorted(node, key=str):
                sorted_keys.extend(map(str, node))
            return _is_described(node) or node is None

        flat, tree = jax.tree_util.tree_flatten_with_path(out, is_leaf=is_leaf)
        avals = tuple(_aval(name, leaf) for _, leaf in flat)
        return cls(avals, tree, tuple(_label(path) for path, _ in flat), tuple(sorted_keys))

    def unflatten(self, outputs: Sequence[Any]) -> Any:
        """The outputs in the container of `out`."""
        return jax.tree.unflatten(self.tree, outputs)


def described(array: Any) -> jax.ShapeDtypeStruct:
    """Shape and dtype of an array, as jax sees it."""
    return jax.ShapeDtypeStruct(array.shape, _canonical(array.dtype))


def _shown(leaf: Any) -> Any:
    """What a function that describes the outputs sees of a leaf of the arguments."""
    if isinstance(leaf, OpenNumber):
        return UnknownNumber()
    return described(leaf) if is_array(leaf) else leaf


def kernel_dtype(what: str, dtype: Any) -> DType:
    """The dtype as kernels have it; UnsupportedTensorError for one that they cannot have."""
    if _is_extended(dtype):
        raise UnsupportedTensorError(f"{what} has dtype {dtype}, no elements: pass jax.random.key_data(keys)")
    found = _known(dtype)
    if found is None or found.bits < 8:
        raise UnsupportedTensorError(
            f"{what} has dtype {np.dtype(dtype).name!r}, which kernels cannot access: convert it, such as "
            "x.astype(jnp.int8)"
        )
    return found


def _label(path: Sequence[Any]) -> str:
    """The key or the field that holds a leaf."""
    last = path[-1] if path else None
    return str(getattr(last, "key", getattr(last, "name", ""))) if last is not None else ""


def _aval(name: str, leaf: Any) -> tuple[Shape, Any]:
    if not _is_described(leaf):
        raise ArgumentError(
            f"{name}: `out` describes each output by shape and dtype, such as jax.ShapeDtypeStruct((8,), jnp.float32), "
            f"found {leaf!r}"
        )
    kernel_dtype(f"{name}: an output", leaf.dtype)
    dtype = np.dtype(leaf.dtype)
    if dtype != _canonical(dtype):
        raise ArgumentError(
            f"{name}: `out` asks for {dtype.name}, which jax has after jax.config.update('jax_enable_x64', True) only"
        )
    return tuple(leaf.shape), dtype


def _canonical(dtype: Any) -> Any:
    """The dtype that jax gives an array of `dtype`."""
    return dtype if _is_extended(dtype) or np.dtype(dtype).itemsize < 8 else jax.dtypes.canonicalize_dtype(dtype)


@lru_cache(maxsize=256)
def _is_extended(dtype: Any) -> bool:
    """Whether elements of `dtype` are no numbers, such as random keys."""
    return bool(jnp.issubdtype(dtype, jax.dtypes.extended))


@lru_cache(maxsize=256)
def _known(dtype: Any) -> DType | None:
    return DTYPES.get(np.dtype(dtype).name)


def _is_described(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")
