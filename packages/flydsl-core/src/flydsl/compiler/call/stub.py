"""Call stubs: a Python function for each call site, generated once, that launches in a few microseconds.

A stub reads each argument once, finds a `Plan` by one tuple key (what the arguments' specs depend on), packs pointers
and scalars with one `struct.pack`, and makes one foreign call. It takes no lock, calls no hook and reads no setting.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from ctypes import c_void_p
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.dlpack import DeviceKind
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.shortcuts import MOST, Shortcuts
from flydsl.plugins.active.selection import choice
from flydsl.plugins.tensor_adaptor import TensorAdaptor

if TYPE_CHECKING:
    from flydsl.compiler.call.native_site import NativeSite
    from flydsl.compiler.stages.artifact import Loaded
    from flydsl.plugins.tensor_adaptor import Matcher
    from flydsl.toolchain.slots import Slot

_MAX_PLANS = 4096

Plan = tuple[Any, ...]
"""(fly_launch_packed, table, module, ordinal, pack, device; then what each argument adds: the mask and the packed
layout of a tensor, the mask of a pointer; at the end the extents of all tensors, for a runtime that checks them).

`device` is where the first tensor is, None on the host: there is no current stream to ask for.
"""


class Site(NamedTuple):
    """Calls whose arguments have the same Python types: their plans by key, and the stub that serves them."""

    plans: dict[Any, Plan]
    pair: object | None
    written: frozenset[int]
    stub: Callable[..., None]
    key: Callable[..., Any]
    current: Callable[[], int] | None = None
    shortcuts: Shortcuts | None = None
    current_stream: Callable[[Any], int] | None = None
    native: NativeSite | None = None
    """The native reader's part of the site, where it can serve such calls."""

    @property
    def serve(self) -> Callable[..., None]:
        """What serves calls: the stub, or the native reader, which leaves to it what it cannot do."""
        return self.stub if self.native is None else self.native.launch

    def serves(self, pair: object, written: frozenset[int], current: Callable[[], int] | None) -> bool:
        """Whether its stub serves calls of this pair that write these tensors, on the device that `current` tells."""
        return self.pair is pair and written <= self.written and (current is None or self.current is not None)

    def add(self, leaves: Sequence[Any], plan: Plan, held: Sequence[Any] | None = None) -> None:
        """Serve calls like one with these leaves, of which `held` is held, by `plan`.

        A site with too many shapes starts again.
        """
        if len(self.plans) >= _MAX_PLANS:
            self.plans.clear()
            if self.shortcuts is not None:
                self.shortcuts.clear()
        key = self.key(*leaves, held=held)
        if key in self.plans and self.shortcuts is not None:  # some may lead to the plan that is replaced
            self.shortcuts.clear()
        self.plans[key] = plan
        if self.native is not None:
            self.native.add(leaves, plan)


@dataclass(slots=True)
class StubSource:
    """The parts of a stub while the arguments of a call write it; a{i} is the variable of leaf i."""

    written: frozenset[int]
    names: dict[str, Any]
    """Globals of the stub."""
    converts: list[str] = field(default_factory=list)
    """Statements that make the argument of a registered type."""
    keys: list[str] = field(default_factory=list)
    """Expressions that tell apart calls that need different plans, besides `signatures`."""
    signatures: list[str] = field(default_factory=list)
    """Expressions that tell apart the tensors in `matched`."""
    matched: dict[int, str] = field(default_factory=dict)
    """Variables of the tensors that `matcher` can tell apart, by the position of the leaf."""
    matcher: Matcher | None = None
    """What tells apart several tensors at once."""
    holds: list[str] = field(default_factory=list)
    """Statements that take what adaptors hold of tensors during the call; h{i} is the variable of leaf i."""
    unserved: dict[str, None] = field(default_factory=dict)
    """Expressions that are true of calls that no stub serves."""
    reads: list[str] = field(default_factory=list)
    """Statements that read an argument."""
    streams: list[str] = field(default_factory=list)
    """Expressions of the stream to launch on, the first that is not 0 counts."""
    current_stream: Callable[[Any], int] | None = None
    """What a framework says for calls without a stream."""
    before: list[str] = field(default_factory=list)
    """Statements before the launch."""
    masks: list[str] = field(default_factory=list)
    """Expressions that are not 0 when an address is misaligned."""
    non_null: list[str] = field(default_factory=list)
    """Variables of addresses: 0 is only for tensors without elements."""
    packed: list[str] = field(default_factory=list)
    """Arguments of `pack`."""
    addresses: list[str] = field(default_factory=list)
    """Addresses of the tensors."""
    plan: list[str] = field(default_factory=list)
    """Variables that take the values of a plan."""
    after: dict[str, list[str]] = field(default_factory=dict)
    """Expressions after the launch, with the tensors that {xs} stands for."""

    @property
    def has_types(self) -> bool:
        """Whether the Python types of the arguments are known; the stub of a prepared call is given those of any."""
        return self.names["pair"] is not None

    def add_signature(self, items: Sequence[str], index: int, name: str, matcher: Matcher | None) -> None:
        """Tell apart the tensor in the variable `name`; by the first matcher of a call as well, if it is its own."""
        if matcher is None or self.matcher not in (None, matcher):
            self.keys += items
            return
        self.matcher, self.matched[index] = matcher, name
        self.signatures += items

    def held(self, index: int, adaptor: TensorAdaptor, tensor: str) -> str:
        """The variable of what the adaptor holds of leaf `index`: the `tensor` itself, for most."""
        if type(adaptor).hold is TensorAdaptor.hold:
            return tensor
        self.names[f"hold{index}"] = adaptor.hold
        self.holds.append(f"h{index} = hold{index}({tensor}) if held is None else held[{index}]")
        return f"h{index}"

    def stream_or(self, none: int | None) -> str:
        """The stream of the launch, or `none` when nothing says which."""
        return "stream" if self.streams else str(none)


