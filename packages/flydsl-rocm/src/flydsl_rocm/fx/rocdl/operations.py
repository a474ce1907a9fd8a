"""Every operation of MLIR's `rocdl` dialect as a function: `fx.rocdl.cvt_scalef32_pk_fp4_f32(a, b, ...)`.

The arguments stand in the order of MLIR's definition; constants (`cbsz`) and attributes with a default may be left out,
and every one may be given by name. A result type may stand in front, and the operands may be one list, as kernels
written with raw operations have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flydsl.backend.language import current, numeric_by_type
from flydsl.base.errors import FrontendError
from flydsl.expr import Vector, as_numeric
from flydsl_rocm.rocdl import Argument, Signature, by_python_name, python_name

from .chips import require_one_of
from .emit import create
from .operands import DTYPES, as_operand, is_type, type_of

__all__ = ["OperationFunction"]


@dataclass(frozen=True, slots=True)
class OperationFunction:
    """A function that inserts one operation, and returns its result."""

    signature: Signature

    @property
    def __name__(self) -> str:
        return python_name(self.signature.name)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return f"`{self.signature}`: the operation `rocdl.{self.signature.name}` of MLIR."

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result as a value of the language; None without one, a tuple of the parts of a struct."""
        from flydsl_rocm.rocdl import operation_class

        signature, name = self.signature, self.__name__
        require_one_of(name, signature.chips)
        asked, given = self._bound(args, kwargs)
        operands, attributes = [], {}
        types: dict[str, Any] = {}
        for argument in signature.arguments:
            if argument.is_operand:
                value = as_operand(name, argument, given.get(argument.name, 0))
                types[argument.name] = value.type
                operands.append(value)
            elif argument.name in given:
                attributes[argument.name] = _attribute(name, argument, given[argument.name])
        result = self._result_type(asked, types)
        made = create(operation_class(signature.name), operands, [] if result is None else [result], attributes)
        return None if result is None else wrapped(made, result)

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The result type that is asked for, or None, and the arguments by name."""
        asked, *values = args if args and is_type(args[0]) else (None, *args)
        if len(values) == 1 and isinstance(values[0], list | tuple):
            values = list(values[0])
        names = [a.name for a in self.signature.arguments if a.kind != "?"]
        known = {a.name for a in self.signature.arguments}
        given = {**dict(zip(names, values, strict=False)), **kwargs}
        missing = [a.name for a in self.signature.arguments if not a.is_optional and a.name not in given]
        wrong = [name for name in kwargs if name not in known or name in names[: len(values)]]
        if len(values) > len(names) or missing or wrong:
            found = f"{len(values)} values" + (f" and {', '.join(kwargs)}" if kwargs else "")
            raise FrontendError(f"fx.rocdl.{self.__name__}: called with {found}; it is {self.signature}")
        return asked, given

    def _result_type(self, asked: Any, types: Mapping[str, Any]) -> Any:
        """The MLIR type of the result, which only some operations leave open."""
        result = self.signature.result
        if not result:
            return None
        wanted = None if asked is None else type_of(asked)
        if result.endswith("*"):
            if wanted is None:
                raise FrontendError(
                    f"fx.rocdl.{self.__name__} needs the type of its result first, such as fx.Int32 or fx.Float32x4; "
                    f"it is {self.signature}"
                )
            return wanted
        type_ = types[result[1:]] if result.startswith("=") else _fixed(result)
        if wanted is not None and wanted != type_:
            raise FrontendError(f"fx.rocdl.{self.__name__} gives {type_}, and {wanted} is asked for")
        return type_


def operation_function(name: str) -> OperationFunction:
    """The function of a name of `fx.rocdl`; AttributeError for what is no operation."""
    signature = by_python_name().get(name)
    if signature is None:
        from difflib import get_close_matches

        near = get_close_matches(name, by_python_name(), 3)
        raise AttributeError(f"fx.rocdl has no {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return OperationFunction(signature)


def _fixed(text: str) -> Any:
    if text.startswith("{"):
        from flydsl.backend.ir import StructType

        return StructType(tuple(map(_fixed, text[1:-1].split(","))))
    if text.startswith("p"):
        from flydsl.backend.llvm import pointer_type

        return pointer_type(int(text[1:]))
    if text.startswith("v"):
        count, element = _split(text)
        return Vector.make_type(count, DTYPES[element])
    return DTYPES[text].ir_type_of()


def _split(text: str) -> tuple[int, str]:
    """`v16bf16` as (16, "bf16")."""
    digits = 1
    while text[1 : digits + 1].isdecimal():
        digits += 1
    return int(text[1:digits]), text[digits:]


def _attribute(name: str, argument: Argument, value: Any) -> Any:
    """An integer attribute of a value that is known while tracing, of either sign."""
    width = int(argument.type[1:])
    number = as_numeric(value)
    if not number.is_static or number.is_float or not -(1 << width - 1) <= int(number.value) < 1 << width:
        raise FrontendError(
            f"fx.rocdl.{name}: {argument.name} is an integer of {width} bits known while tracing, found {value!r}"
        )
    bits = int(number.value)
    return current().integer(bits - (1 << width) if bits >> (width - 1) > 0 and width > 1 else bits, width)


def wrapped(value: Any, type_: Any) -> Any:
    """An SSA value as one of the language; what has no counterpart, such as a resource, stays."""
    if hasattr(type_, "elements"):
        emitter = current()
        return tuple(
            wrapped(
                emitter.value("llvm.extractvalue", [value], part, properties={"position": emitter.integers([i])}), part
            )
            for i, part in enumerate(type_.elements)
        )
    if hasattr(type_, "element_type") or type_ in numeric_by_type():
        return current().box(value)
    return value
