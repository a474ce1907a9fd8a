"""Code objects and their names in, clang's bundle out, compressed on request."""

from __future__ import annotations

import struct
from collections.abc import Callable


def bundled(images: dict[str, bytes]) -> bytes:
    """A table of offsets, sizes and ids, then the images."""
    header, place = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(images)), 4096
    for name, image in images.items():
        header += struct.pack("<QQQ", place, len(image), len(name)) + name.encode()
        place += len(image)
    return header.ljust(4096, b"\0") + b"".join(images.values())


def compressed(bundle: bytes, version: int, method: int, pack: Callable[[bytes], bytes]) -> bytes:
    """A header with the sizes, of the version's width, and a hash that nobody checks."""
    data, hash_ = pack(bundle), 0x1234
    begin = b"CCOB" + struct.pack("<HH", version, method)
    if version == 1:
        return begin + struct.pack("<IQ", len(bundle), hash_) + data
    sizes = "<IIQ" if version == 2 else "<QQQ"
    return begin + struct.pack(sizes, len(begin) + struct.calcsize(sizes) + len(data), len(bundle), hash_) + data
