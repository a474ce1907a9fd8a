"""What a compilation is told: the target, hints, settings of LLVM passes."""
