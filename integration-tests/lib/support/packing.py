"""The packed form of a launcher's arguments, for tests that call it without a stub."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from flydsl.toolchain.slots import Slot


def packed(slots: Sequence[Slot], *values: object) -> bytes:
    """All values in one block, each slot aligned to 8 bytes."""
    parts = [slot.format + "x" * (-slot.size % 8) for slot in slots]
    return struct.pack("<" + "".join(parts), *values)
