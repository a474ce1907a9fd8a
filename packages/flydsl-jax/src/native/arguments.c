/* Packing the arguments of a launch: the template of the plan, with addresses and layouts of this call's buffers. */
#include "arguments.h"

#include <string.h>

#define REFUSE(code, format, ...) \
  fail(failure, XLA_FFI_Error_Code_##code, "flydsl: %s: %s %u " format, plan->name, \
       tensor->is_output ? "output" : "input", tensor->buffer, __VA_ARGS__)

static const int64_t NARROW_ELEMENTS = INT64_C(1) << 30, NARROW_BITS = INT64_C(8) << 32;

/* Bits of an element, 0 for a type that no tensor has. */
static uint32_t bits_of(XLA_FFI_DataType type) {
  switch ((int)type) {
  case XLA_FFI_DataType_S1:
  case XLA_FFI_DataType_U1: return 1;
  case XLA_FFI_DataType_S2:
  case XLA_FFI_DataType_U2: return 2;
  case XLA_FFI_DataType_S4:
  case XLA_FFI_DataType_U4:
  case XLA_FFI_DataType_F4E2M1FN: return 4;
  case XLA_FFI_DataType_PRED:
  case XLA_FFI_DataType_S8:
  case XLA_FFI_DataType_U8:
  case XLA_FFI_DataType_F8E5M2:
  case XLA_FFI_DataType_F8E3M4:
  case XLA_FFI_DataType_F8E4M3:
  case XLA_FFI_DataType_F8E4M3FN:
  case XLA_FFI_DataType_F8E4M3B11FNUZ:
  case XLA_FFI_DataType_F8E5M2FNUZ:
  case XLA_FFI_DataType_F8E4M3FNUZ:
  case XLA_FFI_DataType_F8E8M0FNU: return 8;
  case XLA_FFI_DataType_S16:
  case XLA_FFI_DataType_U16:
  case XLA_FFI_DataType_F16:
  case XLA_FFI_DataType_BF16: return 16;
  case XLA_FFI_DataType_S32:
  case XLA_FFI_DataType_U32:
  case XLA_FFI_DataType_F32: return 32;
  case XLA_FFI_DataType_S64:
  case XLA_FFI_DataType_U64:
  case XLA_FFI_DataType_F64:
  case XLA_FFI_DataType_C64: return 64;
  case XLA_FFI_DataType_C128: return 128;
  default: return 0;
  }
}

/* Compare a buffer with the plan; *elements counts empty modes as 1, as the widths of indices do. */
static bool check_shape(const Plan *plan, const PlanTensor *tensor, const XLA_FFI_Buffer *buffer, int64_t *elements,
                        bool *is_empty, Failure *failure) {
  if (buffer->rank != tensor->rank)
    return REFUSE(INVALID_ARGUMENT, "has rank %lld, and the code is for rank %u", (long long)buffer->rank,
                  tensor->rank);
  if (bits_of(buffer->dtype) != tensor->bits)
    return REFUSE(INVALID_ARGUMENT, "has elements of %u bits (type %d of XLA), and the code is for %u bits",
                  bits_of(buffer->dtype), (int)buffer->dtype, tensor->bits);
  int64_t count = 1, bits;
  for (uint32_t mode = 0; mode < tensor->rank; ++mode) {
    const int64_t extent = buffer->dims[mode], promised = tensor->extents[mode];
    if (extent != promised && (promised >= 0 || extent < 0))
      return REFUSE(INVALID_ARGUMENT, "has extent %lld of mode %u, and the code is for %lld", (long long)extent, mode,
                    (long long)promised);
    if (!extent) *is_empty = true;
    else if (__builtin_mul_overflow(count, extent, &count))
      return REFUSE(OUT_OF_RANGE, "has more than %lld elements", (long long)INT64_MAX);
  }
  if (__builtin_mul_overflow(count, (int64_t)tensor->bits, &bits))
    return REFUSE(OUT_OF_RANGE, "has more than %lld bits", (long long)INT64_MAX);
  if (tensor->is_narrow && (count >= NARROW_ELEMENTS || bits >= NARROW_BITS))
    return REFUSE(OUT_OF_RANGE,
                  "has %lld elements of %u bits, and the code has 32-bit indices, which reach below 2^30 elements and "
                  "4 GiB; split it, or compile the kernel for 64-bit indices",
                  (long long)count, tensor->bits);
  *elements = count;
  return true;
}

