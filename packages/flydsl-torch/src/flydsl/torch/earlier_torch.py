"""What torch before 2.12 does otherwise, made to fit: the one place to delete from when the oldest supported one moves.

Before 2.12, torch's compiler hands no object to a function whose result it takes as a constant, and binds functions of
ours that it finds in an instance, as Python does only with those of the class.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from flydsl.base.errors import LibraryMissingError

OLDEST = (2, 8)
"""The first torch that this package works with, as its metadata says, too."""
_MENDED = (2, 12)
_COMPILER = "torch._dynamo.variables"


def check_version() -> None:
    """LibraryMissingError where the installed torch is older than the oldest one that this package works with."""
    import torch

    if release(torch.__version__) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise LibraryMissingError(
            f"flydsl-torch works with torch {oldest} and later, {torch.__version__} is installed: "
            f"pip install 'torch>={oldest}'"
        )


def mend_compiler() -> None:
    """Mend torch's compiler when it is imported, if this torch is one whose compiler needs that."""
    import torch

    if release(torch.__version__) >= _MENDED:
        return
    if _COMPILER in sys.modules:
        _mend(sys.modules[_COMPILER])
    elif not any(isinstance(finder, _Mending) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Mending())


def release(version: str) -> tuple[int, int]:
    """The first two numbers of a version, which may be one before its release."""
    major, minor = str(version).split(".")[:2]
    return int(major), int(minor)


class _Mending(MetaPathFinder):
    """Finds torch's compiler as ever, once, and mends it when it has been run."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if name != _COMPILER:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        loader: Any = spec and spec.loader
        if loader is not None:
            execute = loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                _mend(module)

            loader.exec_module = exec_module
        return spec


def _mend(variables: Any) -> None:
    functions, objects = (import_module(f"{_COMPILER}.{name}") for name in ("functions", "user_defined"))
    if hasattr(functions.invoke_and_store_as_constant, "flydsl"):
        return
    store = _with_objects(functions.invoke_and_store_as_constant, variables)
    setattr(functions, "invoke_and_store_as_constant", store)  # noqa: B010 (of a module that has types)
    kind = objects.UserDefinedObjectVariable
    kind.var_getattr = _with_functions_of_instances(kind.var_getattr, variables)


class _Known:
    """An argument that torch's compiler asks for its value."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def as_python_constant(self) -> Any:
        return self._value

    def is_tensor(self) -> bool:
        return False


def _with_objects(invoke: Callable[..., Any], variables: Any) -> Callable[..., Any]:
    """`invoke`, which calls a function while torch traces, also with objects; each is guarded to be the same."""
    guards: Any = import_module("torch._dynamo.guards")
    errors: Any = import_module("torch._dynamo.exc")

    def known(argument: Any) -> Any:
        argument = argument.realize()
        if not isinstance(argument, variables.UserDefinedObjectVariable):
            return argument
        if argument.source is not None:
            guards.install_guard(argument.source.make_guard(guards.GuardBuilder.ID_MATCH))
        return _Known(argument.value)

    def invoke_with_objects(tx: Any, function: Any, name: str, args: Any, kwargs: Any) -> Any:
        from flydsl.torch.graph_calls import CONSTANT

        if function not in CONSTANT:
            return invoke(tx, function, name, args, kwargs)
        try:
            return invoke(tx, function, name, [known(argument) for argument in args], kwargs)
        except NotImplementedError as error:
            raise errors.Unsupported(
                f"an argument of a kernel call has no value while torch traces: {error}"
            ) from error

    invoke_with_objects.flydsl = True  # type: ignore[attr-defined]
    return invoke_with_objects


def _with_functions_of_instances(var_getattr: Callable[..., Any], variables: Any) -> Callable[..., Any]:
    """`var_getattr`, an attribute of an object, which for a function of ours in the instance is that function."""
    sources: Any = import_module("torch._dynamo.source")
    build = import_module(f"{_COMPILER}.base").VariableTracker.build

    def attribute(self: Any, tx: Any, name: str) -> Any:
        from flydsl.backend.frameworks import GlobalObject

        found = inspect.getattr_static(self.value, name, None)
        is_held = isinstance(found, GlobalObject) and found is not inspect.getattr_static(type(self.value), name, None)
        if not is_held or self.source is None or tx.output.side_effects.has_pending_mutation_of_attr(self, name):
            return var_getattr(self, tx, name)
        return build(tx, found, sources.AttrSource(self.source, name))

    return attribute
