"""Options of the simulator, such as `gfx942,devices=2,order=random:7,report`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flydsl_hipsim.checks import Check, check_bits

_CDNA, _RDNA4 = ("gfx90a", "gfx942", "gfx950"), ("gfx1200", "gfx1201")
RDNA3 = ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153")
CHIPS = (*_CDNA, *RDNA3, *_RDNA4, "gfx1250")
"""Chips that can be simulated."""

ORDERS = ("forward", "backward", "random")
"""Orders in which the waves of a workgroup run."""

_DEFAULT = ("gfx942",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The devices of a process and how kernels run on them.

    `archs` has one chip for each device. `order` is one of ORDERS, `random:SEED` for a reproducible one. `check` holds
    bits of `flydsl_hipsim.checks`; bounds are always checked. `threads` 0 means every processor, `memory_bytes` 0 the
    memory of this machine. `report` prints leaks and misuses when the process ends.
    """

    archs: tuple[str, ...] = _DEFAULT
    order: str = "forward"
    check: int = 0
    threads: int = 0
    memory_bytes: int = 0
    report: bool = False

    def __post_init__(self) -> None:
        for arch in self.archs:
            if arch not in CHIPS:
                raise ValueError(f"no chip {arch!r} can be simulated, known: {', '.join(CHIPS)}")
        name, separator, seed = self.order.partition(":") if isinstance(self.order, str) else ("", "", "")
        if name not in ORDERS or (separator and not (name == "random" and seed.isdecimal())):
            raise ValueError(f"order is {self.order!r}, expected forward, backward, random or random:SEED")
        for name, number, bits in (("threads", self.threads, 32), ("memory", self.memory_bytes, 64)):
            if not isinstance(number, int) or not 0 <= number < 1 << bits:
                raise ValueError(f"{name} is {number!r}, expected an integer from 0 to 2^{bits} - 1")

    @classmethod
    def of(cls, arch: str | Sequence[str], devices: int, *, check: Check = 0, **others: object) -> Options:
        """For `install`: one chip for `devices` devices, or a chip for each."""
        if not isinstance(devices, int) or not isinstance(arch, Sequence):
            raise ValueError(f"{devices!r} devices of {arch!r}: expected a number, and a chip or a list of chips")
        archs = (arch,) * devices if isinstance(arch, str) else tuple(arch)
        if not archs or (not isinstance(arch, str) and devices not in (1, len(archs))):
            raise ValueError(f"{devices!r} devices of {arch!r}: name one chip, or one for each device")
        return cls(archs=archs, check=check_bits(check), **others)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, text: str) -> Options:
        """From FLYDSL_HIPSIM, a comma list: chips, `report`, and `name=value`."""
        entries = [entry.strip() for entry in text.split(",") if entry.strip()]
        archs = tuple(entry for entry in entries if entry.startswith("gfx"))
        found, devices = cls(archs=archs or _DEFAULT, report="report" in entries), 1
        for entry in entries:
            name, separator, value = entry.partition("=")
            if name == "devices":
                devices = _number(name, value, 1)
            elif separator:
                found = _with(found, name, value)
            elif entry not in archs and entry != "report":
                raise ValueError(f"unknown option {entry!r}, expected a chip, report or name=value")
        return replace(found, archs=found.archs * devices)

    @property
    def order_number(self) -> int:
        """As the engine counts orders."""
        return ORDERS.index(self.order.partition(":")[0])

    @property
    def seed(self) -> int:
        """Of a random order; 0 when none is given."""
        return int(self.order.partition(":")[2] or 0)


def _number(name: str, value: str, least: int = 0) -> int:
    if not value.isdecimal() or int(value) < least:
        raise ValueError(f"{name} is {value!r}, expected a number" + (f" from {least} on" if least else ""))
    return int(value)


_FIELDS: dict[str, Callable[[Options, str], Options]] = {
    "order": lambda options, value: replace(options, order=value),
    "check": lambda options, value: replace(options, check=check_bits(value)),
    "threads": lambda options, value: replace(options, threads=_number("threads", value)),
    "memory": lambda options, value: replace(options, memory_bytes=_number("memory", value)),
}


def _with(options: Options, name: str, value: str) -> Options:
    if name not in _FIELDS:
        raise ValueError(f"unknown option {name!r}, expected devices, {', '.join(_FIELDS)}")
    return _FIELDS[name](options, value)
