"""The one exception tree: each error a user can cause is a `FlyDSLError` and the builtin that a caller would guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from flydsl.base.wording import with_article

if TYPE_CHECKING:
    from flydsl.base.location import Location

_Error = TypeVar("_Error", bound="FlyDSLError")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of a tool, with where it points: 1-based line and column, 0 when unknown."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        if where in self.message:  # as LLVM has it
            where = ""
        return f"{where}{self.severity}: {self.message}"


class FlyDSLError(Exception):
    """Base of every error that this project raises on purpose.

    `location` is the user's line when it is known, `callers` the lines that called its function, the nearest first.
    """

    location: Location | None = None
    callers: Sequence[Location] = ()

    def __init__(self, *args: object, location: Location | None = None) -> None:
        super().__init__(*args)
        if location is not None:
            self.location = location

    def amend(self, *, before: str = "", after: str = "") -> None:
        """Put text before and after the message."""
        message, *rest = self.args
        self.args = (f"{before}{message}{after}", *rest)

    def __reduce__(self) -> tuple[Any, ...]:
        """All data goes to another process: what cannot, such as a value of a trace, goes as its text."""
        return _remade, (type(self), self.args, {name: _portable(value) for name, value in vars(self).items()})

    def __copy__(self) -> Self:
        return _remade(type(self), self.args, vars(self))

    def __str__(self) -> str:
        message = BaseException.__str__(self)  # ImportError keeps the text of its constructor
        if self.location is None:
            return message
        return "\n".join([self.location.describe(message), *(f"  called from {caller}" for caller in self.callers)])


class SettingError(FlyDSLError, ValueError):
    """A setting (environment variable) holds a value outside its type."""


class LayoutError(FlyDSLError, ValueError):
    """A layout operation was asked for something inadmissible: names the op, operands and the violated condition."""

    def __init__(self, op: str, operands: Sequence[object], condition: str) -> None:
        self.op, self.operands, self.condition = op, tuple(operands), condition
        super().__init__(f"{op}({', '.join(map(shown, operands))}): {condition}")


class ModeError(LayoutError, IndexError):
    """A mode that a tuple, layout or tile does not have."""


def shown(operand: object, spell: Callable[[object], str] = str) -> str:
    """An operand as a message shows it: shortened when it is long, whatever it is."""
    try:
        text = spell(operand)
    except KeyboardInterrupt:
        raise
    except BaseException:  # nested too deeply, an integer of thousands of digits, or what a user's object raises
        return f"{with_article(type(operand).__name__)} too large to show"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]} ... {text[-15:]}"


_LONGEST = 400


def text_of(error: BaseException) -> str:
    """The class and the text of a stranger's error, also where it has no text that can be had."""
    try:
        text = str(error)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    except KeyboardInterrupt:
        raise
    except BaseException as another:
        return f"{type(error).__name__}, whose text cannot be shown ({type(another).__name__})"


class IRError(FlyDSLError, ValueError):
    """IR that does not parse or does not verify; `diagnostic` says what and where, for tools, when that is known."""

    def __init__(self, message: str, diagnostic: Diagnostic | None = None, *, location: Location | None = None) -> None:
        self.diagnostic = diagnostic
        super().__init__(message, location=location)


class FrontendError(FlyDSLError, TypeError):
    """A traced function does something that its values do not allow; the message shows the user's line."""

    is_condition: bool = False
    """Whether a value was asked for its truth, which rewritten code does not do."""


class OperandError(FrontendError, ValueError):
    """An operand of the right kind whose value, name or shape a function does not take."""


class FrozenRecordError(FrontendError, FrozenInstanceError):
    """A field of a record is assigned or deleted."""


class NoTraceError(FrontendError, RuntimeError):
    """Something that becomes device code is used where no function is traced."""


class DynamicValueError(FrontendError, RuntimeError):
    """Python needs a number, and the value is known only when the kernel runs."""


class UnsupportedConstructError(FrontendError):
    """A Python construct that the tracer cannot take."""


class SourceUnavailableError(FrontendError):
    """The source of a function is needed and cannot be read."""


class ArgumentError(FlyDSLError, TypeError):
    """A call passes an argument whose Python type no adaptor or annotation accepts."""


class UnsupportedTensorError(ArgumentError):
    """A tensor whose dtype, device or form (read-only output, sparse, fake, ...) cannot be passed."""


class ShapeError(FlyDSLError, ValueError):
    """A tensor whose shape or stride breaks the static layout or divisibility it was declared with."""


class UnsupportedTransformError(FlyDSLError, NotImplementedError):
    """A framework's transformation (a derivative, a batch) that a kernel function was not said to have."""


class UnimplementedError(FlyDSLError, NotImplementedError):
    """A choice that has a name and no implementation."""


class CompileError(FlyDSLError, RuntimeError):
    """A stage of the compile pipeline failed; `kernel` is the one it failed for, when one alone is to blame."""

    def __init__(self, *args: object, kernel: str = "", location: Location | None = None) -> None:
        self.kernel = kernel
        super().__init__(*args, location=location)


