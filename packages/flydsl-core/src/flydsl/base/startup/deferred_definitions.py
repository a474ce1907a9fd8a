"""Definitions of xDSL's operations, attributes and dataclasses, completed when they are first used.

Importing xDSL's dialects defines 240 operations and 70 attributes, of which a compilation uses a fifth, and parses the
formats of texts that it neither reads nor prints. docs/explanation/decisions/deferred_definitions.md.
"""

from __future__ import annotations

import sys
import threading
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.process.fork_locks import new_rlock
from flydsl.base.startup.collector import CollectorPause
from flydsl.base.startup.deferred_methods import deferred_methods

if TYPE_CHECKING:
    from xdsl.ir import OpTraits, ParametrizedAttribute
    from xdsl.irdl import IRDLOperation, OpDef, ParamAttrDef

_lock = new_rlock()
_depth = 0


def import_deferred(modules: Iterable[str]) -> None:
    """Import `modules`; what they define is completed when it is used."""
    with CollectorPause(), deferred_definitions():
        for name in modules:
            import_module(name)


@contextmanager
def deferred_definitions() -> Iterator[None]:
    """Operations and attributes of xDSL that are defined inside, and dataclasses, are completed when they are used.

    FLYDSL_DEBUG_PLAIN_STARTUP leaves all as it is.
    """
    if settings.debug.plain_startup:
        yield
        return
    global _depth
    with deferred_methods():
        is_first = "xdsl.ir" not in sys.modules
        irdl: Any = import_module("xdsl.irdl")
        if is_first:  # in a program that uses xDSL itself, a class may be registered already
            ir: Any = import_module("xdsl.ir")
            tell_by_inheritance(ir.Attribute, ir.Operation, ir.SSAValue)
        with _lock:
            _depth += 1
            irdl.irdl_op_definition = _defer_operation
            irdl.ParamAttrDef.from_pyrdl = staticmethod(_deferred_attribute())
        try:
            yield
        finally:
            with _lock:
                _depth -= 1
                if not _depth:
                    irdl.irdl_op_definition = irdl.operations.irdl_op_definition
                    irdl.ParamAttrDef.from_pyrdl = staticmethod(_attribute_definition())


@cache
def _attribute_definition() -> Callable[[type[ParametrizedAttribute]], ParamAttrDef]:
    """xDSL's own `ParamAttrDef.from_pyrdl`; asked for before it is replaced."""
    from xdsl.irdl import ParamAttrDef

    return ParamAttrDef.from_pyrdl


@cache
def _deferred_attribute() -> type[ParamAttrDef]:
    from xdsl.irdl import ParamAttrDef

    define = _attribute_definition()

    class DeferredParamAttrDef(ParamAttrDef):
        """The definition of an attribute whose parameters are worked out when they are asked for."""

        def __init__(self, cls: type[ParametrizedAttribute]) -> None:
            self.name, self._class = cls.name, cls

        @cached_property
        def parameters(self) -> Any:  # type: ignore[override]
            return define(self._class).parameters

    return DeferredParamAttrDef


def _defer_operation(cls: type[IRDLOperation]) -> type[IRDLOperation]:
    """`irdl_op_definition`; the class completes itself at its first instance, or when it is asked for its definition.

    Instances ask for it when they are made (`IRDLOperation.__post_init__`), so that none sees an incomplete class.
    """
    from xdsl.irdl import IRDLOperation, operations

    if cls.__post_init__ is not IRDLOperation.__post_init__:
        return operations.irdl_op_definition(cls)
    _Deferral(cls).install()
    return cls


