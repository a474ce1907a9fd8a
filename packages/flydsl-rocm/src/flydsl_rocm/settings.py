"""Environment variables that say what the device and its toolkit are."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, path, text


class RocmSettings(Group):
    """`flydsl_rocm.settings.rocm`."""

    gpu_arch = text("FLYDSL_GPU_ARCH", meaning="architecture to report as detected")
    gfx_version = text("HSA_OVERRIDE_GFX_VERSION", meaning="version `major.minor.step` to report as detected")
    rocm_path = path("ROCM_PATH", default=lambda: None, meaning="folder of the device toolkit")


rocm = RocmSettings(os.environ)
