"""Calls of @jit functions in code that torch traces: they become the operator `flydsl::launch`.

torch's compiler reads `record` instead of running it, and runs what is marked as constant. Nothing here works with
data: shapes and strides may be symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch

from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import DeviceKind

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction
    from flydsl.plugins import DeviceRef
    from flydsl.torch.call_structure import Structure

RECORDED_WRITE = (
    "the kernel writes a tensor that requires a gradient, which autograd cannot see: "
    "pass tensor.detach(), or call under torch.no_grad()"
)

_BRANCHES = ("cond", "while_loop", "scan", "associative_scan", "map_impl", "map", "invoke_subgraph")
"""Operators of torch that take code, and see what it writes in single arguments only."""

Resolved = tuple[str, tuple[int, ...], str]
"""The key of a call, which of its tensors are written, and what is wrong with it."""


def record(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Put a call of a @jit function into the graph that torch is making."""
    id(function)  # torch's compiler looks from now on that it is this function
    kinds = parameter_kinds(function)
    tensors: list[Any] = []
    ints: list[Any] = []
    floats: list[Any] = []
    passed = []
    for position, value in enumerate(args):
        name, kind = kinds[position] if position < len(kinds) else ("", "")
        constant = f"{name!r} of {function.__name__!r}" if kind == "constexpr" else ""
        passed.append(_structure(value, constant, tensors, ints, floats))
    named = []
    for name, value in kwargs.items():
        constant = f"{name!r} of {function.__name__!r}" if (name, "constexpr") in kinds else ""
        named.append((name, _structure(value, constant, tensors, ints, floats)))
    if torch.compiler.is_dynamo_compiling():
        key, written, problem = resolve(function, tuple(passed), tuple(named))
    else:
        key, written, problem = _resolved(function, tuple(passed), tuple(named))
    outs = [tensor for index, tensor in enumerate(tensors) if index in written]
    if torch.is_grad_enabled():
        for tensor in outs:
            if tensor.requires_grad:
                problem = RECORDED_WRITE
    if problem:
        _refuse(problem)
    ins = [tensor for index, tensor in enumerate(tensors) if index not in written]
    _add(ins, outs, key, ints, floats)


def _add(ins: list[Any], outs: list[Any], key: str, ints: list[Any], floats: list[Any]) -> None:
    """Add the operator of a call to the graph."""
    if torch.compiler.is_dynamo_compiling() and 0 < len(outs) <= most_branch_outputs():
        getattr(torch.ops.flydsl, f"launch_into_{len(outs)}").default(ins, *outs, key, ints, floats)
        return
    places = [place for place, number in enumerate(floats) if _is_symbol(number)]
    if places:
        symbols = [floats[place] for place in places]
        constants = [0.0 if place in places else number for place, number in enumerate(floats)]
        torch.ops.flydsl.launch_numbers.default(ins, outs, key, ints, constants, places, symbols)
    else:
        torch.ops.flydsl.launch.default(ins, outs, key, ints, floats)


def _is_symbol(number: Any) -> bool:
    """Whether a float is known when the graph runs only."""
    if torch.compiler.is_dynamo_compiling():  # where symbols have the type of what they stand for
        from torch.fx.experimental import symbolic_shapes  # here: a second of imports

        return not symbolic_shapes.has_static_value(number)
    return isinstance(number, torch.SymFloat)


def _refuse(problem: str) -> None:
    """Leave the call to Python, which raises the error with its type and line, or raise it."""
    if torch.compiler.is_dynamo_compiling():
        torch._dynamo.graph_break(msg=problem)
    else:
        raise UnsupportedTensorError(problem)


def record_stand_ins(function: Any, args: tuple[Any, ...]) -> None:
    """`record`, for traces that run Python on stand-ins for tensors, as `torch.export` does, and for dispatch modes."""
    from flydsl.backend.frameworks import flat
    from flydsl.torch.adaptor import check_form
    from flydsl.torch.recording import check_gradients
    from flydsl.torch.watching import is_traced, is_watched

    tensors = [leaf for leaf in flat(function.parameters, args)[1] if isinstance(leaf, torch.Tensor)]
    real = [tensor for tensor in tensors if not is_traced(tensor)]
    for tensor in real:
        check_form(tensor)
    if real and not is_watched():
        raise UnsupportedTensorError(
            f"{function.__name__!r} is called with a tensor that has memory and with one that only stands for a "
            "tensor: pass tensors of one kind"
        )
    check_gradients(function.__name__, tensors)
    record(function, args, {})


def _structure(value: Any, constant: str, tensors: list[Any], ints: list[Any], floats: list[Any]) -> Structure:
    """The structure of an argument; what the graph passes is appended to the lists, each tensor once.

    `constant` names the compile-time parameter that it is for.
    """
    if isinstance(value, torch.Tensor):
        index = len(tensors)
        for number, other in enumerate(tensors):
            if other is value:
                index = number
        if index == len(tensors):
            tensors.append(value)
        return ("tensor", index, value.dtype, value.dim(), _unit(value), str(value.device))
    if isinstance(value, (tuple, list)):
        items = tuple([_structure(item, constant, tensors, ints, floats) for item in value])
        if isinstance(value, list):
            return ("list", items)
        return ("tuple", items) if type(value) is tuple else ("type", type(value), items)
    if isinstance(value, dict):
        items = tuple([_structure(item, constant, tensors, ints, floats) for item in value.values()])
        return ("dict", tuple(value.keys()), items)
    if isinstance(value, (bool, torch.SymBool)):
        if value:  # of a symbol: its value, which is guarded
            return ("value", True)
        return ("value", False)
    if constant:
        return ("value", _known(value, constant))
    if isinstance(value, (int, torch.SymInt)):
        ints.append(value)
        return ("int", len(ints) - 1)
    if isinstance(value, (float, torch.SymFloat)):
        floats.append(value)
        return ("float", len(floats) - 1)
    return ("value", value)