class _Deferral:
    """The definition of an operation class that is still to be made, by whoever asks first."""

    def __init__(self, cls: type[IRDLOperation]) -> None:
        self._class: Any = cls
        self._lock = new_rlock()
        self._definer = 0
        self._is_complete = False

    def install(self) -> None:
        """Put in place what completes the class, and the traits, which are asked for without."""
        cls = self._class
        cls.get_irdl_definition = classmethod(lambda owner: self.complete().get_irdl_definition.__func__(owner))
        cls.traits = _all_traits(cls)
        if cls.assembly_format is not None:
            cls.parse = _DeferredParse(self)

    @property
    def is_defining(self) -> bool:
        """Whether the thread that asks is making the definition, which looks for a `parse` of the class's own."""
        return self._definer == threading.get_ident()

    def complete(self) -> Any:
        """The class, with what xDSL's `irdl_op_definition` gives it; a format waits for the first text."""
        with self._lock:
            if not self._is_complete:
                self._definer = threading.get_ident()
                try:
                    made = self._made()
                finally:
                    self._definer = 0
                defined = made.pop("get_irdl_definition")
                for name, value in made.items():
                    setattr(self._class, name, value)
                self._class.get_irdl_definition = defined  # the last one: other threads wait for it
                self._is_complete = True
        return self._class

    def _made(self) -> dict[str, Any]:
        from xdsl.irdl.operations import OpDef, get_accessors_from_op_def

        cls = self._class
        definition = OpDef.from_pyrdl(cls)
        definition.traits = cls.traits
        text, definition.assembly_format = definition.assembly_format, None
        made = get_accessors_from_op_def(definition, getattr(cls, "verify_", None))
        definition.assembly_format = text
        return made if text is None else {**made, **_deferred_format(cls, definition)}


class _DeferredParse:
    """`parse` of an operation with a format, before its class is complete."""

    def __init__(self, deferral: _Deferral) -> None:
        self._deferral = deferral

    def __get__(self, instance: object, owner: Any) -> Any:
        from xdsl.ir import Operation

        parse: Any = Operation.parse if self._deferral.is_defining else self._deferral.complete().parse
        return parse.__func__.__get__(owner)


def _all_traits(cls: type[IRDLOperation]) -> OpTraits:
    """Those of the class and of its bases, as `OpDef.from_pyrdl` has them."""
    from xdsl.ir import OpTraits

    found = [base.__dict__["traits"] for base in cls.__mro__ if "traits" in base.__dict__]
    if len(found) == 1:
        return found[0]  # type: ignore[no-any-return]
    return OpTraits(lambda: tuple(trait for traits in found for trait in traits.gen_traits()))


def _deferred_format(cls: Any, definition: OpDef) -> dict[str, Any]:
    """`parse` and `print` of an operation with a format, which they replace by the ones made of the format."""

    def complete() -> Any:
        from xdsl.irdl.operations import get_accessors_from_op_def

        made = get_accessors_from_op_def(definition, None)
        for name in ("parse", "print"):
            setattr(cls, name, made[name])
        return cls

    def parse(owner: Any, parser: Any) -> Any:
        return complete().parse.__func__(owner, parser)

    def print(self: Any, printer: Any) -> None:
        complete().print(self, printer)

    return {"parse": classmethod(parse), "print": print}


def tell_by_inheritance(*roots: Any) -> None:
    """Let abstract classes, and what is derived from them, tell their subclasses by `__mro__`: 10 ms of a compilation.

    Python asks each of their hundreds of subclasses in turn, for each class anew, as a virtual one may be registered
    there. xDSL registers none; when somebody does, all classes of that root are as Python has them again.
    """
    for root in roots:
        if "register" not in vars(root):
            root.__subclasshook__ = classmethod(_is_derived)
            root.register = classmethod(_register)


def _is_derived(cls: type, other: type) -> Any:
    return cls in other.__mro__


def _register(cls: Any, subclass: type) -> type:
    """`ABCMeta.register`; from then on its subclasses are told as Python tells them."""
    for root in [base for base in cls.__mro__ if isinstance(vars(base).get("register"), classmethod)]:
        root.__subclasshook__ = classmethod(lambda cls, other: NotImplemented)
    return ABCMeta.register(cls, subclass)
