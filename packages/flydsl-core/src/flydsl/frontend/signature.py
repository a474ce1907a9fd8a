"""Parameters of traced functions, and the types of their arguments: one description for IR types and for the key.

Two calls share code exactly when the texts of their specs are equal, because the IR types come from the same specs.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import FunctionType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Union, get_args, get_origin

from flydsl.base.errors import ArgumentError, shown
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.promotion import known_integer, python_number
from flydsl.expr.numeric import Numeric
from flydsl.expr.struct import is_struct_type
from flydsl.expr.threads.compile_time import Constexpr
from flydsl.expr.threads.stream import Stream
from flydsl.frontend.annotations import evaluated, global_names, local_names

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue


class ArgSpec(ABC):
    """The type of one argument of a traced function: calls with equal texts share code."""

    __slots__ = ()
    notes_writes: ClassVar[bool] = False
    """Whether the argument is told when a call writes it."""

    @abstractmethod
    def text(self) -> str:
        """The argument as a part of the cache key."""

    @abstractmethod
    def ir_types(self) -> list[Attribute]:
        """The IR types of the argument: none for a compile-time argument."""

    @abstractmethod
    def traced_value(self, values: Sequence[SSAValue]) -> Any:
        """The value that traced code sees, built from values of those types."""

    def leaf_specs(self) -> tuple[ArgSpec, ...]:
        """The specs of its leaves: itself, unless it is a container."""
        return (self,)


@dataclass(frozen=True, slots=True)
class TreeSpec(ArgSpec):
    """A container of arguments: `structure` is the text of everything but the leaves, `build` rebuilds it from them."""

    structure: str
    leaves: tuple[ArgSpec, ...]
    build: Callable[[Iterable[Any]], Any] = field(compare=False)

    def text(self) -> str:
        return f"{self.structure} of ({', '.join(leaf.text() for leaf in self.leaves)})"

    def leaf_specs(self) -> tuple[ArgSpec, ...]:
        return self.leaves

    def ir_types(self) -> list[Attribute]:
        return [kind for leaf in self.leaves for kind in leaf.ir_types()]

    def traced_value(self, values: Sequence[SSAValue]) -> Any:
        rest = iter(values)
        return self.build([leaf.traced_value(list(islice(rest, len(leaf.ir_types())))) for leaf in self.leaves])


def leaf_specs(specs: Iterable[ArgSpec]) -> list[ArgSpec]:
    """The specs of all leaves, in order."""
    return [leaf for spec in specs for leaf in spec.leaf_specs()]


class Parameter(NamedTuple):
    """One parameter of a traced function; `kind` is tensor, stream, constexpr, pointer, scalar, struct or any.

    `wanted` is the numeric type of a scalar or the class of a struct; `accepts` are the types of a constexpr, when they
    are numbers, text or None.
    """

    name: str
    kind: str
    wanted: type[Any] | None = None
    accepts: tuple[type[Any], ...] = ()

    @property
    def scalar(self) -> type[Numeric] | None:
        """The numeric type of a scalar."""
        return self.wanted if self.kind == "scalar" else None


def parameters(function: FunctionType, local: Mapping[str, Any] | None = None) -> tuple[Parameter, ...]:
    """The parameters of `function`, with kinds from their annotations; text is evaluated with `local` names, too.

    FrontendError for text with a name that is nowhere.
    """
    signature, names = inspect.signature(function), None
    result = []
    for parameter in signature.parameters.values():
        if parameter.kind in _VARIADIC:
            raise ArgumentError(f"{function.__qualname__} {_variadic(signature)}")
        annotation = parameter.annotation
        if isinstance(annotation, str):
            names = names if names is not None else {**global_names(function), **(local or {})}
            code, what = function.__code__, f"parameter {parameter.name!r} of {function.__name__!r}"
            annotation = evaluated(annotation, names, what, code.co_filename, code.co_firstlineno)
        found = parameter_of(parameter.name, annotation)
        if found.accepts and parameter.default is None:
            found = found._replace(accepts=(*found.accepts, type(None)))
        result.append(found)
    return tuple(result)


class Parameters:
    """The parameters of a traced function: worked out once, or each time when annotations are text, whose names may
    be bound to other types.
    """

    __slots__ = ("_function", "_is_text", "_known", "local")

    def __init__(self, function: FunctionType) -> None:
        self._function: Any = function  # a FunctionType, which type checkers would bind as a method
        self._is_text = any(isinstance(annotation, str) for annotation in inspect.get_annotations(function).values())
        self._known: tuple[Parameter, ...] | None = None
        self.local = tuple(sorted(local_names(function).items())) if self._is_text else ()
        """Variables around the function that annotations name, as they were when it was decorated."""

    def __call__(self) -> tuple[Parameter, ...]:
        known = self._known
        if known is None or self._is_text:
            self._known = known = parameters(self._function, dict(self.local))
        return known


def _variadic(signature: inspect.Signature) -> str:
    """Why a signature with `*args` or `**kwargs` cannot be traced; nothing for one without."""
    found = [str(parameter) for parameter in signature.parameters.values() if parameter.kind in _VARIADIC]
    return f"takes {' and '.join(found)}, and a traced function has fixed parameters; name them" if found else ""


def bound_arguments(function: Callable[..., object], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments by parameter, defaults included; TypeError when they do not fit the parameters."""
    signature = inspect.signature(function)
    if refused := _variadic(signature):
        raise TypeError(refused)
    unknown = [name for name in kwargs if name not in signature.parameters]
    if unknown:  # Python reports it only after missing arguments
        raise TypeError(
            f"got an unexpected keyword argument {unknown[0]!r}; the parameters are {', '.join(signature.parameters)}"
        )
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