def make_plan(loaded: Loaded, table: int, call: BoundCall, *, with_extents: bool = False) -> Plan:
    """What a stub needs to launch `loaded` for calls like `call`, by the launch table at an address."""
    # ready-made pointers: ctypes converts an integer at every call
    where = (loaded.launcher.fly_launch_packed, c_void_p(table), loaded.module, loaded.ordinal)
    return (*where, *packing(loaded.artifact.slots, call, with_extents=with_extents))


def packing(slots: Sequence[Slot], call: BoundCall, *, with_extents: bool = False) -> tuple[Any, ...]:
    """The rest of a plan: how the arguments of calls like `call` are packed into `slots`, and what they add to it."""
    rest = iter(slots)
    parts = [argument.plan_part(rest) for argument in call.arguments]
    pack = struct.Struct("<" + "".join(part.codes for part in parts)).pack
    device = next(call.devices(), None)
    if device is not None and device.kind == DeviceKind.CPU:
        device = None
    values = [value for part in parts for value in part.values]
    if with_extents:
        extents = (argument.extent() for argument in call.arguments)
        values.append(tuple(extent for extent in extents if extent is not None))
    return (pack, device, *values)


def make_site(
    call: BoundCall,
    written: frozenset[int],
    *,
    pair: object | None,
    is_current: Callable[[], bool] | None,
    current: Callable[[], int] | None = None,
    miss: Callable[[tuple[Any, ...]], None],
    misaligned: Callable[[tuple[Any, ...]], None] | None = None,
    check: Callable[[tuple[Any, ...]], object],
    fail: Callable[[int], None],
    within: Callable[..., int] | None = None,
    retain: Callable[[int, int, tuple[Any, ...]], None] | None = None,
) -> Site:
    """A site for calls like `call`; `written` are the positions of the leaves that some of its code writes.

    The stub calls `miss` with its leaves when no plan serves them, when a pair other than `pair` is active (None: any
    may be), and when what the code read has changed; `misaligned` (else `miss`) for tensors that are aligned, but less
    than those of the plan; `check` to explain a value that cannot be packed or a wrong tensor; and `fail` with an error
    code of the launcher. With `current` plans are for the device it tells; `within`
    is the `launch_within` of a runtime that checks extents, which plans have then; `retain` keeps what adaptors hold of
    tensors until the work of a stream of a device has ended.
    A plan given after the leaves was made for this very call: it is used whatever has changed, and nothing is missed;
    what its call holds of tensors follows.
    """
    plans: dict[Any, Plan] = {}
    names: dict[str, Any] = {"plans": plans, "is_current": is_current, "miss": miss, "check": check, "fail": fail}
    names["misaligned"] = misaligned or miss
    names.update(PackError=struct.error, choice=choice, pair=pair, within=within, retain=retain)
    source = StubSource(written, names)
    if current is not None:
        names["current"] = current
        source.keys.append("current()")
    count = len(call.passed_leaves)
    for index, value in enumerate(call.leaves.values[count:], count):
        names[f"a{index}"] = value
    _write_arguments(source, call)
    if within is not None:
        source.plan.append("extents")
    shortcuts = None
    if source.matcher is not None:
        is_written = [index in written for index in source.matched]
        shortcuts = names["shortcuts"] = Shortcuts(plans, source.matcher, is_written)
    exec(compile(_text(source, count), "<flydsl call stub>", "exec"), names)
    return Site(plans, pair, written, names["stub"], names["key"], current, shortcuts, source.current_stream)


