"""DLPack's numbers, as array libraries state them."""

from __future__ import annotations

import numpy as np

from flydsl.base.dlpack import HOST_KINDS, DeviceKind


def test_the_cpu_is_what_numpy_says_it_is() -> None:
    assert np.zeros(1).__dlpack_device__() == (DeviceKind.CPU, 0)
    assert DeviceKind.CPU in HOST_KINDS


def test_a_kind_prints_as_its_number_in_messages() -> None:
    assert f"{DeviceKind.ROCM} {sorted({DeviceKind.ROCM, DeviceKind.CPU})}" == "10 [1, 10]"


def test_memory_pinned_for_a_device_is_the_hosts() -> None:
    assert {kind.name for kind in HOST_KINDS} == {"CPU", "CUDA_HOST", "ROCM_HOST"}
