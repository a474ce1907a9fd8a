"""Exported functions and compiled programs in other processes, which never heard of the kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from support.jax_kernels import add, affine, row_sums

from flydsl.jax import disabled_export_checks, jax_kernel

pytest.importorskip("flatbuffers", reason="jax.export serializes by flatbuffers")

add_arrays = jax_kernel(add, out=lambda a, b: a)


def run(program: str, *arguments: object, **environment: str) -> str:
    """What a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CALL_EXPORTED = """
import sys
import numpy as np
from jax import export
import flydsl.jax
flydsl.jax.register()
call = export.deserialize(open(sys.argv[1], "rb").read()).call
for n in (5, 17, 1, 1000):
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    np.testing.assert_allclose(call(x), x * 2 * 1.5 + 2, rtol=1e-6)
assert not [name for name in sys.modules if name in ("xdsl", "support.jax_kernels", "flydsl.frontend")]
print("fine")
"""


def test_an_exported_function_of_symbolic_shape_runs_in_a_process_without_its_kernel(tmp_path):
    scale = jax_kernel(affine, out=lambda x, *_: x)
    function = jax.jit(lambda x: scale(add_arrays(x, x), 1.5, 2.0))
    (n,) = export.symbolic_shape("n")
    argument = jax.ShapeDtypeStruct((n,), jnp.float32)
    exported = export.export(function, disabled_checks=disabled_export_checks())(argument)
    assert str(exported.out_avals[0].shape) == "(n,)"
    file = tmp_path / "exported"
    file.write_bytes(exported.serialize())
    assert run(CALL_EXPORTED, file) == "fine\n"


def test_an_exported_function_of_several_symbolic_extents_runs_for_any_of_them(rng):
    sums = jax_kernel(row_sums, out=lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype))
    argument = jax.ShapeDtypeStruct(export.symbolic_shape("m, n"), jnp.float32)
    exported = export.export(jax.jit(sums), disabled_checks=disabled_export_checks())(argument)
    again = export.deserialize(exported.serialize())
    for shape in ((3, 4), (1, 9), (8, 1)):
        x = rng.standard_normal(shape).astype(np.float32)
        np.testing.assert_allclose(again.call(x), x.sum(1), rtol=1e-5)


def test_an_open_extent_cannot_be_part_of_the_code():
    argument = jax.ShapeDtypeStruct(export.symbolic_shape("n"), jnp.float32)
    kernel = jax_kernel(add, out=lambda a, b: a, static_layout=True)
    with pytest.raises(ValueError, match="argument 'a': the shape of mode 0 is open"):
        export.export(jax.jit(kernel), disabled_checks=disabled_export_checks())(argument, argument)


def test_without_the_disabled_checks_jax_refuses_to_export():
    with pytest.raises(ValueError, match=r"flydsl.call.v1"):
        export.export(jax.jit(add_arrays))(jnp.ones(3), jnp.ones(3))


COMPILE = """
import sys
import jax, jax.numpy as jnp, numpy as np
sys.path.insert(0, sys.argv[1])
from support.jax_kernels import add, affine
from flydsl.jax import jax_kernel
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event))
add_arrays, scale = jax_kernel(add, out=lambda a, b: a), jax_kernel(affine, out=lambda x, *_: x)
function = jax.jit(lambda x: scale(add_arrays(x, x), 1.5, 2.0))
x = jnp.arange(40.0)
np.testing.assert_allclose(function(x), np.arange(40) * 3 + 2)
cache = "/jax/compilation_cache/"
print(hits.count(cache + "cache_hits"), hits.count(cache + "cache_misses"))
print(function.lower(x).as_text())
"""


def test_the_second_process_finds_programs_in_the_persistent_cache_and_lowers_the_same_text(tmp_path):
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "JAX_ENABLE_COMPILATION_CACHE": "1",
    }
    library = Path(__file__).parents[1] / "lib"
    runs = [run(COMPILE, library, **settings).split("\n", 1) for _ in range(2)]
    (first, text), (second, same_text) = runs
    assert first.startswith("0 ")
    hits, misses = map(int, second.split())
    assert hits >= 1
    assert misses == 0, "an address in the program would be another one in each process"
    assert text == same_text
    assert text.count("flydsl.call.v1") == 2
    assert "module = " in text, "the entry holds the code"
