/* The packed arguments of one launch, from a plan and the buffers of the call. */
#ifndef FLYDSL_JAX_ARGUMENTS_H
#define FLYDSL_JAX_ARGUMENTS_H

#include "plan.h"

/* Fill `packed`, of plan->packed_bytes; false with the reason when the buffers are not what the plan says. */
bool arguments_pack(const Plan *plan, const XLA_FFI_CallFrame *frame, unsigned char *packed, Failure *failure);

#endif
