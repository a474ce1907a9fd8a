"""The device runtime `hipsim`: that of flydsl-rocm, on the simulator's HIP library."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError, NoDeviceError
from flydsl.plugins import CopyKind, DeviceStatus
from flydsl_hipsim.checks import CHECKS
from flydsl_hipsim.interrupts import interruptible, stop, wait
from flydsl_hipsim.plugin import KIND, NAME
from flydsl_hipsim.simulator import chosen_options, hip_functions, problem, running_options, start
from flydsl_rocm.runtime.device_runtime import HipRuntime
from flydsl_rocm.runtime.library import hip_library_path


class HipsimRuntime(HipRuntime):
    """Simulated AMD GPUs. Questions load nothing: a library once loaded would be HIP for all of the process.

    Waits are for Ctrl-C to interrupt: what runs on the devices is stopped then.
    """

    name = NAME
    kind = KIND
    checks_extents = True
    unloads_unused = True  # graphs keep the code of their kernels
    cost_unit = "wave instructions, 128-byte segments and bank conflicts (simulated)"

    def __init__(self) -> None:
        self._explained = threading.local()

    @cached_property
    def _table(self) -> ctypes.CDLL:
        try:
            if running_options() is None:
                start(chosen_options())
        except (FlyDSLError, OSError) as error:
            raise NoDeviceError(f"the simulator cannot be used: {error}") from None
        return super()._table

    def status(self) -> DeviceStatus:
        """Unavailable when it is not built, without hip-python, and beside another HIP."""
        if running_options() is not None:
            return super().status()
        try:
            why = problem()
            chosen_options()
            hip_library_path()
        except FlyDSLError as error:
            why = str(error)
        return DeviceStatus(not why, why)

    def device_count(self) -> int:
        """Simulated devices."""
        if running_options() is not None:
            return super().device_count()
        return len(chosen_options().archs) if self.status().available else 0

    def launch_within(
        self,
        addresses: tuple[int, ...],
        extents: tuple[tuple[int, int], ...],
        launch: Callable[..., int],
        *arguments: object,
    ) -> int:
        """Arrays of the host are written when it returns."""
        functions, packed = hip_functions(), arguments[-1]
        numbers = [number for at, (low, size) in zip(addresses, extents, strict=True) for number in (at + low, size)]
        ranges = (ctypes.c_uint64 * len(numbers))(*numbers)
        size = len(packed) if isinstance(packed, bytes) else 0
        functions.flysim_hip_arrays_begin(ranges, len(addresses), packed, size)
        try:
            code = launch(*arguments)
            waited = wait(functions.flysim_hip_arrays_wait)
            if waited and not code:
                self._explained.text = f"hipModuleLaunchKernel: {functions.hipGetErrorString(waited).decode()}"
            return code or waited
        except BaseException:  # the kernels must not run on when the arrays may be gone
            stop()
            raise
        finally:
            functions.flysim_hip_arrays_end()

    def cost(self, call: Callable[[], object]) -> float:
        """Wave instructions, segments of global memory and conflicts of LDS banks, as the profile counts them."""
        from flydsl_hipsim.report import profile

        _ = self._table  # starts the simulator
        before = running_options() or chosen_options()
        start(replace(before, check=before.check | CHECKS["profile"]))
        try:
            earlier = profile().cost
            call()
            interruptible(hip_functions().flysim_hip_wait)
            return float(profile().cost - earlier)
        finally:
            start(before)

    def free(self, pointer: int) -> None:
        """Waits for all devices."""
        interruptible(hip_functions().flysim_hip_wait)
        super().free(pointer)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """On stream 0 complete on return, on another stream enqueued, unless memory of the host is written."""
        if not stream or kind == CopyKind.DEVICE_TO_HOST:
            self._wait_for_stream(stream)
        super().copy(destination, source, nbytes, stream, kind)

    def synchronize_stream(self, stream: int) -> None:
        """Releases the GIL while it waits."""
        self._wait_for_stream(stream)
        super().synchronize_stream(stream)

    def synchronize_event(self, event: int) -> None:
        """Releases the GIL while it waits."""
        interruptible(partial(hip_functions().flysim_hip_wait_event, event))
        super().synchronize_event(event)

    def synchronize(self, ordinal: int) -> None:
        """Waits for all streams of one GPU."""
        interruptible(partial(hip_functions().flysim_hip_wait_device, ordinal))
        super().synchronize(ordinal)

    def _wait_for_stream(self, stream: int) -> None:
        interruptible(partial(hip_functions().flysim_hip_wait_stream, stream or None))

    def error_message(self, code: int) -> str:
        """HIP's text with the simulator's explanation; for a fault without source lines, how to get them."""
        text = self._explained.__dict__.pop("text", "") or super().error_message(code)
        if " in kernel '" not in text or settings.debug.enable_debug_info:
            return text
        return f"{text}; FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 adds the lines of the kernel"
