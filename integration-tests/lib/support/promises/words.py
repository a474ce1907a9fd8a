"""The words of LLVM IR that promise something: all but opcodes, types, predicates, and what LLVM says of intrinsics."""

from __future__ import annotations

import re

_OPCODES_AND_TYPES = """
    target triple source_filename define ret br label to phi select call void splat c true false zeroinitializer null
    float double half bfloat ptr addrspace x global constant type attributes distinct
    getelementptr load store alloca icmp fcmp switch unreachable
    add sub mul sdiv udiv srem urem and or xor shl lshr ashr fadd fsub fmul fdiv frem fneg fmax fmin umax umin max min
    xchg uinc_wrap udec_wrap
    sext zext trunc fpext fptrunc sitofp uitofp fptosi fptoui bitcast ptrtoint inttoptr
    extractelement insertelement extractvalue insertvalue shufflevector cmpxchg atomicrmw atomic fence
    eq ne slt sle sgt sge ult ule ugt uge oeq one olt ole ogt oge ord uno ueq une
"""
_NEUTRAL = frozenset(_OPCODES_AND_TYPES.split())
_MODULE_FLAGS = "!llvm.module.flags"
_STRING = re.compile(r'c?"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"[%@][\w.$-]+|[%@]\"[^\"]*\"")
_WORD = re.compile(r'![a-z][\w.]*|"[a-z][\w.-]*"|(?<![\w.\-"])[a-z][a-z_]*(?:\.[a-z_]+)*(?![\w."])')
_GROUP = re.compile(r"attributes (#\d+) = \{ (.*) \}")
_NODE = re.compile(r"(!\d+) = (?:distinct )?!\{(.*)\}")


def promising_words(text: str) -> set[str]:
    """The words of one module: flags, attributes, orderings, and names of metadata and of their entries."""
    lines = text.splitlines()
    made = [line for line in lines if line.startswith(("  ", "define ", "@"))]
    used = "\n".join(made)
    found: set[str] = set()
    for line in made:
        found |= _of(line if "syncscope" in line else _STRING.sub("", line))
    for line in lines:
        if (group := _GROUP.fullmatch(line)) and re.search(rf"{group[1]}\b", used):
            found |= _of(re.sub(r'="[^"]*"', "", group[2]))
        elif (node := _NODE.fullmatch(line)) and re.search(rf"{node[1]}\b", used):
            found |= _of(node[2])
        elif node and (names := re.findall(r'!("llvm\.[\w.]+"|"amdgpu-[\w-]+")', node[2])):
            found |= set(names)  # of a list of what a loop is to be, or of a fence
    return {word.strip('"') for word in found} - _NEUTRAL - {_MODULE_FLAGS}


def _of(line: str) -> set[str]:
    return set(_WORD.findall(_NAME.sub("", line)))
