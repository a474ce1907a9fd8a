"""The registry of user-defined argument types: how values of a Python type become JIT arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from flydsl.base.errors import ArgumentError
from flydsl.base.wording import with_article

M = TypeVar("M", bound=Callable[..., Any])


class JitArgumentRegistry:
    """Which objects are arguments of @jit functions besides numbers, streams and what tensor adaptors read.

        @flyc.JitArgumentRegistry.register(Matrix, dsl_type=fx.Tensor)
        def matrix_argument(matrix): return flyc.from_dlpack(matrix.data)

    `register` names how a Python type becomes a JIT argument: a callable that gives a tensor or pointer argument, or an
    object with `__get_ir_types__`, `__cache_signature__` and `__c_abi_spec__`. A subclass needs an entry of its own.
    """

    registry: ClassVar[Mapping[type[Any], tuple[Callable[[Any], Any], type[Any]]]] = MappingProxyType({})
    """Python type to what makes the JIT argument, and the type that the traced function sees; replaced whole."""
    jit_arg2dsl_type: ClassVar[Mapping[type[Any], type[Any]]] = MappingProxyType({})
    """JIT argument class to the type that the traced function sees; replaced whole."""

    @classmethod
    def register(cls, py_type: type, *, dsl_type: type | None = None) -> Callable[[M], M]:
        """Decorate what makes a JIT argument of a `py_type`; without `dsl_type`, a class that is seen itself."""
        if not isinstance(py_type, type):
            raise ArgumentError(f"register takes a Python type, found {py_type!r}")

        def decorate(make: M) -> M:
            seen = dsl_type if dsl_type is not None else make
            if not callable(make) or not isinstance(seen, type):
                raise ArgumentError(
                    f"the JIT argument of {py_type.__name__} is made by a class, or by a function with dsl_type=, "
                    f"found {make!r}"
                )
            if isinstance(make, type):
                cls.register_jit_arg(make, seen)
            cls.registry = MappingProxyType({**cls.registry, py_type: (make, seen)})
            return make

        return decorate

    @classmethod
    def register_jit_arg(cls, jit_arg: type, dsl_type: type) -> None:
        """Objects of class `jit_arg` are arguments as they are, and traced functions see a `dsl_type`."""
        if not isinstance(jit_arg, type) or not isinstance(dsl_type, type):
            raise ArgumentError(f"register_jit_arg takes two classes, found {jit_arg!r} and {dsl_type!r}")
        cls.jit_arg2dsl_type = MappingProxyType({**cls.jit_arg2dsl_type, jit_arg: dsl_type})

    @classmethod
    def get(cls, py_type: type) -> tuple[Callable[[Any], Any], type[Any]] | None:
        """What makes the JIT argument of a `py_type`, and the type that the traced function sees."""
        return cls.registry.get(py_type)

    @classmethod
    def get_dsl_type(cls, jit_arg_type: type) -> type:
        """The type that traced functions see for a JIT argument class."""
        found = cls.jit_arg2dsl_type.get(jit_arg_type)
        if found is None and hasattr(jit_arg_type, "__construct_from_ir_values__"):
            return jit_arg_type
        if found is None:
            raise ArgumentError(
                f"no type of the language is known for {with_article(jit_arg_type.__name__)}; "
                "name one with JitArgumentRegistry.register_jit_arg"
            )
        return found


def is_jit_argument(value: object) -> bool:
    """Whether `value` says itself how it is passed."""
    return all(hasattr(type(value), name) for name in ("__get_ir_types__", "__cache_signature__", "__c_abi_spec__"))
