"""Python's signal handling during waits of the native library: what a signal handler raises ends the wait."""

from __future__ import annotations

import atexit
import ctypes

INTERRUPTED = 9
"""The library's error code for a wait that a signal handler ended; its exception is kept for the thread."""


class _PythonApi(ctypes.Structure):
    """The struct of interrupt.h: addresses of CPython's functions, and a function that does nothing."""

    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in ("ensure", "release", "check_signals", "call", "decrement", "fetch", "restore", "nothing")
    )


_FUNCTIONS = (
    *("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyObject_CallNoArgs", "Py_DecRef"),
    *("PyErr_Fetch", "PyErr_Restore"),
)


def _nothing() -> None:
    """What the interpreter runs to notice that it has something else to do first."""


def handle_signals(library: ctypes.CDLL) -> None:
    """Let threads that wait in the library handle Python's signals, until the interpreter ends."""
    addresses = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _FUNCTIONS]
    api = _PythonApi(*addresses, id(_nothing))
    library.flycpu_set_python(ctypes.byref(api))
    atexit.register(_stop_handling, library, api)


def _stop_handling(library: ctypes.CDLL, api: _PythonApi) -> None:
    """`api` is kept until now: the library read it."""
    library.flycpu_set_python(None)


def raise_interrupt(library: ctypes.CDLL) -> None:
    """Raise the exception that ended a wait of this thread."""
    with_lock = ctypes.PyDLL(None, handle=library._handle)
    with_lock.flycpu_raise_interrupt.restype = None
    with_lock.flycpu_raise_interrupt()
