"""Selection of the code object for a chip, from an ELF file or from clang's bundle of several."""

from __future__ import annotations

import re
import struct
import zlib
from contextlib import suppress
from importlib import import_module

from flydsl_hipsim.errors import CodeObjectError, OtherTargetError
from flydsl_hipsim.options import RDNA3

Bytes = bytes | memoryview

_ELF, _BUNDLE, _COMPRESSED = b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
_ENTRY = re.compile(r"(?!host-)[^-]+-amdgcn-amd-amdhsa-(?:[^-]*-)?(gfx.*)")
_MOST_ENTRIES, _MOST_NAME = 1024, 256
_EM_AMDGPU = 224
_ZLIB, _ZSTD = 0, 1
_HEADERS = {1: "<4xHHIQ", 2: "<4xHHIIQ", 3: "<4xHHQQQ"}
"""Of compressed bundles: version, method, from 2 on the size of the file, the size of what is in it, a hash."""
_SEGMENT_BYTES = 56
_EXECUTABLE = re.compile(r"gfx(90a|942|950|11\d\d|120\d|1250)")
"""Simulated chips and those with the same instructions."""
_GENERIC = {
    "gfx9-4-generic": ("gfx942", "gfx950"),
    "gfx11-generic": RDNA3,
    "gfx12-generic": ("gfx1200", "gfx1201"),
}
"""Simulated chips that execute what is made for a generic target."""


def select_image(data: Bytes, device: str = "") -> bytes:
    """The code object for `device`: a chip, with or without the state of features, `gfx942` or `gfx942:xnack-`.

    `data` may go on behind the image: HIP is told no size. Raises OtherTargetError when the code is for other chips,
    and where a bundle has code for several ones and no device is named; else CodeObjectError.
    """
    data = memoryview(data)
    if data[:4] == _COMPRESSED:
        data = memoryview(_decompressed(data))
    if data[: len(_BUNDLE)] == _BUNDLE:
        data = _from_bundle(data, device)
    elif data[:4] != _ELF:
        raise CodeObjectError("not a code object: neither an ELF file nor a bundle of them")
    return bytes(data[: _elf_size(data)])


def chips_of(target: str) -> tuple[str, ...]:
    """Chips that execute code for a target such as `gfx942:xnack-` or `gfx9-4-generic`."""
    name = target.partition(":")[0]
    return _GENERIC.get(name, (name,))


def is_executable(chip: str) -> bool:
    """Whether the engine knows the instructions of a chip, as it does of more chips than can be devices."""
    return bool(_EXECUTABLE.fullmatch(chip))


def fits(target: str, device: str) -> bool:
    """Whether code for `target` runs on the device: features that both name are in the same state."""
    chip, *state = device.split(":")
    stated = {feature[:-1]: feature for feature in state}
    return chip in chips_of(target) and all(stated.get(f[:-1], f) == f for f in target.split(":")[1:])


def _from_bundle(data: memoryview, device: str) -> memoryview:
    """Code for the chip itself rather than generic code."""
    entries = _entries(data)
    fitting = [target for target in entries if target and (not device or fits(target, device))]
    found = ", ".join(name for name, _, _ in entries.values()) or "nothing"
    if not fitting:
        raise OtherTargetError(f"the bundle has no code object for {device or 'an AMD GPU'}, only for {found}")
    if not device and len(fitting) > 1:
        raise OtherTargetError(f"the bundle has code for {', '.join(fitting)}: choose one of them with arch=")
    _, offset, size = entries[min(fitting, key=lambda target: not target.startswith(device.partition(":")[0]))]
    return _at(data, offset, max(size, 64))


def _entries(data: memoryview) -> dict[str, tuple[str, int, int]]:
    """By target, empty for the host's: name, offset and size of each entry."""
    at = len(_BUNDLE) + 8
    entries: dict[str, tuple[str, int, int]] = {}
    (count,) = struct.unpack("<Q", _at(data, len(_BUNDLE), 8))
    if count > _MOST_ENTRIES:
        raise CodeObjectError(f"the image is damaged: a bundle of {count} entries")
    for _ in range(count):
        offset, size, length = struct.unpack("<QQQ", _at(data, at, 24))
        name = bytes(_at(data, at + 24, length)[:_MOST_NAME]).decode(errors="replace")
        match = _ENTRY.fullmatch(name)
        entries.setdefault(match[1] if match else "", (name, offset, size))
        at += 24 + length
    return entries


def _decompressed(data: memoryview) -> bytes:
    version = struct.unpack("<H", _at(data, 4, 2))[0]
    if version not in _HEADERS:
        raise CodeObjectError(f"a compressed bundle of version {version}; {', '.join(map(str, _HEADERS))} are known")
    begin = struct.calcsize(_HEADERS[version])
    _, method, *sizes, _ = struct.unpack(_HEADERS[version], _at(data, 0, begin))
    size = sizes[-1]
    packed = _at(data, 0, sizes[0])[begin:] if version > 1 else data[begin:]
    try:
        made = _unpacked(packed, method, size)
    except CodeObjectError:
        raise
    except Exception as error:  # each library has an error of its own
        raise CodeObjectError(f"the image is damaged: its bundle cannot be decompressed: {error}") from error
    if len(made) != size:
        raise CodeObjectError(f"the image is damaged: a bundle of {size} bytes decompresses to {len(made)}")
    return made


def _unpacked(packed: memoryview, method: int, size: int) -> bytes:
    if method == _ZLIB:
        return zlib.decompressobj().decompress(packed, size + 1)
    if method != _ZSTD:
        raise CodeObjectError(f"a bundle compressed by method {method}; 0, zlib, and 1, zstd, are known")
    for name in ("compression.zstd", "zstandard"):  # Python 3.14 has the first
        with suppress(ImportError):
            decompressor = import_module(name).ZstdDecompressor()
            if name == "zstandard":
                decompressor = decompressor.decompressobj()
            return bytes(decompressor.decompress(bytes(packed)))
    raise CodeObjectError("the bundle is compressed by zstd: install zstandard, or compile with --no-offload-compress")


def _elf_size(data: memoryview) -> int:
    """The end of what the headers describe."""
    if struct.unpack("<H", _at(data, 18, 2))[0] != _EM_AMDGPU:
        raise CodeObjectError("not a code object: an ELF file for AMD GPUs is expected")
    segments, sections = struct.unpack("<QQ", _at(data, 0x20, 16))
    segment_bytes, count, section_bytes, section_count = struct.unpack("<HHHH", _at(data, 0x36, 8))
    if segment_bytes != _SEGMENT_BYTES:
        raise CodeObjectError(f"the image is damaged: segments of {segment_bytes} bytes")
    _at(data, sections, section_bytes * section_count)
    table = _at(data, segments, segment_bytes * count)
    end = max(sections + section_bytes * section_count, segments + segment_bytes * count)
    for _, _, offset, _, _, size, _, _ in struct.iter_unpack("<IIQQQQQQ", table):
        _at(data, offset, size)
        end = max(end, offset + size)
    return int(end)


def _at(data: memoryview, offset: int, size: int) -> memoryview:
    if offset + size > len(data):
        raise CodeObjectError(f"the image is damaged: {size} bytes at offset {offset} are not in memory")
    return data[offset : offset + size]
