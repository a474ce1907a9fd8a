"""Slots of classes: the attributes that instances hold outside of a `__dict__`."""

from __future__ import annotations

import types


def slots(cls: type) -> list[str]:
    """The names of all slots, those of bases first, private ones as they are stored."""
    return [
        key
        for base in reversed(cls.__mro__)
        for key, value in base.__dict__.items()
        if isinstance(value, types.MemberDescriptorType)
    ]
