/* For runtimes over a driver that is opened when they run: its functions by their names, and why a call failed.
 *
 * Optional; included by one C file of a runtime's library, whose own state this is.
 */
#ifndef FLY_LIBRARY_H
#define FLY_LIBRARY_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A function of the driver: where its address goes, and whether the runtime can do without it. */
typedef struct FlySymbol {
  void *slot;
  const char *name;
  int optional;
} FlySymbol;

/* This thread's last failure. */
static _Thread_local struct {
  int32_t code;
  char text[2048];
} fly_last;

/* Keep why a call failed, for who asks in this thread; the code. */
__attribute__((format(printf, 2, 3))) static int32_t fly_fail(int32_t code, const char *format, ...) {
  fly_last.code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fly_last.text, sizeof fly_last.text, format, arguments);
  va_end(arguments);
  return code;
}

/* What was kept of this thread's last failure if that had this code, else NULL. */
static const char *fly_failure(int32_t code) { return code && code == fly_last.code ? fly_last.text : NULL; }

/* Open a library and fill the slots, all or none; 0, or `failure` with the reason kept. */
static int32_t fly_open_library(const char *path, const FlySymbol *symbols, size_t count, int32_t failure) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return fly_fail(failure, "%s", dlerror());
  for (size_t i = 0; i < count; ++i)
    if (!symbols[i].optional && !dlsym(library, symbols[i].name)) {
      dlclose(library);
      return fly_fail(failure, "%s has no function %s", path, symbols[i].name);
    }
  for (size_t i = 0; i < count; ++i) {
    void *found = dlsym(library, symbols[i].name);
    memcpy(symbols[i].slot, &found, sizeof found);
  }
  return 0;
}

#endif
