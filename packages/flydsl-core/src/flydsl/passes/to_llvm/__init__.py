"""Operations of LLVM's dialect, as passes build them: the builder, intrinsics, and functions applied lane by lane."""
