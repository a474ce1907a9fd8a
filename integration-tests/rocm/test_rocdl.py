"""Every word of `fx.rocdl` by the instruction it becomes on targets that have it; other targets refuse it by name."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

CDNA = ("gfx90a", "gfx942", "gfx950")
CDNA3 = ("gfx942", "gfx950")
RDNA = ("gfx1100", "gfx1201")
ALL = (*CDNA, *RDNA)


def isa_of(body, arch: str, backend: str = "rocm") -> str:
    """The instructions of a kernel of 256 threads; `body(i, x[i])` returns what thread i stores."""

    @flyc.kernel
    def word(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        result = body(i, x[i])
        if fx.const_expr(result is not None):
            y[i] = fx.Float32(result)

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        word(x, y).launch(grid=1, block=256)

    x = np.zeros(256, np.float32)
    artifact = launch.trace(x, x, arch=arch, backend=backend).lower().compile()
    return artifact.disassemble()


def value(word):
    """A word of one f32."""
    return lambda i, x: getattr(fx.rocdl, word)(x)


def effect(word, *arguments):
    """A word without result."""

    def body(i, x):
        getattr(fx.rocdl, word)(*arguments)

    return body


WORDS = {
    "exp2": (value("exp2"), ALL, "v_exp_f32"),
    "log": (value("log"), ALL, "v_log_f32"),
    "rcp": (value("rcp"), ALL, "v_rcp_f32"),
    "rsq": (value("rsq"), ALL, "v_rsq_f32"),
    "sqrt": (value("sqrt"), ALL, "v_sqrt_f32"),
    "sin": (value("sin"), ALL, "v_sin_f32"),
    "cos": (value("cos"), ALL, "v_cos_f32"),
    "fmed3": (lambda i, x: fx.rocdl.fmed3(x, 0.25, 0.75), ALL, "v_med3_"),
    "tanh": (value("tanh"), ("gfx1250",), "v_tanh_f32"),
    "readfirstlane": (value("readfirstlane"), ALL, "v_readfirstlane_b32"),
    "readlane": (lambda i, x: fx.rocdl.readlane(x, 5), ALL, "v_readlane_b32"),
    "ds_bpermute": (lambda i, x: fx.rocdl.ds_bpermute(i * 4, x), ALL, "ds_bpermute_b32"),
    "ds_swizzle": (lambda i, x: fx.rocdl.ds_swizzle(x, 0x401F), ALL, "ds_swizzle_b32"),
    "ballot": (lambda i, x: fx.rocdl.ballot(x > 0.0), ALL, "v_cmp_"),
    "update_dpp": (lambda i, x: fx.rocdl.update_dpp(x, x, 0x111, 15, 15, True), ALL, "row_shr:1"),
    "permlane16_swap": (lambda i, x: fx.rocdl.permlane16_swap(i, i)[0], ("gfx950",), "v_permlane16_swap_b32"),
    "permlane32_swap": (lambda i, x: fx.rocdl.permlane32_swap(i, i, False, False)[1], ("gfx950",), "v_permlane32_swap"),
    "permlanex16": (lambda i, x: fx.rocdl.permlanex16(x, x, 1, 2, False, False), RDNA, "v_permlanex16_b32"),
    "perm_b32": (lambda i, x: fx.rocdl.perm_b32(i, i + 1, 0x05040100), ALL, "v_perm_b32"),
    "cvt_pk_fp8_f32": (lambda i, x: fx.rocdl.cvt_pk_fp8_f32(x, x, 0, False), (*CDNA3, "gfx1201"), "v_cvt_pk_fp8_f32"),
    "cvt_pk_bf8_f32": (lambda i, x: fx.rocdl.cvt_pk_bf8_f32(x, x, i, True), (*CDNA3, "gfx1201"), "v_cvt_pk_bf8_f32"),
    "cvt_sr_fp8_f32": (lambda i, x: fx.rocdl.cvt_sr_fp8_f32(x, i, 0, 2), (*CDNA3, "gfx1201"), "v_cvt_sr_fp8_f32"),
    "cvt_sr_bf8_f32": (lambda i, x: fx.rocdl.cvt_sr_bf8_f32(x, i, 0, 3), (*CDNA3, "gfx1201"), "v_cvt_sr_bf8_f32"),
    "cvt_pk_f32_fp8": (lambda i, x: fx.rocdl.cvt_pk_f32_fp8(i, False)[0], (*CDNA3, "gfx1201"), "f32_fp8"),
    "cvt_pk_f32_bf8": (lambda i, x: fx.rocdl.cvt_pk_f32_bf8(i, True)[1], (*CDNA3, "gfx1201"), "f32_bf8"),
    "cvt_f32_fp8": (lambda i, x: fx.rocdl.cvt_f32_fp8(i, 1), (*CDNA3, "gfx1201"), "v_cvt_f32_fp8"),
    "cvt_f32_bf8": (lambda i, x: fx.rocdl.cvt_f32_bf8(i, 2), (*CDNA3, "gfx1201"), "v_cvt_f32_bf8"),
    "cdna4.cvt_sr_f32_to_bf16": (
        lambda i, x: fx.rocdl.cdna4.cvt_sr_f32_to_bf16(x, i),
        ("gfx950",),
        "v_cvt_sr_bf16_f32",
    ),
    "cvt_off_f32_i4": (lambda i, x: fx.rocdl.cvt_off_f32_i4(i), ALL, "v_cvt_off_f32_i4"),
    "cvt_pkrtz": (lambda i, x: fx.rocdl.cvt_pkrtz(x, 1.0)[0], ALL, "rtz"),
    "s_waitcnt": (effect("s_waitcnt", 0x0F70), CDNA, "s_waitcnt vmcnt(0)"),
    "s_wait_dscnt": (effect("s_wait_dscnt", 7), ("gfx1201",), "s_wait_dscnt 0x7"),
    "s_wait_loadcnt": (effect("s_wait_loadcnt", 7), ("gfx1201",), "s_wait_loadcnt 0x7"),
    "s_wait_storecnt": (effect("s_wait_storecnt", 7), ("gfx1201",), "s_wait_storecnt 0x7"),
    "s_wait_kmcnt": (effect("s_wait_kmcnt", 7), ("gfx1201",), "s_wait_kmcnt 0x7"),
    "s_wait_expcnt": (effect("s_wait_expcnt", 7), ("gfx1201",), "s_wait_expcnt 0x7"),
    "s_wait_asynccnt": (effect("s_wait_asynccnt", 3), ("gfx1250",), "s_wait_asynccnt 0x3"),
    "s_wait_tensorcnt": (effect("s_wait_tensorcnt", 3), ("gfx1250",), "s_wait_tensorcnt 0x3"),
    "s_barrier": (effect("s_barrier"), ALL, "s_barrier"),
    "s_setprio": (effect("s_setprio", 3), ALL, "s_setprio 3"),
    "s_sleep": (effect("s_sleep", 5), ALL, "s_sleep 5"),
    "s_nop": (effect("s_nop", 4), ALL, "s_nop 4"),
    "sched_barrier": (effect("sched_barrier", 0), ALL, "s_endpgm"),
    "sched_group_barrier": (effect("sched_group_barrier", 8, 1, 0), ALL, "s_endpgm"),
    "sched_mfma": (effect("sched_mfma", 1), CDNA, "s_endpgm"),
    "sched_vmem": (effect("sched_vmem", 1), CDNA, "s_endpgm"),
    "sched_dsrd": (effect("sched_dsrd", 1), CDNA, "s_endpgm"),
    "sched_dswr": (effect("sched_dswr", 1), CDNA, "s_endpgm"),
    "iglp_opt": (effect("iglp_opt", 0), CDNA, "s_endpgm"),
    "wait_asyncmark": (effect("wait_asyncmark", 1), ("gfx942",), "s_waitcnt vmcnt(0)"),
    "asyncmark": (effect("asyncmark"), CDNA3, "s_endpgm"),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_becomes_its_instruction(word):
    body, chips, instruction = WORDS[word]
    for arch in chips:
        assert instruction in isa_of(body, arch), arch


@pytest.mark.parametrize(
    ("arch", "namespace", "instructions"),
    [
        ("gfx942", "cdna3", ["s_waitcnt vmcnt(3) lgkmcnt(2)"]),
        ("gfx1100", "rdna3", ["s_waitcnt vmcnt(3) lgkmcnt(2)"]),
        ("gfx1201", "rdna4", ["s_wait_loadcnt_dscnt 0x302", "s_wait_kmcnt 0x2"]),
    ],
)
def test_waits_by_counter_are_encoded_for_the_target(arch, namespace, instructions):
    by_target = isa_of(lambda i, x: getattr(fx.rocdl, namespace).s_waitcnt(vmcnt=3, lgkmcnt=2), arch)
    anywhere = isa_of(lambda i, x: fx.rocdl.s_waitcnt(vmcnt=3, lgkmcnt=2), arch)
    for instruction in instructions:
        assert instruction in by_target
        assert instruction in anywhere


@pytest.mark.parametrize(
    ("word", "arch"),
    [
        ("tanh", "gfx942"),
        ("cdna4.cvt_sr_f32_to_bf16", "gfx942"),
        ("permlane32_swap", "gfx942"),
        ("cvt_pk_fp8_f32", "gfx90a"),
        ("cvt_f32_fp8", "gfx1100"),
        ("permlanex16", "gfx950"),
        ("s_wait_dscnt", "gfx942"),
        ("s_wait_tensorcnt", "gfx1201"),
    ],
)
def test_a_word_that_the_target_lacks_names_the_targets_that_have_it(word, arch):
    body, chips, _ = WORDS[word]
    with pytest.raises(UnsupportedTargetError, match=f"{arch} has no fx.rocdl.{word}.*{chips[0]}"):
        isa_of(body, arch)


def test_bad_arguments_are_refused_by_name():
    for body, message in (
        (effect("s_setprio", 4), "s_setprio takes a number from 0 to 3, found 4"),
        (lambda i, x: fx.rocdl.exp2(i), "exp2 takes Float32, Float16"),
        (lambda i, x: fx.rocdl.readlane(x), "readlane takes 2 values, found 1"),
        (lambda i, x: fx.rocdl.s_setprio(i), "s_setprio takes a non-negative integer known while tracing"),
        (lambda i, x: fx.rocdl.s_waitcnt(0, vmcnt=1), "not both"),
    ):
        with pytest.raises(FrontendError, match=message):
            isa_of(body, "gfx942")


def test_a_result_type_in_front_is_accepted():
    assert "v_rcp_f32" in isa_of(lambda i, x: fx.rocdl.rcp(fx.Float32, x), "gfx942")


def test_words_of_amd_name_the_other_backend_that_lacks_them():
    with PluginSandbox(installed=True) as sandbox:
        sandbox.register(fake_backend("other"), fake_runtime("other"))
        with pytest.raises(UnsupportedTargetError, match=r"fx\.rocdl\.exp2 needs an AMD GPU.*'other'"):
            isa_of(value("exp2"), "", backend="other")


def test_an_unknown_word_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_word"):
        fx.rocdl.no_such_word
