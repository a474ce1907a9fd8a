/* Shared objects from memory. */
#ifndef FLYDSL_JAX_SHARED_OBJECT_H
#define FLYDSL_JAX_SHARED_OBJECT_H

#include "failure.h"

/* What dlopen gives for these bytes, NULL with the reason. It has no file, and a path that no other one has. */
void *shared_object_open(const void *image, size_t size, Failure *failure);

#endif
