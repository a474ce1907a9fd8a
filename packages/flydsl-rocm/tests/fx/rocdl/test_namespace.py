"""`fx.rocdl` as a namespace: the words of the contract are there, described, and load no compiler by themselves."""

from __future__ import annotations

import subprocess
import sys

import pytest

import flydsl.expr as fx

WORDS = [
    "BufferAtomic",
    "BufferAtomicAdd",
    "BufferAtomicMax",
    "BufferAtomicMin",
    "BufferAtomicPkAdd",
    "BufferCopy",
    "BufferCopy128b",
    "BufferCopy16b",
    "BufferCopy32b",
    "BufferCopy64b",
    "BufferCopy8b",
    "BufferCopyLDS",
    "BufferCopyLDS128b",
    "BufferCopyLDS32b",
    "MFMA",
    "SyncScope",
    "WMMA",
    "asyncmark",
    "buffer_load_to_lds",
    "cdna3",
    "cdna4",
    "cvt_pk_bf16_f32",
    "cvt_scalef32_pk_fp4_f32",
    "get_buffer_rsrc",
    "make_buffer_ptr",
    "inline_asm",
    "make_buffer_tensor",
    "mfma_f32_16x16x32_fp8_fp8",
    "raw_buffer_atomic",
    "rdna3",
    "rdna4",
    "s_waitcnt",
    "sched_dsrd",
    "sched_dswr",
    "sched_mfma",
    "sched_vmem",
    "universal.make_buffer_ptr",
    "wait_asyncmark",
]
CDNA4_WORDS = [
    "BufferLoadAsyncLDS",
    "BufferLoadAsyncLDS128b",
    "BufferLoadAsyncLDS32b",
    "BufferLoadAsyncLDS96b",
    "GlobalLoadAsyncLDS",
    "GlobalLoadAsyncLDS128b",
    "GlobalLoadAsyncLDS32b",
    "GlobalLoadAsyncLDS96b",
    "LDSReadTrans",
    "MFMAScale",
    "MFMA_Scale",
    "cvt_sr_f32_to_bf16",
]


def test_dir_shows_the_words_and_not_the_files_they_are_in() -> None:
    shown = dir(fx.rocdl)
    assert {"MFMA", "make_buffer_tensor", "cdna3", "universal"} <= set(shown)
    assert [name for name in shown if name in ("Any", "buffer", "emit", "chips") or name.startswith("_")] == []


@pytest.mark.parametrize("word", [*WORDS, *(f"cdna4.{word}" for word in CDNA4_WORDS)])
def test_a_word_of_the_contract_is_there_and_described(word):
    found = fx.rocdl
    for part in word.split("."):
        found = getattr(found, part)
    assert found.__doc__


def test_loading_the_words_loads_no_compiler():
    script = "import sys, flydsl.expr as fx; fx.rocdl.MFMA; print('xdsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_scopes_are_llvms_names():
    assert fx.rocdl.SyncScope.Agent == "agent"
    assert fx.rocdl.SyncScope.WorkgroupOneAs == "workgroup-one-as"


def test_masks_of_schedules_and_types_of_copies_have_their_names():
    masks = (fx.rocdl.mask_mfma, fx.rocdl.mask_vmem_rd, fx.rocdl.mask_dsrd, fx.rocdl.mask_dswr)
    assert masks == (0x8, 0x20, 0x100, 0x200)
    assert str(fx.rocdl.CopyOpCDNA3BufferCopyType(64)) == "!fly_rocdl.cdna3.buffer_copy<64>"


def test_what_is_no_operation_names_those_that_are_near():
    with pytest.raises(AttributeError, match="no 'mfma_f32_16x16x16f61'; did you mean mfma_f32_16x16x16f16"):
        fx.rocdl.mfma_f32_16x16x16f61
