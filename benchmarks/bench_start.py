"""Import time, cold compile by stage, and a whole warm process: the best of several fresh processes, in milliseconds.

The best, because machines that run this are shared; `first` is with everything still to be imported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, main_options, report

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
IMPORT = """
import json, time
start = time.perf_counter()
import flydsl.compiler, flydsl.expr
print(json.dumps({"import": (time.perf_counter() - start) * 1e3}))
"""
STAGES = """
import importlib.util, json, sys, time
import numpy as np
backend, arch = sys.argv[1:3]
spec = importlib.util.spec_from_file_location("vector_add", sys.argv[3])
module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
a = np.zeros((100, 1000), np.float32)
def once():
    t0 = time.perf_counter(); traced = module.vector_add.trace(a, a, a, backend=backend, arch=arch)
    t1 = time.perf_counter(); lowered = traced.lower()
    t2 = time.perf_counter(); lowered.compile()
    t3 = time.perf_counter()
    return {"trace": (t1 - t0) * 1e3, "lower": (t2 - t1) * 1e3, "compile": (t3 - t2) * 1e3, "total": (t3 - t0) * 1e3}
first = once()
second = [once() for _ in range(7)]
print(json.dumps({**{f"first {k}": v for k, v in first.items()},
                  **{k: min(run[k] for run in second) for k in first}}))
"""
WARM = """
import time; begin = time.perf_counter()
import importlib.util, json, sys
import numpy as np
numpy_at = time.perf_counter()
import flydsl.compiler, flydsl.expr
imported = time.perf_counter()
a = np.zeros((100, 1000), np.float32)
def first_call(name):
    spec = importlib.util.spec_from_file_location(name, sys.argv[1])
    module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
    start = time.perf_counter(); module.vector_add(a, a, a)
    return (time.perf_counter() - start) * 1e3
print(json.dumps({"import": (imported - numpy_at) * 1e3, "first call of a kernel": first_call("one"),
                  "first call of the next kernel": first_call("two")}))
"""
WARM_BUDGETS = {"import": 100.0, "first call of a kernel": 7.0, "first call of the next kernel": 2.0}


def run(code: str, *arguments: str, count: int = 9, **env: str) -> dict[str, float]:
    """The smallest of what `count` fresh processes print."""
    environment = {**os.environ, **env}
    runs = []
    for _ in range(count):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=environment, check=True, capture_output=True, text=True
        )
        runs.append(json.loads(done.stdout))
    return {name: min(values[name] for values in runs) for name in runs[0]}


def main() -> None:
    options = main_options(__doc__)
    example = str(EXAMPLES / "01_vector_add.py")
    with tempfile.TemporaryDirectory() as folder:
        env = {"FLYDSL_RUNTIME_CACHE_DIR": folder, "FLYDSL_COMPILE_BACKEND": "cpu"}
        rows = [Row("import flydsl.compiler, flydsl.expr", run(IMPORT)["import"], "ms", 100)]
        for backend, arch, budget in (("cpu", "", None), ("rocm", "gfx942", 80.0)):
            stages = run(STAGES, backend, arch, example, count=3, **env)
            rows += [
                Row(f"cold compile {arch or backend}: {name}", value, "ms", budget if name == "total" else None)
                for name, value in stages.items()
            ]
        run(WARM, example, count=1, **env)
        rows += [
            Row(f"warm process: {name}", value, "ms", WARM_BUDGETS[name])
            for name, value in run(WARM, example, **env).items()
        ]
    report("start-up and compilation of examples/01_vector_add.py", rows, options)


if __name__ == "__main__":
    main()
