"""Argument types of a call site in, a Python function that launches in a few microseconds out, generated once a site.

A stub reads each argument once, finds a `Plan` by one tuple key (what the arguments' specs depend on), packs pointers
and scalars with one `struct.pack`, and makes one foreign call. It takes no lock, calls no hook and reads no setting.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from flydsl.cache.dependencies import encode_value
from flydsl.compiler.arguments import BoundArgument, stream_handle
from flydsl.compiler.jit_argument import pack_abi
from flydsl.compiler.plan import Plan
from flydsl.compiler.scalar_argument import bfloat16_argument
from flydsl.compiler.tensor_argument import TensorArgument
from flydsl.expr.numeric import BFloat16, Numeric
from flydsl.frontend.signature import (
    ConstexprSpec,
    Parameter,
    PointerSpec,
    ProtocolSpec,
    ScalarSpec,
    StreamSpec,
    TensorSpec,
)
from flydsl.plugins.selection import choice
from flydsl.plugins.tensor_adaptor import TensorAdaptor

_EXACT = (bool, int, str, bytes, type(None), type)
_MAX_PLANS = 4096


class Call(NamedTuple):
    """The first call of a site: all arguments, of which the first `given` were passed and the rest are defaults."""

    parameters: Sequence[Parameter]
    bound: Sequence[BoundArgument]
    values: Sequence[Any]
    given: int


class Site(NamedTuple):
    """Calls whose arguments have the same Python types: their plans by key, and the stub that serves them."""

    plans: dict[Any, Plan]
    pair: object | None
    written: frozenset[int]
    stub: Callable[..., None]
    key: Callable[..., Any]
    current: Callable[[], int] | None = None

    def serves(self, pair: object, written: frozenset[int], current: Callable[[], int] | None) -> bool:
        """Whether its stub serves calls of this pair that write these tensors, on the device that `current` tells."""
        return self.pair is pair and written <= self.written and (current is None or self.current is not None)

    def add(self, given: Sequence[Any], plan: Plan) -> None:
        """Serve calls like `given` by `plan`; a site with too many shapes starts again."""
        if len(self.plans) >= _MAX_PLANS:
            self.plans.clear()
        self.plans[self.key(*given)] = plan


@dataclass(slots=True)
class _Source:
    """The parts of a stub while it is generated."""

    names: dict[str, Any]
    written: frozenset[int]
    converts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    packed: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    after: dict[str, list[str]] = field(default_factory=dict)


def make_site(
    call: Call,
    written: frozenset[int],
    *,
    pair: object | None,
    is_current: Callable[[], bool] | None,
    current: Callable[[], int] | None = None,
    miss: Callable[[tuple[Any, ...]], None],
    check: Callable[[tuple[Any, ...]], object],
    fail: Callable[[int], None],
) -> Site:
    """A site for calls like `call`; `written` are the positions of the tensors that some of its code writes.

    The stub calls `miss` with its arguments when no plan serves them, when a pair other than `pair` is active (None:
    any may be), and when what the code read has changed; `check` to explain a value that cannot be packed or a
    misaligned tensor; and `fail` with an error code of the launcher. With `current` plans are for the device it tells.
    """
    plans: dict[Any, Plan] = {}
    names: dict[str, Any] = {"plans": plans, "is_current": is_current, "miss": miss, "check": check, "fail": fail}
    names.update(PackError=struct.error, choice=choice, pair=pair)
    source = _Source(names, written)
    if current is not None:
        names["current"] = current
        source.keys.append("current()")
    _find_streams(source, call)
    for index, (parameter, argument, value) in enumerate(zip(call.parameters, call.bound, call.values, strict=True)):
        if index >= call.given:
            source.names[f"a{index}"] = value
        passed = _converted(source, index, argument, value)
        _ARGUMENTS[type(argument.spec)](source, index, parameter, argument, passed)
        if index in written and argument.adaptor is not None:
            _note_written(source, index, argument.adaptor, passed)
    exec(compile(_text(source, call.given), "<flydsl call stub>", "exec"), source.names)
    return Site(plans, pair, written, source.names["stub"], source.names["key"], current)


class _Passed(NamedTuple):
    """What a stub passes for an argument: the name of its variable, and the value of the first call."""

    name: str
    value: Any


def _converted(source: _Source, index: int, argument: BoundArgument, value: Any) -> _Passed:
    """The argument itself, or what the callable registered for its type makes of it."""
    if argument.convert is None:
        return _Passed(f"a{index}", value)
    source.names[f"convert{index}"] = argument.convert
    source.converts.append(f"c{index} = convert{index}(a{index})")
    return _Passed(f"c{index}", argument.made)


def _find_streams(source: _Source, call: Call) -> None:
    """Where the stream of a call comes from: its stream argument, else what a framework is using now."""
    source.names["stream_handle"] = stream_handle
    for index, (argument, value) in enumerate(zip(call.bound, call.values, strict=True)):
        if isinstance(argument.spec, StreamSpec) and value is not None:
            source.reads.append(f"s{index} = stream_handle(a{index})")
            source.streams.append(f"s{index}")
    adaptors = [argument.adaptor for argument in call.bound if argument.adaptor is not None]
    framework = next((adaptor for adaptor in adaptors if _overrides(adaptor, "current_stream")), None)
    if framework is not None:
        source.names["current_stream"] = framework.current_stream
        source.streams.append("(0 if device is None else current_stream(device))")


def _text(source: _Source, given: int) -> str:
    params = ", ".join(f"a{index}" for index in range(given))
    everything = f"({params}{',' if given == 1 else ''})"
    key = f"({''.join(part + ', ' for part in source.keys)})"
    guard = " or choice.pair is not pair" if source.names["pair"] is not None else ""
    guard += " or not is_current()" if source.names["is_current"] is not None else ""
    lines = [
        f"def key({params}):",
        *(f"    {line}" for line in source.converts),
        f"    return {key}",
        f"def stub({params}):",
        *(f"    {line}" for line in source.converts),
        f"    plan = plans.get({key})",
        f"    if plan is None{guard}:",
        f"        return miss({everything})",
        f"    launch, table, module, ordinal, pack, device{''.join(', ' + name for name in source.plan)} = plan",
        *(f"    {line}" for line in source.reads),
        *([f"    stream = {' or '.join(source.streams)}"] if source.streams else []),
        *(f"    {line}" for line in source.before),
    ]
    if source.masks:
        lines += [f"    if {' | '.join(source.masks)}:", f"        check({everything})"]
    lines += [
        "    try:",
        f"        packed = pack({', '.join(source.packed)})",
        "    except (PackError, OverflowError, TypeError):",
        f"        check({everything})",
        "        raise",
        f"    code = launch(table, module, ordinal, {'stream' if source.streams else 'None'}, packed)",
        "    if code:",
        "        fail(code)",
        *(f"    {expression.format(xs=', '.join(names))}" for expression, names in source.after.items()),
    ]
    return "\n".join(lines)


def _tensor(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    adaptor, name = argument.adaptor, passed.name
    assert adaptor is not None
    marked = isinstance(passed.value, TensorArgument)
    if adaptor.inline is not None and not marked:
        source.names.update(adaptor.inline.names)
        signature, pointer = adaptor.inline.signature.format(x=name), adaptor.inline.pointer.format(x=name)
    else:
        source.names[f"adaptor{index}"] = adaptor
        tensor = f"{name}.tensor" if marked else name
        signature, pointer = f"adaptor{index}.signature({tensor})", f"adaptor{index}.pointer({tensor})"
        if marked:
            signature = f"({name}.layout, {name}.alignment, {signature})"
        if _overrides(adaptor, "before_launch"):
            stream = "stream" if source.streams else "0"
            source.before.append(f"adaptor{index}.before_launch({tensor}, {stream}, {index in source.written})")
    source.keys.append(signature)
    source.reads.append(f"p{index} = {pointer}")
    source.masks.append(f"(p{index} & m{index})")
    source.plan += [f"m{index}", f"b{index}"]
    source.packed += [f"p{index}", f"b{index}"]


def _pointer(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    name = passed.name
    source.keys.append(f"({name}.element_type, {name}.address_space, {name}.alignment)")
    source.reads.append(f"p{index} = {name}.address")
    source.masks.append(f"(p{index} & m{index})")
    source.plan.append(f"m{index}")
    source.packed.append(f"p{index}")


def _object(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    source.names["pack_abi"] = pack_abi
    source.keys.append(f"{passed.name}.__cache_signature__()")
    source.packed.append(f"pack_abi({passed.name})")


def _scalar(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    assert isinstance(argument.spec, ScalarSpec)
    name, dtype = passed.name, argument.spec.element
    if isinstance(passed.value, Numeric):
        name = f"{name}.value"
    if parameter.scalar is None and not dtype.is_float and dtype.width > 1 and not isinstance(passed.value, Numeric):
        source.keys.append(f"-2147483648 <= {name} <= 2147483647")  # beyond it the number is an Int64
    if dtype is BFloat16:
        source.names["bfloat16_argument"] = bfloat16_argument
        source.packed.append(f"bfloat16_argument({name})")
    else:
        source.packed.append(name)


def _stream(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    source.packed.append("0" if passed.value is None else f"s{index}")


def _constexpr(source: _Source, index: int, parameter: Parameter, argument: BoundArgument, passed: _Passed) -> None:
    """Values of one type are told apart by `==` only where that is exact: not in 0.0 and -0.0, or (1,) and (True,)."""
    name, value = passed
    if isinstance(value, Enum) or type(value) in _EXACT:
        source.keys.append(name)
    elif type(value) is float:
        source.keys.append(f"repr({name})")
    else:
        source.names["encode_value"] = encode_value
        source.keys.append(f"encode_value({name})")


_ARGUMENTS: dict[type, Callable[[_Source, int, Parameter, BoundArgument, _Passed], None]] = {
    TensorSpec: _tensor,
    ScalarSpec: _scalar,
    PointerSpec: _pointer,
    ProtocolSpec: _object,
    StreamSpec: _stream,
    ConstexprSpec: _constexpr,
}


def _note_written(source: _Source, index: int, adaptor: TensorAdaptor, passed: _Passed) -> None:
    """Tell the framework after the launch which of its tensors changed."""
    name = f"{passed.name}.tensor" if isinstance(passed.value, TensorArgument) else passed.name
    if adaptor.inline is not None and adaptor.inline.written:
        source.names.update(adaptor.inline.names)
        source.after.setdefault(adaptor.inline.written, []).append(name)
    elif _overrides(adaptor, "after_launch"):
        source.names[f"adaptor{index}"] = adaptor
        stream = "stream" if source.streams else "0"
        source.after[f"adaptor{index}.after_launch({name}, {stream}, True)"] = []


def _overrides(adaptor: TensorAdaptor, method: str) -> bool:
    return getattr(type(adaptor), method) is not getattr(TensorAdaptor, method)
