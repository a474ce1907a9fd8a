"""Ctrl-C during a native stage of the compiler: prompt, with nothing lost, and the process ends as it says."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

LONG = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it

from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import HOST

def ir(count):  # one block, with a use of every value
    lines = "\\n".join(f"%v{k} = mul i64 %v{k - 1}, %v{k // 2}" for k in range(1, count))
    return f"define i64 @f(i64 %v0) {{\\n{lines}\\nret i64 %v{count - 1}\\n}}\\n".encode()

tools = NativeToolchain()
short, long = ir(3), ir(400_000)
assert tools.codegen(short, HOST)
print("begins", flush=True)
"""
STAGES = {
    "codegen": "tools.codegen(long, HOST, optimize=True)",
    "pipeline": 'tools.run_pipeline("func.func @f() {" + "call @f() : () -> ()\\n" * 2_000_000 + "return }", "cse")',
}
ENDS = {
    "not caught": ("{stage}", -signal.SIGINT),
    "caught": ("try: {stage}\nexcept KeyboardInterrupt: assert tools.codegen(short, HOST); sys.exit(3)", 3),
    "at the end": ("try: {stage}\nexcept KeyboardInterrupt: pass", 0),
}


@pytest.mark.parametrize(("stage", "end"), [("codegen", end) for end in ENDS] + [("pipeline", "caught")])
def test_ctrl_c_ends_a_native_stage(stage: str, end: str) -> None:
    text, code = ENDS[end]
    program = LONG + text.format(stage=STAGES[stage]) + "\n"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.5)
        assert child.poll() is None, "the stage is over"
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    assert child.returncode == code, errors
    assert ("KeyboardInterrupt" in errors) == (end == "not caught")
