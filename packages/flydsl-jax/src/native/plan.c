/* Reading a plan: nothing in it is believed before it is checked. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed arguments are little-endian");

typedef struct Header {
  char magic[4];
  uint32_t version, bytes, inputs, outputs, tensors, fields, packed, name, reserved;
} Header;

/* The arrays of a plan, one behind the other in its block of memory. */
typedef struct Parts {
  PlanTensor *tensors;
  int64_t *extents;
  PlanField *fields;
  unsigned char *packed;
  char *name;
} Parts;

_Static_assert(sizeof(Header) == PLAN_HEADER_BYTES, "the header has no padding");
_Static_assert(offsetof(PlanTensor, has_strides) == PLAN_TENSOR_BYTES, "what is read of a tensor comes first");
_Static_assert(sizeof(PlanField) == PLAN_FIELD_BYTES, "a field is read as a whole");
_Static_assert(sizeof(Plan) % 8 == 0 && sizeof(PlanTensor) % 8 == 0, "parts follow each other without padding");

#define BAD(...) fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT, "flydsl: the plan of a call is bad: " __VA_ARGS__)

static bool check_header(const Header *header, size_t size, Failure *failure) {
  if (memcmp(header->magic, "FLYP", 4) != 0) return BAD("it does not begin as a plan");
  if (header->version != PLAN_VERSION)
    return BAD("it has version %u, and this flydsl-jax reads version %u", header->version, PLAN_VERSION);
  if (header->bytes != size) return BAD("%zu bytes arrived of %u", size, header->bytes);
  if (header->tensors > PLAN_MAX_TENSORS) return BAD("%u tensors are above %u", header->tensors, PLAN_MAX_TENSORS);
  if (header->fields > PLAN_MAX_FIELDS) return BAD("%u fields are above %u", header->fields, PLAN_MAX_FIELDS);
  if (header->packed > PLAN_MAX_PACKED)
    return BAD("%u bytes of packed arguments are above %u", header->packed, PLAN_MAX_PACKED);
  if (header->name > PLAN_MAX_NAME) return BAD("a name of %u bytes is above %u", header->name, PLAN_MAX_NAME);
  if (header->inputs > INT32_MAX || header->outputs > INT32_MAX)
    return BAD("%u inputs and %u outputs", header->inputs, header->outputs);
  return true;
}

static bool check_tensor(const PlanTensor *tensor, uint32_t index, const Header *header, Failure *failure) {
  if (tensor->is_output > 1 || tensor->is_narrow > 1) return BAD("tensor %u has a flag that is neither 0 nor 1", index);
  const uint32_t buffers = tensor->is_output ? header->outputs : header->inputs;
  if (tensor->buffer >= buffers)
    return BAD("tensor %u is %s %u of %u", index, tensor->is_output ? "output" : "input", tensor->buffer, buffers);
  if (tensor->rank > PLAN_MAX_RANK) return BAD("tensor %u has rank %u, above %u", index, tensor->rank, PLAN_MAX_RANK);
  if (!tensor->bits || tensor->bits > PLAN_MAX_BITS)
    return BAD("tensor %u has elements of %u bits", index, tensor->bits);
  if (!tensor->align) return BAD("tensor %u has alignment 0", index);
  return true;
}

/* A value is a whole input of as many bytes. */
static bool check_value(const PlanField *field, uint32_t index, const PlanTensor *tensor, Failure *failure) {
  uint64_t bits = tensor->bits;
  for (uint32_t mode = 0; mode < tensor->rank && bits <= UINT32_MAX; ++mode)
    bits *= tensor->extents[mode] < 0 || tensor->extents[mode] > UINT32_MAX ? 0 : (uint64_t)tensor->extents[mode];
  if (!tensor->is_output && bits && bits == (uint64_t)field->bytes * 8) return true;
  return BAD("field %u holds the %u bytes of a value, and tensor %u is none of such", index, field->bytes,
             field->tensor);
}

static bool check_field(const PlanField *field, uint32_t index, const Plan *plan, Failure *failure) {
  if (field->what > PLAN_VALUE) return BAD("field %u holds something unknown, %u", index, field->what);
  if (field->what != PLAN_VALUE && field->bytes != 8 && (field->bytes != 4 || field->what == PLAN_ADDRESS))
    return BAD("field %u has %u bytes", index, field->bytes);
  if (field->offset > plan->packed_bytes || field->bytes > plan->packed_bytes - field->offset)
    return BAD("field %u at %u is beyond the %u bytes of packed arguments", index, field->offset, plan->packed_bytes);
  if (field->tensor >= plan->n_tensors)
    return BAD("field %u is of tensor %u of %u", index, field->tensor, plan->n_tensors);
  if (field->what == PLAN_VALUE) return check_value(field, index, &plan->tensors[field->tensor], failure);
  if (field->what != PLAN_ADDRESS && field->mode >= plan->tensors[field->tensor].rank)
    return BAD("field %u is of mode %u of a tensor of rank %u", index, field->mode, plan->tensors[field->tensor].rank);
  return true;
}