def _write_arguments(source: StubSource, call: BoundCall) -> None:
    """What the arguments say: first where the stream comes from, which the rest may use."""
    variables = []
    for index, argument in enumerate(call.arguments):
        variables.append(f"a{index}")
        if argument.convert is not None:
            source.names[f"convert{index}"] = argument.convert
            source.converts.append(f"c{index} = convert{index}(a{index})")
            variables[index] = f"c{index}"
        argument.find_stream(source, index, variables[index])
    if source.current_stream is not None:
        source.names["current_stream"] = source.current_stream
        source.streams.append("(0 if device is None else current_stream(device))")
    for index, argument in enumerate(call.arguments):
        argument.write_stub(source, index, variables[index])


def _text(source: StubSource, count: int) -> str:
    params = ", ".join(f"a{index}" for index in range(count))
    everything = f"({params}{',' if count == 1 else ''})"
    key = _tuple([*source.keys, *source.signatures])
    guard = " or choice.pair is not pair" if source.names["pair"] is not None else ""
    guard += " or not is_current()" if source.names["is_current"] is not None else ""
    given = f"{params}{', ' if params else ''}"
    prepare = [f"    {line}" for line in (*source.converts, *source.holds)]
    lines = [
        f"def key({given}*, held=None):",
        *prepare,
        f"    return {key}",
        f"def stub({given}fresh=None, *, held=None):",
        *prepare,
        *_unserved(source, everything),
        *_explained(_find_plan(source, params, key), everything),
        f"    if plan is None{guard}:",
        "        if fresh is None:",
        f"            return miss({everything})",
        "        plan = fresh",
        f"    launch, table, module, ordinal, pack, device{''.join(', ' + name for name in source.plan)} = plan",
        *_read(source, everything),
        *([f"    stream = {' or '.join(source.streams)}"] if source.streams else []),
        *(f"    {line}" for line in source.before),
    ]
    if source.masks:
        wrong = f"{' | '.join(source.masks)} or not ({' and '.join(source.non_null)})"
        lines += [
            f"    if {wrong}:",
            f"        check({everything})",
            # the plan is for tensors that are aligned better than they must be
            f"        if fresh is None and {' | '.join(source.masks)}:",
            f"            return misaligned({everything})",
        ]
    launched = "launch("
    if source.names["within"] is not None:
        launched = f"within(({''.join(name + ', ' for name in source.addresses)}), extents, launch, "
    lines += [
        "    try:",
        f"        packed = pack({', '.join(source.packed)})",
        "    except (PackError, OverflowError, TypeError):",
        f"        check({everything})",
        "        raise",
        f"    code = {launched}table, module, ordinal, {source.stream_or(None)}, packed)",
        *_retain(source),
        "    if code:",
        "        fail(code)",
        *(f"    {expression.format(xs=', '.join(names))}" for expression, names in source.after.items()),
    ]
    return "\n".join(lines)


def _retain(source: StubSource) -> list[str]:
    """Lines that keep what is held, also when the launch has failed: it may have begun."""
    if not source.holds or source.names["retain"] is None:
        return []
    held = _tuple([line.partition(" ")[0] for line in source.holds])
    return [f"    retain(ordinal, {source.stream_or(0)}, {held})"]


def _read(source: StubSource, everything: str) -> list[str]:
    """Lines that read the arguments; a framework's error of a tensor without memory is explained."""
    if not source.reads:
        return []
    return _explained([f"    {line}" for line in source.reads], everything)


def _explained(lines: Sequence[str], everything: str) -> list[str]:
    """Lines that ask tensors; a framework's error of one that cannot be passed is explained."""
    return [
        "    try:",
        *(f"    {line}" for line in lines),
        "    except Exception:",
        f"        check({everything})",
        "        raise",
    ]


def _unserved(source: StubSource, everything: str) -> list[str]:
    """Lines that leave a call to whoever looks at it anew."""
    if not source.unserved:
        return []
    return [f"    if fresh is None and ({' or '.join(source.unserved)}):", f"        return miss({everything})"]


def _find_plan(source: StubSource, params: str, key: str) -> list[str]:
    """Lines that look for the plan: first among those whose tensors the framework compares in one call."""
    if source.matcher is None:
        return [f"    plan = plans.get({key})"]
    rest, tensors = _tuple(source.keys), ", ".join(source.matched.values())
    return [
        f"    known = shortcuts.get({rest}, ())",
        "    for match, plan in known:",
        f"        if match({tensors}):",
        "            break",
        "    else:",
        f"        plan = plans.get({key})",
        f"        if plan is not None and len(known) < {MOST}:",
        f"            shortcuts.add({rest}, ({tensors},), key, ({params},))",
    ]


def _tuple(items: Sequence[str]) -> str:
    return f"({''.join(item + ', ' for item in items)})"
