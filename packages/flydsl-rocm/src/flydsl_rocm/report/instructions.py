"""Classes of AMD's instructions and the widths of memory accesses, by mnemonic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

CLASSES = ("VALU", "SALU", "matrix", "VMEM", "LDS", "SMEM", "wait", "branch", "barrier", "other")
"""In the order of reports. VMEM has scratch as well; `other` is what only steers the pipeline, and the end."""

_PREFIXES = {
    "v_mfma_": "matrix", "v_smfmac_": "matrix", "v_wmma_": "matrix", "v_swmmac_": "matrix", "v_": "VALU", "ds_": "LDS",
    "global_": "VMEM", "flat_": "VMEM", "buffer_": "VMEM", "tbuffer_": "VMEM", "scratch_": "VMEM", "image_": "VMEM",
    "tensor_": "VMEM", "cluster_": "VMEM", "s_load_": "SMEM", "s_buffer_": "SMEM", "s_store_": "SMEM",
    "s_scratch_": "SMEM", "s_atomic_": "SMEM", "s_dcache_": "SMEM", "s_prefetch_": "SMEM", "s_mem": "SMEM",
    "s_wait_alu": "other", "s_waitcnt_depctr": "other", "s_wait": "wait", "s_barrier": "barrier", "s_branch": "branch",
    "s_cbranch_": "branch", "s_setpc": "branch", "s_swappc": "branch", "s_call": "branch", "s_subvector": "branch",
    "s_nop": "other", "s_delay_alu": "other", "s_endpgm": "other", "s_set": "other", "s_sleep": "other",
    "s_sendmsg": "other", "s_clause": "other", "s_inst_prefetch": "other", "s_code_end": "other", "s_icache": "other",
    "s_trap": "other", "s_sched": "other", "s_": "SALU",
}  # fmt: skip
_SET_SALU = re.compile(r"s_(?:setprio|setreg|set_vgpr_msb|set_gpr_idx|setkill)")
_WIDTHS = {"byte": 8, "short": 16, "ubyte": 8, "sbyte": 8, "ushort": 16, "sshort": 16}
_SIZE = re.compile(r"_(?:dwordx?(\d*)|(?:[biuf])(\d+)|([us]?byte|[us]?short))(?=_|$)")
_MEMORIES = {"global": "global", "flat": "flat", "buffer": "buffer", "tbuffer": "buffer", "scratch": "scratch"}


class Listed(NamedTuple):
    """One instruction of a listing: `label` starts a block at it, `operands` are its text behind the mnemonic."""

    label: str
    name: str
    operands: str


def listing(text: str) -> Iterator[Listed]:
    """The instructions of a disassembly."""
    label = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            label = line[:-1]
        elif body := line.split("//")[0].strip():
            name, _, operands = body.partition(" ")
            yield Listed(label, name, operands.strip())
            label = ""


def class_of(name: str) -> str:
    """One of CLASSES."""
    if name.startswith("s_set") and not _SET_SALU.match(name) and not name.startswith("s_setpc"):
        return "SALU"
    return next((kind for prefix, kind in _PREFIXES.items() if name.startswith(prefix)), "other")


def access_of(name: str) -> tuple[str, int] | None:
    """What a memory instruction does, such as `global load`, and how many bits a thread moves; None for others."""
    first = name.split("_", 1)[0]
    if first == "ds":
        direction = "store" if re.match(r"ds_(?:write|store)", name) else "load"
        return (f"LDS {direction}", _bits(name)) if re.match(r"ds_(?:write|store|read|load)", name) else None
    if first not in _MEMORIES or "atomic" in name:
        return None
    direction = "load" if "_load" in name else "store" if "_store" in name else ""
    return (f"{_MEMORIES[first]} {direction}", _bits(name)) if direction else None


def _bits(name: str) -> int:
    """The first size that the name has: `ds_read_b64_tr_b16` 64, `ds_read2st64_b32` two times 32."""
    size = _SIZE.search(name)
    if size is None:
        return 0
    dwords, width, word = size.groups()
    bits = _WIDTHS[word] if word else int(width) if width else 32 * int(dwords or 1)
    return 2 * bits if re.search(r"(?:read|write|load|store)_?2", name) else bits
