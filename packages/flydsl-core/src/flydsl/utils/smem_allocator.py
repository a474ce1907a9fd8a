"""How much shared memory a block may use on the chips of installed backends, under the path that other kernels use.

`SMEM_CAPACITY_MAP` (bytes by architecture) and `check_smem_capacity(nbytes, arch=None)` are those of a plugin.
"""

from __future__ import annotations

from typing import Any, NoReturn

from flydsl.base.errors import FrontendError

_INSTEAD = "shared memory is allocated with fx.SharedAllocator().allocate(fx.Array[T, n]), which has .view(layout)"


class SmemAllocator:
    """A name that other programs import: there is no such allocator, and calling it says what to use."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        _refuse(self)


class SmemPtr:
    """A name that other programs import: there is no such pointer, and calling it says what to use."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        _refuse(self)


def __getattr__(name: str) -> Any:
    """A plugin's addition."""
    from flydsl.plugins.active.selection import plugin_word  # plugins load on first use

    return plugin_word(__name__, name)


def _refuse(self: object) -> NoReturn:
    raise FrontendError(f"there is no {type(self).__name__}; {_INSTEAD}")
