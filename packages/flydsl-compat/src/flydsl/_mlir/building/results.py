"""The types of an operation's results, from the rules of the tables.

`=name`: that of an operand; `bool:name`: i1 for each element of it; `element:name`: of its elements; `at:name`: of its
part at the operation's `position`; `*`: the caller names it; `*?`: a type or none; else a type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.values import type_of
from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl._mlir.building.operations import Signature


def result_types(
    signature: Signature,
    asked: Sequence[object],
    operands: Mapping[str, SSAValue],
    properties: Mapping[str, Attribute],
) -> list[Attribute]:
    """The types of the results: those that the call names, or those that follow from the operands."""
    if signature.result == "*?":
        types = [type_of(one) for one in asked if one is not None]
        return [one for one in types if one.name != "llvm.void"]
    rules = signature.rules
    if asked:
        if len(asked) != len(rules):
            raise FrontendError(f"{signature.name} has {len(rules)} results, and {len(asked)} types are given")
        return [type_of(one) for one in asked]
    if "*" in rules:
        raise FrontendError(f"{signature.name} needs the type of its result first: {signature}")
    return [_follows(rule, operands, properties) for rule in rules]


def _follows(rule: str, operands: Mapping[str, SSAValue], properties: Mapping[str, Attribute]) -> Attribute:
    word, _, name = rule.partition(":")
    if rule.startswith("="):
        return operands[rule[1:]].type
    if not name:
        return type_of(rule)
    source: Any = operands[name].type
    if word == "bool":
        return _with_element(source, type_of("i1"))
    if word == "element":
        return source.element_type  # type: ignore[no-any-return]
    if word == "shuffled":
        return _vector([len(_numbers(properties["mask"]))], source.element_type)
    return _part(source, properties)


def _part(source: Any, properties: Mapping[str, Attribute]) -> Attribute:
    """The type at a static position of a struct, an array or a vector."""
    path = _numbers(properties.get("position") or properties["static_position"])
    for depth, index in enumerate(path):
        if hasattr(source, "elements"):
            source = source.elements[index]
        elif hasattr(source, "get_shape"):
            shape = list(source.get_shape())[len(path) - depth :]
            return _vector(shape, source.element_type) if shape else source.element_type
        else:
            source = source.type
    return source  # type: ignore[no-any-return]


def _numbers(attribute: Any) -> list[int]:
    return list(attribute.get_values())


def _vector(shape: Sequence[int], element: Attribute) -> Attribute:
    from xdsl.dialects.builtin import VectorType

    return VectorType(element, shape)


def _with_element(source: Any, element: Attribute) -> Attribute:
    return _vector(list(source.get_shape()), element) if hasattr(source, "get_shape") else element
