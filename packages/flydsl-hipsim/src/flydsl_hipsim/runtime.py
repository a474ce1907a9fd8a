"""The device runtime `hipsim`: that of flydsl-rocm, on the simulator's HIP library."""

from __future__ import annotations

import ctypes
from functools import cached_property

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError, NoDeviceError
from flydsl.plugins.device_runtime import DeviceStatus
from flydsl_hipsim.plugin import KIND, NAME
from flydsl_hipsim.simulator import chosen_options, problem, running_options, start
from flydsl_rocm.runtime.device_runtime import HipRuntime
from flydsl_rocm.runtime.library import hip_library_path


class HipsimRuntime(HipRuntime):
    """Simulated AMD GPUs. Questions load nothing: a library once loaded would be HIP for all of the process."""

    name = NAME
    kind = KIND

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

    def error_message(self, code: int) -> str:
        """HIP's text with the simulator's explanation; for a fault without source lines, how to get them."""
        text = super().error_message(code)
        if " in kernel '" not in text or settings.debug.enable_debug_info:
            return text
        return f"{text}; FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 adds the lines of the kernel"
