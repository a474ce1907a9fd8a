"""Classes of NVIDIA's instructions and the widths of memory accesses, by name."""

from __future__ import annotations

import re

CLASSES = (
    *("float", "integer", "special", "uniform", "move", "tensor", "global", "shared", "local", "constant", "TMA"),
    *("barrier", "branch", "other"),
)
"""In the order of reports. `special` has MUFU, conversions and shuffles; `uniform` is what a warp executes once."""

_NAMES = {
    "tensor": "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA",
    "TMA": "UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH UBLKCP UBLKRED UBLKPF",
    "global": "LDG STG LD ST ATOM ATOMG RED REDG LDGSTS LDGDEPBAR CCTL CCTLL PREFETCH",
    "shared": "LDS STS LDSM STSM ATOMS REDS STAS",
    "local": "LDL STL",
    "constant": "LDC ULDC LDCU",
    "barrier": "BAR B2R MEMBAR FENCE ERRBAR SYNCS WARPSYNC NANOSLEEP DEPBAR WARPGROUP UCGABAR_ARV UCGABAR_WAIT ACQBULK "
    "PREEXIT WARPGROUPSET USETMAXREG",
    "branch": "BRA BRX BRXU JMP JMX CALL RET EXIT BSSY BSYNC BREAK BPT KILL RPCMOV YIELD",
    "special": "MATCH MUFU F2F F2I I2F F2FP I2FP FRND F2IP I2I SHFL S2R S2UR CS2R VOTE REDUX FLO POPC BREV R2UR R2P "
    "P2R VOTEU ELECT",
    "move": "MOV MOVM UMOV SEL PRMT",
    "float": "FADD FMUL FFMA FMNMX FSETP FSET FSEL FCHK FSWZADD HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2 DADD DMUL DFMA "
    "DSETP DMNMX FADD32I FMUL32I FFMA32I FADD2 FMUL2 FFMA2",
    "integer": "IADD3 IADD IMAD IMUL IABS ISETP IMNMX LEA LOP LOP3 SHF SHL SHR VIADD VIADDMNMX VIMNMX VIMNMX3 PLOP3 "
    "BMSK SGXT IDP IDP4A ISCADD LOP32I IADD32I PSETP XMAD VABSDIFF VABSDIFF4",
}
_CLASS = {name: kind for kind, names in reversed(_NAMES.items()) for name in names.split()}
_ACCESSES = {
    **{"LDG": "global load", "LD": "global load", "STG": "global store", "ST": "global store"},
    **{"LDS": "shared load", "STS": "shared store", "LDSM": "shared load", "STSM": "shared store"},
    **{"LDL": "local load", "STL": "local store", "LDGSTS": "global to shared"},
}
_SIZE = re.compile(r"\.(?:[US]?(8|16|32|64|128|256)|MT?88\.(\d)|MT?88)(?=\.|$)")
_WORD = 32


def class_of(name: str) -> str:
    """One of CLASSES; of uniform forms (ULOP3, UIADD3) `uniform`."""
    stem = name.partition(".")[0]
    found = _CLASS.get(stem)
    if found is None:
        return "uniform" if stem.startswith("U") and stem != "UNDEF" else "other"
    return "uniform" if stem == "UMOV" else found


def access_of(name: str) -> tuple[str, int] | None:
    """What a memory instruction does, such as `global load`, and how many bits a thread moves; None for others."""
    what = _ACCESSES.get(name.partition(".")[0])
    if what is None:
        return None
    sizes = [int(bits) if bits else _WORD * int(count or 1) for bits, count in _SIZE.findall(name)]
    return what, sizes[-1] if sizes else _WORD
