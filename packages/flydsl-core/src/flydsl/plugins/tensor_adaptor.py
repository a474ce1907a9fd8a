"""The abstract base class `TensorAdaptor`: pointer, shape, strides, dtype and device of a framework's tensors.

dtypes and device kinds are DLPack's numbers, so that every float8 and float4 has a name without importing a framework.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class DType(NamedTuple):
    """DLPack data type: type code, bits of a lane, lanes."""

    code: int
    bits: int
    lanes: int = 1


class DeviceRef(NamedTuple):
    """DLPack device: the number of its kind (`DeviceKind` names them), and ordinal."""

    kind: int
    ordinal: int = 0


class TensorDesc(NamedTuple):
    """A validated view of a tensor: pointer as an integer, shape and strides in elements."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    device: DeviceRef
    read_only: bool = False

    def extent(self) -> tuple[int, int]:
        """Where the elements begin, in bytes from `pointer`, and the bytes from the first one's to the last one's."""
        size = max(1, self.dtype.bits // 8)
        if 0 in self.shape:
            return 0, 0
        reach = [(count - 1) * stride for count, stride in zip(self.shape, self.strides, strict=True)]
        low, high = sum(min(0, r) for r in reach), sum(max(0, r) for r in reach)
        return low * size, (high - low + 1) * size


Match = Callable[..., bool]
"""Whether as many tensors as it was made of are like them."""
Matcher = Callable[[Sequence[Any], Sequence[bool]], Match | None]
"""Makes a `Match` of tensors, of which these are written; None when one call cannot tell all that matters of them."""


@dataclass(frozen=True, slots=True)
class Inline:
    """Python source expressions that read a tensor in a generated call stub, with `{x}` for the tensor.

    `signature` has the value of `TensorAdaptor.signature`: one expression, or, which is faster, one for each item of
    the tuple that it is. `names` binds the globals that the expressions use.
    `written` is an expression run once after a launch on the framework's current stream, with `{xs}` for the
    comma-separated tensors it wrote; it stands for their `after_launch(..., written=True)`. Empty: nothing to run.
    `matcher` is for frameworks that compare all tensors of a call at once faster than they give their signatures: what
    it makes may only be true of tensors that differ in nothing but addresses, and of which none is refused.
    `unserved` are expressions that are true of a call that no stub may serve, such as one with a tensor that nothing
    else must be asked about; they come first. Where another expression raises an error, `describe` explains it.
    """

    pointer: str
    shape: str
    strides: str
    signature: str | tuple[str, ...]
    strides_in_bytes: bool = False
    written: str = ""
    matcher: Matcher | None = None
    unserved: tuple[str, ...] = ()
    names: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def items(self) -> tuple[str, ...]:
        """The expressions of `signature`."""
        return (self.signature,) if isinstance(self.signature, str) else self.signature

    @property
    def signature_text(self) -> str:
        """The expression with the value of `TensorAdaptor.signature`."""
        return self.signature if isinstance(self.signature, str) else f"({', '.join(self.signature)},)"


@dataclass(frozen=True, slots=True)
class ExchangeRead:
    """Tensors of a type with DLPack's C exchange API, `__dlpack_c_exchange_api__`, which describes each.

    That tells address, shape, strides, dtype and device. Of methods in `never` the answer must be False, and of tensors
    that are written the attributes in `never_written`; else a generated stub looks at the call.
    `shared` are DLPack dtypes that several dtypes of the framework have; its attribute `dtype` tells these apart.
    `state` is for a framework whose objects are C structs of a known layout: at an offset in bytes from the object's
    address stands another address, and at an offset from that a 64-bit word that tells tensors apart. A tensor with one
    of the bits in the third number is not described: a generated stub looks at the call before the API is asked.
    `idle` are addresses of C functions `bool f(uint32_t)` with their arguments: all must say no in the calling thread,
    else the framework watches its calls, and the stub looks.
    `steady` are items of dicts by name, such as those of modules, that must be these very objects.
    `written` is called after a launch with a tuple of the tensors that it wrote, for `after_launch`.
    With `streams` the API's `current_work_stream` gives what the adaptor's `current_stream` does, and is asked instead.
    """

    never: tuple[str, ...] = ()
    never_written: tuple[str, ...] = ()
    shared: tuple[DType, ...] = ()
    state: tuple[int, int, int] | None = None
    idle: tuple[tuple[int, int], ...] = ()
    steady: tuple[tuple[dict[str, Any], str, object], ...] = ()
    written: Callable[[tuple[Any, ...]], object] | None = None
    streams: bool = False


@dataclass(frozen=True, slots=True)
class HeaderRead:
    """Arrays in host memory that are C structs of a known layout: offsets of fields in bytes from the object's address.

    `data` is the address of the first element, `ndim` and `flags` are a C int, `shape` and `strides` point to as many
    64-bit integers, `dtype` to an object, mostly the same one for equal dtypes. `mask` has the flags that matter.
    """

    data: int
    ndim: int
    shape: int
    strides: int
    dtype: int
    flags: int
    mask: int


NativeRead = ExchangeRead | HeaderRead
"""How the native reader of `flydsl-reader` reads tensors of a type: it looks at what this names and at nothing else.

A tensor that the adaptor refuses must show there. Neither `before_launch` nor `after_launch` is called.
"""


CallRecorder = Callable[[Callable[..., None], tuple[Any, ...]], None]
"""Takes a @jit function and the arguments of a call by position, and records the call instead of making it."""


class TensorAdaptor(ABC):
    """Reads tensors of the types its manifest claims; synchronises only in `before_launch`, and holds no reference."""

    name: str
    """Adaptor name, as in the manifest."""

    inline: Inline | None = None
    """Expressions for generated stubs; None: the stub calls the methods."""

    read_only_advice: str = "pass a copy"
    """What to do instead of writing a tensor that is read-only, for the end of an error."""

    def native_read(self, cls: type[object]) -> NativeRead | None:
        """How `flydsl-reader`, where it is installed, reads tensors of exactly this type; None: not at all."""
        return None

    def hold(self, obj: Any) -> Any:
        """What stands for `obj` in one call, kept until its work on the device has ended; here `obj`, not kept.

        For objects that export their memory anew at each question. All methods take what this gives, and `obj` too.
        """
        return obj

    @abstractmethod
    def describe(self, obj: Any) -> TensorDesc:
        """The full, validated description; UnsupportedTensorError for a tensor that cannot be passed."""

    @abstractmethod
    def signature(self, obj: Any) -> Hashable:
        """Cheap value that determines everything in `describe(obj)` but the pointer."""

    @abstractmethod
    def pointer(self, obj: Any) -> int:
        """Address of the first element; cheap."""

    def current_stream(self, device: DeviceRef) -> int:
        """The framework's current stream on `device`; 0 is the runtime's default stream."""
        return 0

    def on_stream(self, stream: object) -> AbstractContextManager[object]:
        """A block whose work in the framework goes to `stream`, one of its streams or a handle; here no change."""
        return nullcontext()

    def is_capturing(self, device: DeviceRef) -> bool:
        """Whether launches on the current stream of `device` are being captured: no code is loaded then."""
        return False

    def recorder(self, obj: Any) -> CallRecorder | None:
        """What records a call with `obj`, when that only stands for a tensor while its framework traces."""
        return None

    def before_launch(self, obj: Any, stream: int, written: bool) -> None:  # noqa: B027 (most need nothing)
        """Wait for `obj` to be ready on `stream`, or refuse it: UnsupportedTensorError."""

    def after_launch(self, obj: Any, stream: int, written: bool) -> None:  # noqa: B027 (most need nothing)
        """Tell the framework that a launch used (and `written`: changed) `obj` on `stream`."""
