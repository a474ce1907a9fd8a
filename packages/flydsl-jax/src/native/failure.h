/* A failure on its way to XLA: a code and a text, filled in where it happens. */
#ifndef FLYDSL_JAX_FAILURE_H
#define FLYDSL_JAX_FAILURE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "xla/ffi/api/c_api.h"

typedef struct Failure {
  XLA_FFI_Error_Code code;
  char text[1024];
} Failure;

/* Always false, for `return fail(...)`. */
__attribute__((format(printf, 3, 4))) static inline bool fail(Failure *failure, XLA_FFI_Error_Code code,
                                                              const char *format, ...) {
  failure->code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(failure->text, sizeof failure->text, format, arguments);
  va_end(arguments);
  return false;
}

#endif
