"""Threads of the library's own, which a program that counts or lists its threads does not see."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable


def start_hidden(run: Callable[[], object]) -> None:
    """Run in a new thread that `threading` does not list, and that ends with the process: a kernel may read the list
    while it is traced, and would compute with what was listed then. Tools that trace threads see it."""
    _thread.start_new_thread(_traced, (run,))


def _traced(run: Callable[[], object]) -> None:
    sys.settrace(threading.gettrace())
    sys.setprofile(threading.getprofile())
    run()
