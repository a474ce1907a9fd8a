/* XLA as its handlers see it, in a program without XLA: an API of any minor version, and calls to drive a handler with.
 */
#ifndef FAKE_XLA_H
#define FAKE_XLA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      abort(); \
    } \
  } while (0)

/* Names that differ between versions of the header. */
#if XLA_FFI_API_MINOR < 4
#define XLA_FFI_InvokeContext XLA_FFI_ExecutionContext
#define XLA_FFI_InternalExtension XLA_FFI_Extension_Base
#define XLA_FFI_InternalExtension_Type XLA_FFI_Extension_Type
#define XLA_FFI_InternalExtension_STRUCT_SIZE XLA_FFI_Extension_Base_STRUCT_SIZE
#endif

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  char message[2048];
};

/* One call site of an executable: its state, and where it runs now. The functions whose names are `failing` fail. */
struct XLA_FFI_InvokeContext {
  int minor;
  void *state;
  int64_t state_type;
  int32_t ordinal;
  void *stream;
  const char *failing;
};

enum { MAX_ITEMS = 8 };

/* A call: buffers, attributes, and the frame over them. */
typedef struct Call {
  XLA_FFI_Api api;
  XLA_FFI_InvokeContext context;
  XLA_FFI_CallFrame frame;
  XLA_FFI_Buffer buffers[2][MAX_ITEMS]; /* inputs, outputs */
  void *items[2][MAX_ITEMS];
  int32_t item_types[2][MAX_ITEMS];
  XLA_FFI_ByteSpan names[MAX_ITEMS], strings[MAX_ITEMS];
  XLA_FFI_ByteSpan *name_items[MAX_ITEMS];
  void *attributes[MAX_ITEMS];
  XLA_FFI_AttrType attribute_types[MAX_ITEMS];
} Call;

/* Empty, for a framework of this minor version. The call must stay where it is. */
void call_init(Call *call, int minor);
void call_add_buffer(Call *call, bool is_output, XLA_FFI_DataType type, void *data, int64_t rank, int64_t *dims);
/* In the order of their names, as XLA sorts them. */
void call_add_string(Call *call, const char *name, const void *bytes, size_t size);

/* Run a stage; NULL or an error, which XLA owns. */
XLA_FFI_Error *call_run(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage);
/* A stage that must succeed. */
void call_succeed(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage);
/* A stage that must fail with this code, and this text somewhere in the message. */
void call_fail(Call *call, XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage, XLA_FFI_Error_Code code,
               const char *text);
/* The executable ends. */
void call_destroy(Call *call, const XLA_FFI_TypeInfo *info);

/* What a handler says of itself to a framework of this minor version. */
XLA_FFI_Metadata call_metadata(XLA_FFI_Handler *handler, int minor);

#endif