def _known(value: Any, parameter: str) -> Any:
    """A compile-time value; that of a symbol is guarded, and an error where no guard can be."""
    if type(value) not in (int, float, torch.SymInt, torch.SymFloat):
        return value
    if type(value) in (int, float) and not torch.compiler.is_dynamo_compiling():  # where symbols have these types, too
        return value
    from torch.fx.experimental import symbolic_shapes  # here: a second of imports

    is_known = symbolic_shapes.has_static_value(value)
    if not (is_known or symbolic_shapes.guard_or_false(value < 0) or symbolic_shapes.guard_or_false(value >= 0)):
        _refuse(
            f"compile-time parameter {parameter} is to be the value of a tensor, which a graph does not know: "
            "give it a run-time type, such as fx.Float32 or fx.Int32, or pass a number of Python"
        )
    return symbolic_shapes.guard_scalar(value)


def _unit(tensor: torch.Tensor) -> int:
    """The last mode of stride 1, which is part of the code; -1 when there is none."""
    strides = tensor.stride()
    for mode in range(len(strides) - 1, -1, -1):
        if strides[mode] == 1:
            return mode
    return -1


def parameter_kinds(function: JitFunction) -> tuple[tuple[str, str], ...]:
    """Name and kind of each parameter: the values of compile-time ones are part of the code."""
    from flydsl.torch.interception import skip_frames

    skip_frames(type(function).__call__)
    return tuple((parameter.name, parameter.kind) for parameter in function.parameters)


def resolve(function: JitFunction, passed: Sequence[Structure], named: Sequence[tuple[str, Structure]]) -> Resolved:
    """Compile for a call of this structure; what is wrong is text, for torch's compiler to show."""
    try:
        return _resolved(function, passed, named)
    except Exception as error:
        return "", (), f"{function.__name__!r}: {type(error).__name__}: {error}"


def _resolved(function: JitFunction, passed: Sequence[Structure], named: Sequence[tuple[str, Structure]]) -> Resolved:
    from flydsl.backend.frameworks import BoundCall
    from flydsl.plugins import active_pair
    from flydsl.torch.call_structure import Values, one_device
    from flydsl.torch.call_table import Code, calls
    from flydsl.torch.interception import note_libraries

    note_libraries()
    values, pair = Values(), active_pair()
    args = [values.make(structure) for structure in passed]
    kwargs = {name: values.make(structure) for name, structure in named}
    everything = function.bind(*args, **kwargs).values
    call = BoundCall.of(function.parameters, everything, len(everything), pair.runtime.device_kinds)
    devices = list(call.devices())
    one_device(devices, function.__name__)
    artifact = function.portable(*everything, backend=pair.backend.name, arch=_arch(devices)).artifact
    leaves = call.leaves.values
    written = {values.tensor_index(leaf) for position, leaf in enumerate(leaves) if position in artifact.written}
    ins, outs, places = 0, 0, []
    for index in range(values.tensor_count):
        places.append(("out", outs) if index in written else ("in", ins))
        outs, ins = outs + (index in written), ins + (index not in written)
    key = calls.add(function, values, call, Code(artifact, tuple(places)))
    return key, tuple(index for index in range(values.tensor_count) if index in written), ""


def most_branch_outputs() -> int:
    """How many outputs a call may have in a branch or loop that torch's compiler reads; 0 elsewhere."""
    from flydsl.torch.launch_op import MOST_OUTPUTS

    tracer = import_module("torch._dynamo.symbolic_convert").InstructionTranslator.current_tx().output.current_tracer
    while tracer is not None and str(tracer.source_target) not in _BRANCHES:
        tracer = tracer.parent
    return 0 if tracer is None else MOST_OUTPUTS


def _arch(devices: Sequence[DeviceRef]) -> str:
    """The architecture of the device that the tensors are on, when there is one and nothing else is set."""
    from flydsl.base import settings
    from flydsl.plugins import active_pair, device_runtime, get_backend

    pair = active_pair()
    runtime = device_runtime(pair)
    if settings.compile.arch or not runtime.status().available:
        return ""
    placed = [device.ordinal for device in devices if device.kind != DeviceKind.CPU]
    info = runtime.device_info(placed[0] if placed else runtime.current_ordinal())
    return get_backend(pair.backend.name).target_for(info.arch).arch


CONSTANT: tuple[Any, ...] = (parameter_kinds, resolve, most_branch_outputs)
"""What torch's compiler runs while it traces, and whose results it takes as constants."""
for _function in CONSTANT:
    _function._dynamo_marked_constant = True  # what torch.compiler.assume_constant_result does, and imports a lot for
