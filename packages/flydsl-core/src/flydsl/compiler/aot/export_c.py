"""Compiled code as a C header and a C file that embeds it, for programs without Python.

The C file hands the launcher to the dynamic loader through memory, so that any number of exports go into one program.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.argument import ArgumentSpec, CParameter
from flydsl.compiler.stages.artifact import Artifact
from flydsl.frontend.signature import Parameter
from flydsl.runtime.abi import include_dir
from flydsl.toolchain.slots import Slot

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false
    asm class delete new operator private public this throw try catch namespace template using typename
    rt module ordinal default_stream packed
"""
_TAKEN = frozenset(_KEYWORDS.split())
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BYTES_A_LINE = 32


def export(
    artifact: Artifact,
    parameters: Sequence[Parameter],
    specs: Sequence[ArgumentSpec],
    folder: Path,
    name: str,
    prefix: str,
) -> None:
    """Write `name.h`, `name.c` and `fly_abi.h` to `folder`; ArgumentError for names that C does not take."""
    prefix = prefix or artifact.name
    if not _IDENTIFIER.fullmatch(prefix) or prefix in _TAKEN:
        raise ArgumentError(f"function_prefix is the beginning of C names, found {prefix!r}")
    if not re.fullmatch(r"[\w.-]+", name) or name == "fly_abi":
        raise ArgumentError(f"file_name is a name without folders and suffix, found {name!r}")
    values = list(_values(artifact.slots, parameters, specs))
    header, source = _header(artifact, values, prefix), _source(artifact, values, prefix, name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.h").write_text(header, encoding="utf-8")
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    shutil.copyfile(include_dir() / "fly_abi.h", folder / "fly_abi.h")


def _values(
    slots: Iterable[Slot], parameters: Sequence[Parameter], specs: Sequence[ArgumentSpec]
) -> Iterator[CParameter]:
    rest, used = iter(slots), set(_TAKEN)
    for parameter, spec in zip(parameters, specs, strict=True):
        name = _unique(re.sub(r"\W+", "_", parameter.name).strip("_"), used)
        for value in spec.c_parameters(rest):
            yield value._replace(name=_unique(f"{name}_{value.name}", used) if value.name else name)


def _unique(name: str, used: set[str]) -> str:
    while name in used:
        name += "_"
    used.add(name)
    return name


def _arguments(values: Sequence[CParameter]) -> str:
    first = "const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *default_stream"
    return ",\n    ".join([first, *(f"{v.ctype}{'' if v.ctype.endswith('*') else ' '}{v.name}" for v in values)])


def _header(artifact: Artifact, values: Sequence[CParameter], prefix: str) -> str:
    guard = f"{prefix.upper()}_H"
    notes = "".join(f"\n *   {value.name}: {value.text}" for value in values if value.text)
    return f"""\
/* {artifact.name} for {artifact.target}, kernels {", ".join(artifact.kernels)}; see fly_abi.h.
 *
 * `rt` is the table of a device runtime of kind {artifact.runtime_kind!r}. Functions return 0 or an error code:
 * positive ones are the runtime's, for kernels that failed too, FLY_ERROR_* the launcher's, {prefix}_ERROR_OPEN
 * means that the embedded launcher cannot be loaded.
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#include "fly_abi.h"

#ifdef __cplusplus
extern "C" {{
#endif

#define {prefix}_ERROR_OPEN (-16)

/* Load the code on device `ordinal`; *module is for {prefix}_launch on that device. */
int32_t {prefix}_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module);

/* Enqueue the kernels. `default_stream` serves launches that name no stream; null is the runtime's default stream.
 * Shapes and strides are in elements; static parts of a layout are not checked.{notes}
 */
int32_t {prefix}_launch({_arguments(values)});

/* Unload what {prefix}_load gave; no launch may follow. */
int32_t {prefix}_unload(const FlyRuntimeApi *rt, void *module);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(artifact: Artifact, values: Sequence[CParameter], prefix: str, name: str) -> str:
    size = max((value.offset + value.size for value in values), default=0)
    copies = "".join(
        f"  memcpy(packed + {v.offset}, {v.name if v.ctype == 'const void *' else f'&{v.name}'}, {v.size});\n"
        for v in values
    )
    return f"""\
/* Made by flydsl; compile it as C with -ldl -lpthread where the C library has them apart. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "{name}.h"

static const unsigned char image[{len(artifact.launcher)}] = {{
{_bytes(artifact.launcher)}
}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static FlyLoadFn load_code;
static FlyLaunchPackedFn launch_code;

/* The descriptor stays open: the dynamic loader takes two files of one path for the same. */
static void open_launcher(void) {{
  int file = memfd_create("{prefix}", MFD_CLOEXEC);
  size_t written = 0;
  while (file >= 0 && written < sizeof image) {{
    ssize_t count = write(file, image + written, sizeof image - written);
    if (count <= 0) return;
    written += (size_t)count;
  }}
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  load_code = (FlyLoadFn)dlsym(library, "fly_load");
  launch_code = (FlyLaunchPackedFn)dlsym(library, "fly_launch_packed");
}}

int32_t {prefix}_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module) {{
  pthread_once(&once, open_launcher);
  return load_code && launch_code ? load_code(rt, ordinal, module) : {prefix}_ERROR_OPEN;
}}

int32_t {prefix}_launch({_arguments(values)}) {{
  unsigned char packed[{-(-max(size, 1) // 8) * 8}] __attribute__((aligned(8))) = {{0}};
{copies}\
  return launch_code ? launch_code(rt, module, ordinal, default_stream, packed) : {prefix}_ERROR_OPEN;
}}

int32_t {prefix}_unload(const FlyRuntimeApi *rt, void *module) {{ return rt->module_unload(rt->self, module); }}
"""


def _bytes(data: bytes) -> str:
    lines = (data[start : start + _BYTES_A_LINE] for start in range(0, len(data), _BYTES_A_LINE))
    return "\n".join("".join(f"{byte}," for byte in line) for line in lines)