class ToolchainError(CompileError):
    """The native toolchain rejected a module; `diagnostics` holds what it said, `symbols` the functions it named."""

    def __init__(
        self, message: str, diagnostics: Sequence[Diagnostic] = (), *, symbols: Sequence[str] = (), kernel: str = ""
    ) -> None:
        self.diagnostics, self.symbols = tuple(diagnostics), tuple(symbols)
        super().__init__("\n".join([message, *(f"  {d}" for d in self.diagnostics)]), kernel=kernel)


class LlvmPassError(ToolchainError):
    """A custom LLVM pass cannot be run: a bad name, place or plugin, or a pass that crashed or made invalid code."""


class ToolchainMissingError(ToolchainError):
    """A part of the toolchain (module, linker, device library) is not installed; the message says what to install."""


class UnsupportedTargetError(CompileError, ValueError):
    """A backend was asked for an architecture it does not know."""


class UnknownBackendError(FlyDSLError, ValueError):
    """No compile backend of that id is registered; the message lists those that are."""


class UnknownRuntimeError(FlyDSLError, ValueError):
    """No device runtime of that kind or name is registered."""


class DuplicateNameError(FlyDSLError, ValueError):
    """A backend, runtime or adaptor of that name exists already."""


class IncompatiblePluginError(FlyDSLError, ImportError):
    """A plugin was made for another version of the plugin API."""


class PluginValueError(FlyDSLError, TypeError):
    """A plugin gave a value that the plugin API does not allow; the message names plugin, distribution and version."""


class PluginFactoryError(FlyDSLError, RuntimeError):
    """A plugin declares a backend, runtime or adaptor whose factory does not make it; the message names the plugin."""


class NoBackendError(FlyDSLError, RuntimeError):
    """No compile backend can be chosen; the message lists what is installed and why the rest is unavailable."""


class PairMismatchError(FlyDSLError, RuntimeError):
    """A compile backend and a device runtime that do not belong together."""


class RuntimeStackError(FlyDSLError, RuntimeError):
    """A second runtime stack in one process, or a runtime replaced after device work began."""


class LibraryMissingError(FlyDSLError, OSError):
    """A native library that a runtime needs is not built or cannot be loaded; the message says what to reinstall."""


class NoDeviceError(FlyDSLError, RuntimeError):
    """Device work was asked for and the runtime has no device; the message gives its reason."""


class RuntimeFailure(FlyDSLError, RuntimeError):
    """A driver or runtime call failed; `code` is the runtime's own error code, `kernel` the one that was launched."""

    def __init__(self, message: str, code: int = 0, kernel: str = "") -> None:
        self.code, self.kernel = code, kernel
        super().__init__(message)


class CacheOnlyError(FlyDSLError, RuntimeError):
    """Compiling is forbidden by FLYDSL_RUNTIME_RUN_ONLY and the cache has no entry."""


class KernelError(FlyDSLError, RuntimeError):
    """The interpreter found a kernel doing what has no defined result; `kernel`, `block` and `thread` say which one."""

    kernel: str = ""
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()


class OutOfBoundsError(KernelError, IndexError):
    """An access outside of a tensor, an allocation of shared memory, or a register tensor."""


class UninitializedReadError(KernelError):
    """Something was decided by, or written to a tensor from, memory that nobody has written."""


class DataRaceError(KernelError):
    """Two threads access the same memory, at least one of them writes, and nothing orders them.

    `other` tells of the access before, with its line.
    """

    other: str = ""

    def __str__(self) -> str:
        message = super().__str__()
        if not self.other:
            return message
        return f"{message}\nand nothing orders that with: {self.other}; within a block a barrier does, fx.barrier()"


class SynchronizationError(KernelError):
    """Threads of a block wait at different barriers, or for something that will not happen."""


class AbstractTypeError(FrontendError, AttributeError):
    """An abstract class of numbers, such as Float, was used as a type: it has none of the attributes of a type."""


class MissingThreadsWarning(RuntimeWarning):
    """A block has fewer threads than a tiled copy or MMA that it executes: some of its parts are left out."""


class OutOfRangeWarning(RuntimeWarning):
    """A number in a program does not fit in the type that it is given: an integer wraps, a float overflows."""


class UnwatchedValueWarning(RuntimeWarning):
    """A function reads a value whose changes nothing can notice, so that it is traced at each call."""


def _remade(cls: type[_Error], args: tuple[Any, ...], state: Mapping[str, Any]) -> _Error:
    """An error as it was, past its constructor, which may take other arguments."""
    error = cls.__new__(cls, *args)
    builtin: Any = next(base for base in cls.__mro__ if base.__module__ == "builtins")
    builtin.__init__(error, *args)
    vars(error).update(state)
    return error


def _portable(value: Any) -> Any:
    """`value`, or its text when another process cannot have it."""
    import pickle

    if type(value) is tuple:
        return tuple(map(_portable, value))
    try:
        pickle.dumps(value)
    except Exception:
        return str(value)
    return value
