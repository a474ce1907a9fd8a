/* The plan of a call: which bytes of a launcher's packed arguments come from which buffer of the XLA call.
 *
 * It travels as the attribute `plan`; flydsl/jax/plan.py writes it. All numbers are little-endian and unsigned, of 32
 * bits where nothing else is said:
 *
 *   header    "FLYP", version, bytes of all, inputs, outputs, tensors, fields, bytes of the template, of the name, 0
 *   tensors   each: 1 for an output and 0 for an input, its number among those, rank, bits of an element, alignment of
 *             its address in bytes, 1 when it must fit 32-bit indices
 *   extents   of all tensors, one tensor after the other; 64 bits and signed, -1: open until run time
 *   fields    in the order of their tensors. Each: offset in the packed arguments, bytes, what (PLAN_*), tensor, mode
 *             (a value is all elements of its tensor, an input)
 *   template  the packed arguments, where fields go any bytes
 *   name      of the function, for messages; UTF-8 without a null
 */
#ifndef FLYDSL_JAX_PLAN_H
#define FLYDSL_JAX_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "failure.h"

enum {
  PLAN_VERSION = 1,
  PLAN_HEADER_BYTES = 40,
  PLAN_TENSOR_BYTES = 24,
  PLAN_EXTENT_BYTES = 8,
  PLAN_FIELD_BYTES = 20,

  /* Limits: packed arguments lie on the stack. */
  PLAN_MAX_TENSORS = 1024,
  PLAN_MAX_FIELDS = 16384,
  PLAN_MAX_RANK = 64,
  PLAN_MAX_BITS = 1024,
  PLAN_MAX_PACKED = 16384,
  PLAN_MAX_NAME = 512,

  /* What a field holds. */
  PLAN_ADDRESS = 0,
  PLAN_SHAPE = 1,
  PLAN_STRIDE = 2, /* in elements, of a row-major tensor */
  PLAN_VALUE = 3,  /* the bytes of the elements, which the host can read */
};

typedef struct PlanField { uint32_t offset, bytes, what, tensor, mode; } PlanField;

typedef struct PlanTensor {
  uint32_t is_output, buffer, rank, bits, align, is_narrow;
  bool has_strides; /* a field asks for one */
  uint32_t n_fields;
  const int64_t *extents;
  const PlanField *fields;
} PlanTensor;

typedef struct Plan {
  uint32_t n_inputs, n_outputs, n_tensors, packed_bytes;
  bool has_values;
  const PlanTensor *tensors;
  const unsigned char *packed;
  const char *name;
} Plan;

/* A plan in one block of memory that `free` releases; NULL with the reason when the bytes are none. */
Plan *plan_read(const void *bytes, size_t size, Failure *failure);

#endif
