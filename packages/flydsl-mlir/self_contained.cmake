# The module with LLVM, MLIR and lld inside. The archives refer to one another in circles, which lld, unlike GNU ld, takes
# in any order; it also discards what nothing uses, and strips.
set(llvm_runtime_libdir "")
find_library(ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)  # not a library that every Linux has
target_link_libraries(_native PRIVATE "${LLD_ELF_LIBRARY}" "${LLD_COMMON_LIBRARY}" ${MLIR_LIBRARY} ${LLVM_LIBRARY}
  "${ZSTD_LIBRARY}" z ${CMAKE_DL_LIBS})
set(lld_options "-B${llvm_bindir}" -fuse-ld=lld)
target_link_options(_native PRIVATE ${lld_options} -Wl,-O2 -Wl,--as-needed -Wl,-z,relro -Wl,-z,now)

# Python's functions are the interpreter's, so the linker cannot be asked to report all that is not defined (`-z defs`):
# loading the module does.
add_custom_command(TARGET _native POST_BUILD VERBATIM
  COMMAND "${Python_EXECUTABLE}" -c "import ctypes, sys; ctypes.PyDLL(sys.argv[1])" "$<TARGET_FILE:_native>")

# Plugins need an LLVM that they can see. It is loaded ahead of this program, which does not name it: the wheel is for
# machines without one, too.
target_link_options(fly-passes PRIVATE ${lld_options} -Wl,--strip-all -Wl,--unresolved-symbols=ignore-all)
