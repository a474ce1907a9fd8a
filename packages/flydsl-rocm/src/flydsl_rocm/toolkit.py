"""The toolkit folder that device code is linked against: `amdgcn/bitcode` of ROCm or of Debian."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from flydsl.base import settings
from flydsl_rocm.settings import rocm


def toolkit_folder() -> Path:
    """A folder in the cache with links to the device libraries, if there are any; made at the first use.

    Other device libraries have another folder: ROCM_PATH may change between processes that share a cache.
    """
    return _created(Path(settings.runtime.cache_dir), rocm.rocm_path)


@lru_cache(maxsize=8)
def _created(cache: Path, rocm_path: Path | None) -> Path:
    from flydsl_mlir.toolkit import create_toolkit, find_device_libraries

    digest = hashlib.sha256(str(find_device_libraries(rocm_path)).encode()).hexdigest()[:12]
    folder = cache / "toolkit" / f"amdgcn-{digest}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return create_toolkit(folder, rocm_path=rocm_path)
