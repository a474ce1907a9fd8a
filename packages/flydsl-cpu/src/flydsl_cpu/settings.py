"""Environment variables of the CPU runtime."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, integer


class CpuSettings(Group):
    """`flydsl_cpu.settings.cpu`."""

    threads = integer(
        "FLYDSL_CPU_THREADS",
        default=0,
        low=0,
        high=1024,
        meaning="worker threads of the `cpu` runtime; 0: as many as the process may use",
    )
    shared_bytes = integer(
        "FLYDSL_CPU_SHARED_BYTES",
        default=64 * 1024,
        low=0,
        high=1 << 30,
        meaning="shared memory of a block on the `cpu` runtime",
    )


cpu = CpuSettings(os.environ)
