"""A copy operation of the dialect by name: its type, made and checked for the target of the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl_rocm.features import Feature

from .chips import require


@dataclass(frozen=True, slots=True)
class DialectOp:
    """`name` is that of the function in `fx.rocdl`, `type_name` the class of its type as `module:class`."""

    name: str
    feature: Feature
    type_name: str
    parameters: tuple[Any, ...]

    def ir_type(self) -> Any:
        """The operation's type in the dialect."""
        from importlib import import_module

        from xdsl.utils.exceptions import VerifyException

        require(self.name, self.feature, in_kernel=False)
        module, _, class_name = self.type_name.partition(":")
        try:
            return getattr(import_module(f"flydsl_rocm.atoms.{module}"), class_name)(*self.parameters)
        except VerifyException as error:
            raise FrontendError(f"fx.rocdl.{self.name}: {error}") from None