static bool check_address(const Plan *plan, const PlanTensor *tensor, const XLA_FFI_Buffer *buffer, bool is_empty,
                          Failure *failure) {
  if (!buffer->data && !is_empty) return REFUSE(INTERNAL, "is at %s", "a null address");
  if ((uintptr_t)buffer->data % tensor->align && !is_empty)
    return REFUSE(INVALID_ARGUMENT, "is at %p, which is not a multiple of the %u bytes that the code assumes",
                  buffer->data, tensor->align);
  return true;
}

static void find_strides(const PlanTensor *tensor, const XLA_FFI_Buffer *buffer, int64_t *strides) {
  int64_t stride = 1;
  for (uint32_t mode = tensor->rank; mode-- > 0;) {
    strides[mode] = stride;
    stride *= buffer->dims[mode] ? buffer->dims[mode] : 1; /* at most the count of elements, which fits */
  }
}

static bool pack_number(const Plan *plan, const PlanTensor *tensor, const PlanField *field, int64_t value,
                        unsigned char *packed, Failure *failure) {
  const char *what = field->what == PLAN_SHAPE ? "extent" : "stride";
  if (field->bytes == 4) {
    if (value > INT32_MAX)
      return REFUSE(OUT_OF_RANGE, "has %s %lld of mode %u, which does not fit in 32 bits; split it", what,
                    (long long)value, field->mode);
    const int32_t narrow = (int32_t)value;
    memcpy(packed + field->offset, &narrow, 4);
    return true;
  }
  memcpy(packed + field->offset, &value, 8);
  return true;
}

static bool pack_tensor(const Plan *plan, const PlanTensor *tensor, const XLA_FFI_Buffer *buffer, unsigned char *packed,
                        Failure *failure) {
  int64_t elements = 1, strides[PLAN_MAX_RANK];
  bool is_empty = false;
  if (!check_shape(plan, tensor, buffer, &elements, &is_empty, failure)) return false;
  if (!check_address(plan, tensor, buffer, is_empty, failure)) return false;
  if (tensor->has_strides) find_strides(tensor, buffer, strides);
  for (uint32_t i = 0; i < tensor->n_fields; ++i) {
    const PlanField *field = &tensor->fields[i];
    if (field->what == PLAN_ADDRESS) {
      memcpy(packed + field->offset, &buffer->data, 8);
      continue;
    }
    if (field->what == PLAN_VALUE) {
      memcpy(packed + field->offset, buffer->data, field->bytes);
      continue;
    }
    const int64_t value = field->what == PLAN_SHAPE ? buffer->dims[field->mode] : strides[field->mode];
    if (!pack_number(plan, tensor, field, value, packed, failure)) return false;
  }
  return true;
}

_Static_assert(sizeof(void *) == 8, "addresses are fields of 8 bytes");

bool arguments_pack(const Plan *plan, const XLA_FFI_CallFrame *frame, unsigned char *packed, Failure *failure) {
  if (frame->args.size != plan->n_inputs || frame->rets.size != plan->n_outputs)
    return fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                "flydsl: %s: the call has %lld inputs and %lld outputs, and its plan %u and %u", plan->name,
                (long long)frame->args.size, (long long)frame->rets.size, plan->n_inputs, plan->n_outputs);
  memcpy(packed, plan->packed, plan->packed_bytes);
  for (uint32_t i = 0; i < plan->n_tensors; ++i) {
    const PlanTensor *tensor = &plan->tensors[i];
    const bool is_buffer = tensor->is_output ? frame->rets.types[tensor->buffer] == XLA_FFI_RetType_BUFFER
                                             : frame->args.types[tensor->buffer] == XLA_FFI_ArgType_BUFFER;
    if (!is_buffer) return REFUSE(INVALID_ARGUMENT, "is %s", "no buffer");
    const XLA_FFI_Buffer *buffer =
        tensor->is_output ? frame->rets.rets[tensor->buffer] : frame->args.args[tensor->buffer];
    if (!pack_tensor(plan, tensor, buffer, packed, failure)) return false;
  }
  return true;
}
