/* Why a call of the CUDA driver failed: its own words, and what they leave out. Included by driver.h. */
#ifndef FLYCUDA_FAILURES_H
#define FLYCUDA_FAILURES_H

#include <stdatomic.h>
#include <stdlib.h>

static const char *_Atomic launched_last; /* the name of a kernel; names are kept until the process ends */
static atomic_int fault_is_told;

/* Whether a code is what every call returns after a kernel has failed. */
static int is_sticky(int32_t code) {
  return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_ASSERT ||
      (code >= CUDA_ERROR_HARDWARE_STACK_ERROR && code <= CUDA_ERROR_LAUNCH_FAILED);
}

/* Launches end before they return, so that an error of one is its own. */
static int launches_wait(void) {
  const char *set = getenv("CUDA_LAUNCH_BLOCKING");
  return set && *set && strcmp(set, "0") != 0;
}

/* What a code means for the program, into `text`; `kernel` is the one that is being launched, else NULL. */
static void explain(int32_t code, const char *kernel, char *text, size_t size) {
  static const char no_more[] = "the process can use the device no more";
  *text = 0;
  if (code == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    snprintf(text, size,
             ": a stream is being captured, and this call would wait or act at once: make it before or "
             "after the capture");
  if (!is_sticky(code)) return;
  const char *last = atomic_load(&launched_last);
  if (atomic_exchange(&fault_is_told, 1)) snprintf(text, size, ": an earlier kernel has failed; %s", no_more);
  else if (launches_wait() && (kernel || last))
    snprintf(text, size, ": this is how '%s' has failed; %s", kernel ? kernel : last, no_more);
  else if (last)
    snprintf(text, size,
             ": a kernel has failed, '%s', the last that FlyDSL launched, or another: CUDA_LAUNCH_BLOCKING=1 tells "
             "which; %s",
             last, no_more);
  else snprintf(text, size, ": a kernel has failed; %s", no_more);
}

/* CUDA's name of a code, its text, and what follows from it. */
static const char *describe(int32_t code, const char *kernel) {
  static _Thread_local char text[768];
  char more[512];
  const char *name = NULL, *meaning = NULL;
  if (cuda.get_error_name(code, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
  if (cuda.get_error_string(code, &meaning) != CUDA_SUCCESS || !meaning) meaning = "the driver has no text for it";
  explain(code, kernel, more, sizeof more);
  snprintf(text, sizeof text, "%s: %s%s", name, meaning, more);
  return text;
}

static int32_t check(int32_t code, const char *what) {
  return code == CUDA_SUCCESS ? code : fly_fail(code, "%s: %s", what, describe(code, NULL));
}

static int32_t check_kernel(int32_t code, const char *what, const char *kernel) {
  return code == CUDA_SUCCESS ? code : fly_fail(code, "kernel '%s': %s: %s", kernel, what, describe(code, kernel));
}

#endif
