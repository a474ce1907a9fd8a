# The module with the LLVM and MLIR of the machine, which plugins see too.
set(llvm_runtime_libdir "${llvm_libdir}")
target_link_libraries(_native PRIVATE "${LLD_ELF_LIBRARY}" "${LLD_COMMON_LIBRARY}" "${MLIR_LIBRARY}" "${LLVM_LIBRARY}")
target_link_libraries(fly-passes PRIVATE "${LLVM_LIBRARY}")
if(FLYDSL_SANITIZE)  # a sanitizer's tables refer to every function: nothing is discarded
  target_link_libraries(fly-passes PRIVATE "${LLD_ELF_LIBRARY}" "${LLD_COMMON_LIBRARY}" "${MLIR_LIBRARY}")
  target_link_options(fly-passes PRIVATE -Wl,--copy-dt-needed-entries)  # what lld needs comes with libLLVM
endif()
set_target_properties(_native fly-passes PROPERTIES BUILD_RPATH "${llvm_libdir}" INSTALL_RPATH "${llvm_libdir}")
