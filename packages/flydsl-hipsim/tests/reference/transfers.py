"""The last words of a load's or store's name in, how many bytes it moves and where in a register out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transfer:
    """`half` is where 16 bits go: empty for the whole register, then the rest is zero or a sign."""

    size: int
    signed: bool = False
    half: str = ""

    @property
    def words(self) -> int:
        return (self.size + 3) // 4

    def loaded(self, data: bytes, old: int) -> int:
        value = int.from_bytes(data, "little", signed=self.signed) & (1 << 32 * self.words) - 1
        if self.half:
            value &= 0xFFFF
            return old & 0xFFFF0000 | value if self.half == "low" else old & 0xFFFF | value << 16
        return value

    def stored(self, value: int) -> bytes:
        value >>= 16 * (self.half == "high")
        return (value & (1 << 8 * self.size) - 1).to_bytes(self.size, "little")


LOADS: dict[str, Transfer] = {}
STORES: dict[str, Transfer] = {}
for _words, _old in ((1, "dword"), (2, "dwordx2"), (3, "dwordx3"), (4, "dwordx4")):
    for _name in (_old, f"b{32 * _words}"):
        LOADS[_name] = STORES[_name] = Transfer(4 * _words)
for _old, _new, _size, _signed in (("ubyte", "u8", 1, False), ("sbyte", "i8", 1, True), ("ushort", "u16", 2, False),
                                   ("sshort", "i16", 2, True)):  # fmt: skip
    LOADS[_old] = LOADS[_new] = Transfer(_size, _signed)
for _old, _d16, _ds, _size, _signed in (
    ("ubyte_d16", "u8", "u8_d16", 1, False), ("sbyte_d16", "i8", "i8_d16", 1, True),
    ("short_d16", "b16", "u16_d16", 2, False),
):  # fmt: skip
    LOADS[_old] = LOADS[f"d16_{_d16}"] = LOADS[_ds] = Transfer(_size, _signed, "low")
    LOADS[f"{_old}_hi"] = LOADS[f"d16_hi_{_d16}"] = LOADS[f"{_ds}_hi"] = Transfer(_size, _signed, "high")
for _old, _new, _size in (("byte", "b8", 1), ("short", "b16", 2)):
    STORES[_old] = STORES[_new] = Transfer(_size)
    for _name in (f"{_old}_d16_hi", f"d16_hi_{_new}", f"{_new}_d16_hi"):
        STORES[_name] = Transfer(_size, half="high")