/* Extents of all tensors, or -1 when the parts do not add up to the size. */
static int64_t count_extents(const Header *header, size_t size) {
  const uint64_t rest = size - sizeof(Header);
  const uint64_t others = (uint64_t)header->tensors * PLAN_TENSOR_BYTES + (uint64_t)header->fields * PLAN_FIELD_BYTES +
      header->packed + header->name;
  if (others > rest || (rest - others) % PLAN_EXTENT_BYTES) return -1;
  return (int64_t)((rest - others) / PLAN_EXTENT_BYTES);
}

static Plan *allocate(const Header *header, size_t extents, Parts *parts) {
  const size_t tensors = header->tensors * sizeof(PlanTensor), fields = header->fields * sizeof(PlanField);
  const size_t bytes = sizeof(Plan) + tensors + extents * sizeof(int64_t) + fields + header->packed + header->name + 1;
  Plan *plan = calloc(1, bytes);
  if (!plan) return NULL;
  parts->tensors = (PlanTensor *)(plan + 1);
  parts->extents = (int64_t *)(parts->tensors + header->tensors);
  parts->fields = (PlanField *)(parts->extents + extents);
  parts->packed = (unsigned char *)(parts->fields + header->fields);
  parts->name = (char *)parts->packed + header->packed;
  *plan = (Plan){.n_inputs = header->inputs,
                 .n_outputs = header->outputs,
                 .n_tensors = header->tensors,
                 .packed_bytes = header->packed,
                 .tensors = parts->tensors,
                 .packed = parts->packed,
                 .name = parts->name};
  return plan;
}

static const unsigned char *take(const unsigned char *bytes, void *destination, size_t size) {
  if (size) memcpy(destination, bytes, size);
  return bytes + size;
}

/* Fill in the parts, whose sizes are known to be right. */
static void read_parts(const Header *header, size_t extents, const unsigned char *bytes, const Parts *parts) {
  for (uint32_t i = 0; i < header->tensors; ++i) bytes = take(bytes, &parts->tensors[i], PLAN_TENSOR_BYTES);
  bytes = take(bytes, parts->extents, extents * PLAN_EXTENT_BYTES);
  bytes = take(bytes, parts->fields, (size_t)header->fields * PLAN_FIELD_BYTES);
  bytes = take(bytes, parts->packed, header->packed);
  take(bytes, parts->name, header->name);
}

static bool check_tensors(const Header *header, size_t extents, const Parts *parts, Failure *failure) {
  size_t used = 0;
  for (uint32_t i = 0; i < header->tensors; ++i) {
    PlanTensor *tensor = &parts->tensors[i];
    if (!check_tensor(tensor, i, header, failure)) return false;
    tensor->extents = parts->extents + used;
    used += tensor->rank;
  }
  if (used != extents) return BAD("%zu extents are there, and the tensors have %zu", extents, used);
  for (size_t i = 0; i < extents; ++i)
    if (parts->extents[i] < -1) return BAD("an extent is %lld", (long long)parts->extents[i]);
  return true;
}

/* Give each tensor its fields, which lie in the order of the tensors. */
static bool check_fields(Plan *plan, uint32_t count, const Parts *parts, Failure *failure) {
  for (uint32_t i = 0; i < count; ++i) {
    const PlanField *field = &parts->fields[i];
    if (!check_field(field, i, plan, failure)) return false;
    if (i && field->tensor < field[-1].tensor) return BAD("field %u is out of order", i);
    PlanTensor *tensor = &parts->tensors[field->tensor];
    if (!tensor->n_fields++) tensor->fields = field;
    if (field->what == PLAN_STRIDE) tensor->has_strides = true;
    if (field->what == PLAN_VALUE) plan->has_values = true;
  }
  return true;
}

static Plan *read_checked(const Header *header, size_t extents, const unsigned char *bytes, Failure *failure) {
  Parts parts;
  Plan *plan = allocate(header, extents, &parts);
  if (!plan) {
    fail(failure, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "flydsl: no memory is left for the plan of a call");
    return NULL;
  }
  read_parts(header, extents, bytes, &parts);
  if (check_tensors(header, extents, &parts, failure) && check_fields(plan, header->fields, &parts, failure))
    return plan;
  free(plan);
  return NULL;
}

Plan *plan_read(const void *bytes, size_t size, Failure *failure) {
  Header header;
  if (size < sizeof header) {
    BAD("%zu bytes are less than a header", size);
    return NULL;
  }
  memcpy(&header, bytes, sizeof header);
  if (!check_header(&header, size, failure)) return NULL;
  const int64_t extents = count_extents(&header, size);
  if (extents >= 0)
    return read_checked(&header, (size_t)extents, (const unsigned char *)bytes + sizeof header, failure);
  BAD("its parts do not add up to %zu bytes", size);
  return NULL;
}
