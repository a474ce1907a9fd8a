"""Reports of machine code: what the assembler says, and the instructions that `nvdisasm` lists."""
