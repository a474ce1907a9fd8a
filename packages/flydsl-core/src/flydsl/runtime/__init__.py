"""Loading and launching: devices, streams, events, buffers and kernels over the active device runtime."""

from __future__ import annotations

from flydsl.base.other_versions import SearchPath

__path__ = SearchPath(__path__, __name__)
