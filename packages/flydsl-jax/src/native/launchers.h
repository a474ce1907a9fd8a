/* Launchers by platform and key. What is loaded stays: XLA may call it as long as the process lives. */
#ifndef FLYDSL_JAX_LAUNCHERS_H
#define FLYDSL_JAX_LAUNCHERS_H

#include "runtimes.h"

enum { KEY_DIGITS = 64 }; /* SHA-256 in lower-case hexadecimal digits */

typedef struct Launcher Launcher;

bool launcher_check_key(const char *key, size_t size, Failure *failure);

/* The launcher of a key, if it is known. */
Launcher *launcher_find(Platform platform, const char *key);

/* The launcher of a key from the bytes of its shared object, unless the key is known; NULL with the reason. */
Launcher *launcher_add(Platform platform, const char *key, const void *image, size_t size, Failure *failure);

/* Load its code on a device unless it is loaded there; `name` is for messages. */
bool launcher_load(Launcher *launcher, const Runtime *runtime, int32_t ordinal, const char *name, Failure *failure);

/* Enqueue its kernels; the code is loaded when that has not happened yet. */
bool launcher_launch(Launcher *launcher, const Runtime *runtime, int32_t ordinal, void *stream, const void *packed,
                     const char *name, Failure *failure);

/* Launchers that were opened, and modules that were loaded on devices, since the process began. */
void launcher_counts(uint64_t *opened, uint64_t *loaded);

#endif
