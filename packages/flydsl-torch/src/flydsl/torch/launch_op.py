"""`torch.ops.flydsl.launch`: the one operator that a kernel call becomes in a graph; eager calls do without it.

torch's compilers keep floats that change as tensors only, and compile again for each value of one that an operator
takes. So a call with such floats is `launch_numbers`, and `launch_changing` where a compiler has taken it apart.
Their branches and loops (`torch.cond`, `torch.while_loop`) write no tensors in lists: there it is `launch_into_1`,
`launch_into_2` and so on, with as many outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from flydsl.base.errors import UnsupportedTensorError
from flydsl.torch.call_table import calls
from flydsl.torch.recording import lacks_derivative

_SCHEMA = "(Tensor[] ins, Tensor(a!)[] outs, str key, SymInt[] ints, {}) -> ()"
_STRIDES = torch.Tag.needs_exact_strides

_library: Any = torch.library.Library("flydsl", "DEF")  # type: ignore[no-untyped-call]
_library.define("launch" + _SCHEMA.format("float[] floats"), tags=(_STRIDES,))
_library.define("launch_numbers" + _SCHEMA.format("float[] floats, int[] places, Scalar[] symbols"), tags=(_STRIDES,))
_library.define(  # a graph of the device would keep the floats of its capture
    "launch_changing" + _SCHEMA.format("float[] floats, int[] places, Scalar[] symbols, Tensor[] tensors"),
    tags=(_STRIDES, torch.Tag.cudagraph_unsafe),
)

MOST_OUTPUTS = 16
"""How many tensors a call in a branch may write."""
for _count in range(1, MOST_OUTPUTS + 1):
    _outs = ", ".join(f"Tensor(a{index}!) out{index}" for index in range(_count))
    _library.define(
        f"launch_into_{_count}(Tensor[] ins, {_outs}, str key, SymInt[] ints, Scalar[] floats) -> ()", tags=(_STRIDES,)
    )

Tensors = Sequence[torch.Tensor]


def _launch(ins: Tensors, outs: Tensors, key: str, ints: Sequence[int], floats: Sequence[float]) -> None:
    calls[key](ins, outs, ints, floats)


def _launch_numbers(
    ins: Tensors,
    outs: Tensors,
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
    places: Sequence[int],
    symbols: Sequence[Any],
) -> None:
    """`launch` with `symbols` at these places of the floats, or `launch_changing` where they are no numbers yet."""
    if not any(isinstance(number, torch.SymFloat) for number in symbols):
        launch(ins, outs, key, ints, _placed(floats, places, symbols))
        return
    one = torch.ones((), dtype=torch.float64, device="cpu")
    rest = [(place, number) for place, number in zip(places, symbols, strict=True) if not _is_graph_input(number)]
    taken = [(place, number) for place, number in zip(places, symbols, strict=True) if _is_graph_input(number)]
    tensors = [one * number for _, number in taken]  # torch makes a product of tensors of it, and this is exact
    order = [place for place, _ in (*rest, *taken)]
    launch_changing(ins, outs, key, ints, floats, order, [number for _, number in rest], tensors)


def _launch_changing(
    ins: Tensors,
    outs: Tensors,
    key: str,
    ints: Sequence[int],
    floats: Sequence[float],
    places: Sequence[int],
    symbols: Sequence[float],
    tensors: Tensors,
) -> None:
    """`launch` with the values of symbols, and of tensors of rank 0, at these places of the floats."""
    numbers = [*symbols, *(tensor.item() for tensor in tensors)]
    calls[key](ins, outs, ints, _placed(floats, places, numbers))


def _launch_into(ins: Tensors, *args: Any) -> None:
    """`launch` with outputs that are not in a list."""
    *outs, key, ints, floats = args
    calls[key](ins, outs, ints, floats)


def _placed(floats: Sequence[float], places: Sequence[int], numbers: Sequence[float]) -> list[float]:
    """`floats` with these numbers at these places."""
    known = list(floats)
    for place, number in zip(places, numbers, strict=True):
        known[place] = number
    return known


def _is_graph_input(number: Any) -> bool:
    """Whether a float depends on one that the graph takes, and not only on extents or on values of tensors."""
    if not isinstance(number, torch.SymFloat):
        return False
    from torch.utils._sympy.symbol import SymT, symbol_is_type

    return any(symbol_is_type(symbol, SymT.FLOAT) for symbol in number.node.expr.free_symbols)


def _record(keyset: Any, overload: Any, key: str, ins: Tensors, *args: Any) -> None:
    """What a kernel writes has no gradient; it is an error where a derivative of forward mode would be dropped."""
    if lacks_derivative(ins):
        raise UnsupportedTensorError(
            f"kernel function {key.partition(':')[0]!r} has no derivative of forward mode (torch.func.jvp, jacfwd, "
            "linearize): use reverse mode, through an operator made with flydsl.torch.op"
        )
    with torch._C._AutoDispatchBelowAutograd():
        overload.redispatch(keyset & torch._C._after_autograd_keyset, ins, *args)


def _implement(name: str, kernel: Callable[..., None], key_position: int = 2) -> None:
    """Register what runs the operator: the kernel, autograd, and stand-ins for tensors."""
    overload = getattr(torch.ops.flydsl, name).default

    def recorded(keyset: Any, *args: Any) -> None:
        _record(keyset, overload, args[key_position], *args)

    def batched(*args: Any) -> None:
        raise UnsupportedTensorError(
            f"kernel function {args[key_position].partition(':')[0]!r} is called inside of torch.vmap, which cannot "
            "batch it: call it through an operator made with flydsl.torch.op"
        )

    def fake(*args: Any) -> None:
        """Shapes stay as they are; versions tell a trace which of its inputs are written."""
        outs = args[1] if isinstance(args[1], list | tuple) else args[1:key_position]
        torch._C._increment_version([out for out in outs if not out.is_inference()])

    _library.impl(name, batched, "FuncTorchBatched")
    _library.impl(name, kernel, "CompositeExplicitAutograd")
    _library.impl(name, recorded, "Autograd", with_keyset=True)
    torch.library.register_fake(f"flydsl::{name}", fake, lib=_library)


_library.impl("launch_numbers", _launch_numbers, "CompositeImplicitAutograd")
_implement("launch", _launch)
_implement("launch_changing", _launch_changing)
for _count in range(1, MOST_OUTPUTS + 1):
    _implement(f"launch_into_{_count}", _launch_into, _count + 1)

launch = torch.ops.flydsl.launch.default
launch_numbers = torch.ops.flydsl.launch_numbers.default
launch_changing = torch.ops.flydsl.launch_changing.default
