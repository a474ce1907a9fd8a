"""Builders of operations: `llvm.StoreOp(value, ptr)` and `llvm.load(type, ptr)`, from the tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl._mlir.building.attributes import attribute, typed
from flydsl._mlir.building.operations import Argument, Signature
from flydsl._mlir.building.results import result_types
from flydsl._mlir.building.values import is_number, is_type, raw, wrapped
from flydsl.backend.language import current, user_location
from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue
    from xdsl.ir import Operation as IROperation

_IGNORED = ("loc", "ip")
_OPTIONAL_RESULT = "*?"
_RESULTS = {"gpu.shuffle": ("shuffleResult", "valid")}
"""Names of results, of operations with several."""


class Operation:
    """An operation in the trace, as `llvm.LoadOp(...)` gives it; its results are values of the language."""

    SIGNATURE: ClassVar[Signature]
    __slots__ = ("operation",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.operation = build(self.SIGNATURE, args, kwargs)

    @property
    def result(self) -> Any:
        """Its only result; FrontendError when it has none or several."""
        if len(self.operation.results) != 1:
            raise FrontendError(f"{self.operation.name} has {len(self.operation.results)} results, not one")
        return wrapped(self.operation.results[0])

    def __getattr__(self, name: str) -> Any:
        """A result by its name in MLIR."""
        names = () if name.startswith("_") else _RESULTS.get(self.SIGNATURE.name, ())
        if name not in names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
        return self.results[names.index(name)]

    @property
    def results(self) -> list[Any]:
        """All results."""
        return [wrapped(value) for value in self.operation.results]

    @property
    def operands(self) -> list[Any]:
        """The operands."""
        return [wrapped(value) for value in self.operation.operands]

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Its attributes and properties."""
        return {**self.operation.attributes, **self.operation.properties}

    @property
    def name(self) -> str:
        """Its name in MLIR."""
        return self.operation.name

    def __repr__(self) -> str:
        return f"<{self.operation.name}>"


@cache
def operation_class(signature: Signature) -> type[Operation]:
    """The class of an operation."""
    body = {"SIGNATURE": signature, "__slots__": (), "__doc__": f"`{signature.name}` of MLIR: `{signature}`."}
    body["__module__"] = f"flydsl._mlir.dialects.{signature.dialect}"
    return type(signature.class_name, (Operation,), body)


@cache
def operation_function(signature: Signature, name: str) -> Callable[..., Any]:
    """The function of an operation: gives its result, a list of several, or without one the operation."""
    made = operation_class(signature)

    def function(*args: Any, **kwargs: Any) -> Any:
        operation = made(*args, **kwargs)
        results = operation.results
        return operation if not results else results[0] if len(results) == 1 else results

    function.__name__ = function.__qualname__ = name
    function.__module__ = made.__module__
    function.__doc__ = made.__doc__
    return function


