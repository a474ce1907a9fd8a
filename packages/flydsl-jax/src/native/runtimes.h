/* The device runtime of each platform, and the questions that Python answers: which runtime, which launcher, why. */
#ifndef FLYDSL_JAX_RUNTIMES_H
#define FLYDSL_JAX_RUNTIMES_H

#include <fly_abi.h>

#include "failure.h"
#include "platform.h"

/* Explain a code that a launcher or the runtime returned, on the thread that got it. */
typedef int32_t (*DescribeFn)(int32_t code, char *text, uint64_t size);
/* Set the runtime of a platform; else say why there is none in `text`. */
typedef int32_t (*ProvideRuntimeFn)(int32_t platform, char *text, uint64_t size);
/* Add the launcher of that key to a platform; else say why there is none in `text`. */
typedef int32_t (*ProvideLauncherFn)(int32_t platform, const char *key, char *text, uint64_t size);

typedef struct Runtime {
  const FlyRuntimeApi *api;
  DescribeFn describe;
  const struct Runtime *previous; /* what it replaced: a reader may have that */
} Runtime;

/* False when the table is of another version, or when the platform has another one already. */
bool runtime_set(Platform platform, const FlyRuntimeApi *api, DescribeFn describe, Failure *failure);

/* Who answers; null: nobody, from now on. */
void runtime_set_providers(ProvideRuntimeFn runtime, ProvideLauncherFn launcher);

/* No more calls of Python: the interpreter ends. */
void runtime_forget_python(void);

/* The runtime of a platform, if it is known. */
const Runtime *runtime_get(Platform platform);

/* The runtime of a platform, asking for it when it is not known yet; NULL with the reason. */
const Runtime *runtime_require(Platform platform, Failure *failure);

/* Ask for the launcher of a key; the answer is looked up by the caller. `text` says why there is none. */
void runtime_ask_for_launcher(Platform platform, const char *key, char *text, size_t size);

/* `what` of `name` failed with that code: the failure, with the runtime's explanation. Always false. */
bool runtime_failed(const Runtime *runtime, const char *name, const char *what, int32_t code, Failure *failure);

#endif
