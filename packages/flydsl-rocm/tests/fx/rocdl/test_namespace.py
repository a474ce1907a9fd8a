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
    "cdna3",
    "cdna4",
    "get_buffer_rsrc",
    "make_buffer_ptr",
    "make_buffer_tensor",
    "rdna3",
    "rdna4",
    "s_waitcnt",
    "sched_dsrd",
    "sched_dswr",
    "sched_mfma",
    "sched_vmem",
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
