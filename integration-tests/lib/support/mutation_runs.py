"""Runs of the conformance suite on a toy device with one thing wrong, to see which test finds it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from support.machine_mutants import MachineMutant
from support.mutants import Mutant, kind_of
from xdsl.ir import Operation

from flydsl.ir.fly.types import PointerType
from flydsl.ir.interpret import Address, Memory, machine, program
from flydsl.ir.interpret.handler import Action, Handler
from flydsl.ir.interpret.interpreter import HANDLERS

ACME = Path(__file__).parents[2] / "flydsl-acme" / "src"
PATIENCE_S = 10
"""After which a test that does not end counts as one that fails."""
LEFT_OUT = ("test_many_threads_launch_one_function",)
"""Tests whose launches are in other threads, where no signal ends them."""


class Case(NamedTuple):
    """A test of the suite with its parameters."""

    name: str
    call: Callable[[], None]


class Run(NamedTuple):
    """How a mutant ended: the test that fails and why, or nothing, and how many results it changed."""

    mutant: Mutant | MachineMutant
    killer: str
    changed: int

    @property
    def fate(self) -> str:
        """One of `killed`, `survived`, and `without effect` where no result was another one."""
        return "killed" if self.killer else "survived" if self.changed else "without effect"


class Laboratory:
    """The conformance suite of the toy backend, compiled once; mutants are of its interpreter."""

    def __init__(self) -> None:
        if str(ACME) not in sys.path:
            sys.path.insert(0, str(ACME))
        from flydsl.testing.suite import conformance

        self._suite = conformance("flydsl_acme.plugin", targets=("acme1",), devices=("acme1",))()
        self.cases = list(self._cases())
        self.kinds: dict[str, Operation] = {}
        self.users: dict[str, list[Case]] = {}

    def _cases(self) -> Iterator[Case]:
        from flydsl.testing.suite.launch import LaunchSuite
        from flydsl.testing.suite.numbers import NumberSuite
        from flydsl.testing.suite.threads import ThreadSuite

        for owner in (ThreadSuite, LaunchSuite, NumberSuite):
            for name, function in vars(owner).items():
                if name.startswith("test_") and name not in LEFT_OUT:
                    yield from self._with_parameters(name, function)

    def _with_parameters(self, name: str, function: Any) -> Iterator[Case]:
        tables = [mark.args for mark in getattr(function, "pytestmark", ()) if mark.name == "parametrize"]
        for values in product(*(table[1] for table in tables)):
            given = dict(zip((table[0] for table in tables), values, strict=True))
            label = f"{name}[{'-'.join(map(str, values))}]" if values else name
            yield Case(label, lambda given=given: getattr(self._suite, name)(**given))  # type: ignore[misc]

    @contextmanager
    def open(self, *names: str) -> Iterator[None]:
        """The plugin world of the suite, in which all tests pass, and where it is seen what each is made of.

        With `names` only tests whose names begin so take part.
        """
        self.cases = [case for case in self.cases if not names or case.name.startswith(names)]
        with patch.dict(os.environ, {"FLYDSL_RUNTIME_ENABLE_CACHE": "0"}), self._suite.bench.active("acme1"):
            self._look()
            yield

    def _look(self) -> None:
        for case in self.cases:
            seen: dict[str, Operation] = {}
            with self._machine(_recording(seen), ExitStack()):
                case.call()
            self.kinds |= seen
            for kind in seen:
                self.users.setdefault(kind, []).append(case)
                self.users.setdefault(kind.partition(" ")[0], []).append(case)

    def run(self, mutant: Mutant | MachineMutant, cases: Sequence[Case] = ()) -> Run:
        """Until the first test fails; by default of those that use what is wrong."""
        key = getattr(mutant, "kind", "") or mutant.operation
        mutant.changed = 0
        stack = ExitStack()
        if isinstance(mutant, MachineMutant):
            mutant.enter(stack)
        with self._machine(mutant.handlers(), stack):
            for case in cases or (self.users.get(key, ()) if key else self.cases):
                reason = _failure(case)
                if reason:
                    return Run(mutant, case.name, mutant.changed)
        return Run(mutant, "", mutant.changed)

    def case(self, start: str) -> Case:
        """The first test whose name starts so."""
        return next(case for case in self.cases if case.name.startswith(start))

    @contextmanager
    def _machine(self, handlers: dict[str, Handler], stack: ExitStack) -> Iterator[None]:
        """The interpreter with these handlers, also for kernels that are loaded, on memory with bounds."""
        from flydsl_acme.runtime import machine as acme

        launch_right, value_right = machine.Machine.launch, acme._value

        def launch(machine: Any, *arguments: Any) -> None:
            machine._programs.clear()
            launch_right(machine, *arguments)

        def value(type_: Any, data: bytes) -> Any:
            if not isinstance(type_, PointerType):
                return value_right(type_, data)
            address = int.from_bytes(data, "little")
            return Address(self._memory_at(address), address, type_.element)

        with stack:
            stack.enter_context(patch.object(machine, "HANDLERS", handlers))
            stack.enter_context(patch.object(program, "_INLINE", {}))
            stack.enter_context(patch.object(machine.Machine, "launch", launch))
            stack.enter_context(patch.object(acme, "_value", value))
            yield

    def _memory_at(self, address: int) -> Memory:
        """The allocation that an address is in, so that what goes beyond it is an error and no crash."""
        for block in list(self._suite.bench.runtime._memory.values()):
            base = ctypes.addressof(block)
            if base <= address < base + ctypes.sizeof(block):
                return Memory(memoryview(block).cast("B"), base)
        raise ValueError(f"{address:#x} is in no allocation")


def _recording(seen: dict[str, Operation]) -> dict[str, Handler]:
    def recorded(name: str) -> Handler:
        def handle(op: Operation) -> Action:
            seen.setdefault(kind_of(op), op)
            return HANDLERS[name](op)

        return handle

    return {name: recorded(name) for name in HANDLERS}


def _failure(case: Case) -> str:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"it has not ended after {PATIENCE_S} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE_S)
    try:
        case.call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return ""
