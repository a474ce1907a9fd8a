"""The test bench behind the fixture `hipsim`: simulated devices with options, injected failures and reports."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from flydsl.backend.installed import renew_pair
from flydsl.base import settings
from flydsl.testing.sandbox import PluginSandbox
from flydsl_hipsim.checks import Check, check_bits
from flydsl_hipsim.images import chips_of
from flydsl_hipsim.installation import install
from flydsl_hipsim.options import CHIPS, Options
from flydsl_hipsim.settings import hipsim
from flydsl_hipsim.simulator import chosen_options, hip_functions, running_options, start

_TARGET = "FLYDSL_COMPILE_ARCH"
_OTHER_TARGETS = (_TARGET, "ARCH", "FLYDSL_GPU_ARCH", "HSA_OVERRIDE_GFX_VERSION")
_ARCHS = ("gfx942", *dict.fromkeys(("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx90a", *CHIPS)))


class HipsimBench:
    """What the fixture `hipsim` gives. Devices live as long as the process; everything else is put back."""

    def __init__(self, monkeypatch: Any) -> None:
        self._monkeypatch = monkeypatch
        self._exits = ExitStack()

    def __enter__(self) -> Self:
        self._exits.enter_context(PluginSandbox(installed=True))
        self._base = running_options() or (chosen_options() if hipsim.devices else Options(archs=_ARCHS))
        install(self._base.archs, memory_bytes=self._base.memory_bytes)
        start(self._base)
        self._functions = hip_functions()
        self._exits.callback(self._put_back)
        self._monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
        for variable in _OTHER_TARGETS:
            self._monkeypatch.delenv(variable, raising=False)
        self.use(self._base.archs[0])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._exits.close()

    @property
    def archs(self) -> tuple[str, ...]:
        """The chip of each device."""
        return self._base.archs

    def use(self, arch: str) -> None:
        """Make a device with this chip the current one of this thread: kernels are compiled for it.

        With features, as in `gfx1100:wavefrontsize64+`, they are compiled for these until the next call; and for a
        generic target, such as `gfx9-4-generic`, on the first device that executes its code.
        """
        chip = next((chip for chip in self.archs if chip in chips_of(arch)), None)
        if chip is None:
            raise ValueError(f"no device simulates {arch!r}: they are {', '.join(self.archs)}")
        self._functions.hipSetDevice(self.archs.index(chip))
        self._compile_for(arch if chip != arch else "")

    def _compile_for(self, arch: str) -> None:
        """Functions that were called before look for code again, as the pair becomes another object."""
        if settings.compile.arch == arch:
            return
        if arch:
            self._monkeypatch.setenv(_TARGET, arch)
        else:
            self._monkeypatch.delenv(_TARGET)
        renew_pair()

    def set_order(self, order: str) -> None:
        """Run the waves of later launches `forward`, `backward`, or `random:SEED`."""
        start(replace(self._running, order=order))

    def set_check(self, check: Check) -> None:
        """Check later launches: `races+waits`, `all`, `profile`, nothing."""
        start(replace(self._running, check=check_bits(check)))

    @property
    def _running(self) -> Options:
        return running_options() or self._base

    def fail_next(self, function: str, code: int, *, nth: int = 1) -> None:
        """Let the nth call from now of a function of HIP (`*`: of any) fail with an error code and do nothing."""
        if nth < 1 or not 1 <= code < 1 << 31:
            raise ValueError(
                f"cannot let call {nth!r} fail with code {code!r}: both are 1 or more, the code below 2^31"
            )
        if self._functions.flysim_hip_fail_next(function.encode(), nth, code):
            raise ValueError(f"no function {function!r} of HIP is there to fail")

    def clear_faults(self) -> None:
        """Forget the faults of all devices, whose memory stays as it is."""
        self._functions.flysim_hip_clear_faults()

    def calls(self) -> dict[str, int]:
        """How often each function of HIP was called in this process."""
        rows = (line.split() for line in self._text("flysim_hip_calls").splitlines())
        return {name: int(count) for name, count in rows if name.startswith("hip")}

    def report(self) -> list[str]:
        """Lines that begin with `misuse: ` or `leaked: `: what was done wrong, and what is not given back yet."""
        return self._text("flysim_hip_report").splitlines()

    def _text(self, function: str) -> str:
        find = getattr(self._functions, function)
        buffer = ctypes.create_string_buffer(find(None, 0) + (1 << 16))
        find(buffer, len(buffer))
        return buffer.value.decode(errors="replace")

    def _put_back(self) -> None:
        functions = self._functions
        functions.flysim_hip_fail_none()
        self.clear_faults()
        functions.flysim_hip_forget_misuses()
        functions.hipSetDevice(0)
        functions.hipGetLastError()
        start(self._base)