class ArgumentOrder:
    """Puts the arguments of a function in order, defaults included; TypeError when they do not fit its parameters.

    Which goes where is found once for each form of call.
    """

    def __init__(self, function: Any) -> None:  # a FunctionType, which type checkers would bind as a method
        self._function = function
        self._known: tuple[object, dict[tuple[object, ...], _InOrder]] = function.__defaults__, {}

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments by position."""
        values = self.known(args, kwargs)
        if values is not None:
            return values
        defaults, forms = self._known
        bound = bound_arguments(self._function, args, kwargs)
        # not when other defaults were set meanwhile; those of keywords may change in place
        if defaults is self._function.__defaults__ and not self._function.__kwdefaults__:
            behind = list(bound.items())[len(args) :]
            form = (len(args), *kwargs)
            forms[form] = _in_order([(name, None) if name in kwargs else ("", value) for name, value in behind])
        return tuple(bound.values())

    def known(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The same for a form of call that was met before; None for others."""
        defaults, forms = self._known
        if self._function.__defaults__ is not defaults:
            self._known = self._function.__defaults__, {}
            return None
        in_order = forms.get((len(args), *kwargs))
        return None if in_order is None else in_order(args, kwargs)


_InOrder = Callable[[tuple[Any, ...], Mapping[str, Any]], tuple[Any, ...]]


def _in_order(rest: Sequence[tuple[str, Any]]) -> _InOrder:
    """A generated function that puts keywords and defaults, which have no name, behind the positional arguments."""
    space = {f"default{i}": value for i, (name, value) in enumerate(rest) if not name}
    items = "".join(f", kwargs[{name!r}]" if name else f", default{i}" for i, (name, _) in enumerate(rest))
    exec(f"def in_order(args, kwargs): return (*args{items},)", space)
    found: _InOrder = space["in_order"]
    return found


def parameter_of(name: str, annotation: Any) -> Parameter:
    """The parameter `name`, with the kind that its annotation specifies."""
    origin = get_origin(annotation) or annotation
    if isinstance(origin, str):
        return Parameter(name, _kind_of_text(origin))
    if origin is Constexpr or (origin is type and get_args(annotation)):
        return Parameter(name, "constexpr", accepts=_plain_types(get_args(annotation)) if origin is Constexpr else ())
    if not isinstance(origin, type) or origin is inspect.Parameter.empty:
        return Parameter(name, "any")
    if issubclass(origin, Numeric):
        return Parameter(name, "scalar", origin)
    if is_struct_type(origin):
        return Parameter(name, "struct", origin)
    for cls, kind in ((Tensor, "tensor"), (Stream, "stream"), (Pointer, "pointer")):
        if issubclass(origin, cls):
            return Parameter(name, kind)
    return Parameter(name, "any")


def _plain_types(annotated: tuple[Any, ...]) -> tuple[type[Any], ...]:
    """The types of `Constexpr[int]` or `Constexpr[int | None]`; none when one of them cannot be checked."""
    members = [member for part in annotated for member in (get_args(part) if _is_union(part) else (part,))]
    return tuple(members) if all(member in _PLAIN_TYPES for member in members) else ()


def _is_union(annotation: Any) -> bool:
    return isinstance(annotation, UnionType) or get_origin(annotation) is Union


def wrong_constexpr(parameter: Parameter, value: Any) -> str:
    """What is wrong with the value of a compile-time parameter whose type is known; nothing when it fits."""
    if not parameter.accepts or any(_fits(value, kind) for kind in parameter.accepts):
        return ""
    wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in parameter.accepts)
    is_extent = isinstance(value, IntTuple) and value.is_leaf and not value.is_static
    advice = (
        "; this extent is known only at run time: annotate the parameter with fx.Int32, or make the shape static with "
        "flyc.from_dlpack(x)"
    )
    return f"fx.Constexpr[{wanted}] is expected, found {shown(value, repr)}{advice if is_extent else ''}"


def _fits(value: Any, kind: type[Any]) -> bool:
    """An instance, or what converts without loss: integers of NumPy and of the language, floats for all numbers."""
    if isinstance(value, kind):
        return True
    number = value.value if isinstance(value, Numeric) else python_number(known_integer(value))
    return isinstance(number, {int: int, float: int | float, bool: int}.get(kind, ()))


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PLAIN_TYPES = (int, float, bool, str, bytes, type(None))


def _kind_of_text(annotation: str) -> str:
    name = annotation.split("[")[0].rsplit(".", 1)[-1]
    return {"Tensor": "tensor", "Stream": "stream", "Constexpr": "constexpr", "Pointer": "pointer"}.get(name, "any")