def build(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> IROperation:
    """An operation at the insertion point; FrontendError for arguments that it does not have."""
    asked, given = _bound(signature, list(args), dict(kwargs))
    operands = _operands(signature, given)
    properties = _properties(signature, given)
    flat = {name: values[0] for name, values in operands.items() if len(values) == 1}
    types = result_types(signature, asked, flat, properties)
    if signature.name in ("arith.constant", "llvm.mlir.constant"):
        properties["value"] = typed(given["value"], types[0])
    if signature.is_segmented:
        sizes = [len(operands[argument.name]) for argument in signature.arguments if argument.is_operand]
        properties["operandSegmentSizes"] = current().integers(sizes, 32)
    return emit(signature, [value for values in operands.values() for value in values], types, properties)


def emit(
    signature: Signature,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    properties: Mapping[str, Attribute],
) -> IROperation:
    """An operation of any name: of the core's class where it has one, with its checks and fast-math flags."""
    emitter = current()
    if _is_in_the_core(signature.name):
        return emitter.op(signature.name, operands, types, properties=properties)
    emitter.require_kernel(signature.name)
    emitter.builder.location = user_location()
    return emitter.builder.create(_other_class(signature), operands, types, properties=properties)


def _bound(signature: Signature, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The types of results that the call names, and the arguments by name."""
    for name in _IGNORED:
        kwargs.pop(name, None)
    results = kwargs.pop("results", None)
    asked = list(results) if isinstance(results, list | tuple) else [] if results is None else [results]
    count = len(signature.rules)
    for name in ("res", "result"):
        if name in kwargs and (count or signature.result == _OPTIONAL_RESULT):
            asked = [kwargs.pop(name)]
    if not asked and args and count and _names_results(signature, args):
        first = args.pop(0)
        asked = list(first) if isinstance(first, list | tuple) else [first, *args[: count - 1]]
        del args[: 0 if isinstance(first, list | tuple) else count - 1]
    ordered = sorted(signature.arguments, key=lambda argument: argument.is_optional)
    given = dict(zip((argument.name for argument in ordered), args, strict=False))
    known = {argument.name for argument in ordered}
    kwargs = {_plain_name(name, known): value for name, value in kwargs.items()}
    wrong = [name for name in kwargs if name not in known or name in given]
    given.update(kwargs)
    missing = [a.name for a in ordered if not a.is_optional and not a.is_list and given.get(a.name) is None]
    if len(args) > len(ordered) or wrong or missing:
        what = [f"{len(args)} values", *(f"{name}=" for name in kwargs)]
        raise FrontendError(f"{signature.name} is called with {', '.join(what)}; it is {signature}")
    return asked, given


def _plain_name(name: str, known: Collection[str]) -> str:
    """The name of an argument without the underscore that MLIR's generator puts behind names of its own classes."""
    return name if name in known else name.removesuffix("_")


def _names_results(signature: Signature, args: Sequence[Any]) -> bool:
    """Whether the call starts with the types of the results."""
    first = args[0]
    if signature.result == _OPTIONAL_RESULT:
        return first is None or is_type(first) or isinstance(first, list | tuple)
    if isinstance(first, list | tuple):
        return bool(first) and all(map(is_type, first))
    return is_type(first) or (signature.result.startswith("*") and isinstance(first, str))


def _operands(signature: Signature, given: Mapping[str, Any]) -> dict[str, list[SSAValue]]:
    """The SSA values of each operand; a number has the type of the operand that the result's type follows."""
    wanted = {a.name: _values(signature, a, given.get(a.name)) for a in signature.arguments if a.is_operand}
    like = _followed(signature, wanted) if any(is_number(v) for values in wanted.values() for v in values) else None
    found, name = {}, ""
    try:
        for name, values in wanted.items():
            found[name] = [raw(value, like) for value in values]
    except FrontendError as error:
        raise FrontendError(f"{signature.name}: {name}: {error}") from None
    return found


def _followed(signature: Signature, wanted: Mapping[str, Sequence[Any]]) -> Attribute | None:
    """The type that a number takes: of the operand that decides the result's type, or of one behind it."""
    if not signature.result.startswith(("=", "bool:")):
        return None
    names = list(wanted)
    follows = names[names.index(signature.rules[0].lstrip("=").rpartition(":")[2]) :]
    first = next((v for name in follows for v in wanted[name] if not is_number(v)), None)
    return None if first is None else raw(first).type


def _values(signature: Signature, argument: Argument, value: Any) -> list[Any]:
    if value is None:
        return []
    if not argument.is_list:
        return [value]
    if not isinstance(value, list | tuple):
        raise FrontendError(f"{signature.name} takes a list as {argument.name}, found {value!r}")
    return [one for part in value for one in part] if argument.kind == "**" else list(value)


def _properties(signature: Signature, given: Mapping[str, Any]) -> dict[str, Attribute]:
    found = {}
    for argument in signature.arguments:
        value = given.get(argument.name)
        if argument.type.endswith("!") and value is None:
            value = 0
        if argument.is_operand or value is None or (argument.type == "any" and argument.name == "value"):
            continue
        try:
            made = attribute(signature.dialect, argument.type.rstrip("!"), value)
        except FrontendError as error:
            raise FrontendError(f"{signature.name}: {argument.name}: {error}") from None
        if made is not None:
            found[argument.name] = made
    return found


@cache
def _is_in_the_core(name: str) -> bool:
    from flydsl.backend.text import create_context

    return create_context().get_optional_op(name) is not None


@cache
def _other_class(signature: Signature) -> type[IROperation]:
    from flydsl.backend.dialect import upstream_op

    return upstream_op(signature.name, pure=signature.is_pure)
