"""The check of functions that only some targets have: what a target's own namespace (`fx.<name>`) begins with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from flydsl.base.errors import UnsupportedTargetError
from flydsl.expr.tracing.context import current


@dataclass(frozen=True)
class TargetNamespace:
    """A namespace such as `fx.tiny` with functions of the `chips` of one `backend`; `device` names them in errors."""

    namespace: str
    backend: str
    device: str
    chips: tuple[str, ...]

    def arch(self, name: str) -> str:
        """The architecture of the running trace; UnsupportedTargetError, for function `name`, in another backend's."""
        target = current().target
        if target.backend != self.backend:
            raise UnsupportedTargetError(
                f"{self.namespace}.{name} needs {self.device}, and this is compiled by backend {target.backend!r} "
                f"for {target.arch!r}; guard it with the target, or use backend {self.backend!r}"
            )
        return target.arch

    def require(self, name: str, chip: str, having: Collection[str], *, in_kernel: bool = True) -> None:
        """UnsupportedTargetError unless `chip` is among those `having` function `name`.

        With `in_kernel` also FrontendError outside of device code.
        """
        if chip not in having:
            those = [candidate for candidate in self.chips if candidate in having]
            raise UnsupportedTargetError(
                f"{chip} has no {self.namespace}.{name}; chips that have it: {', '.join(those)}"
            )
        if in_kernel:
            current().require_kernel(f"{self.namespace}.{name}")
