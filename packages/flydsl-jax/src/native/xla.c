/* XLA's FFI, versions 0.2 to 0.5: what differs between them is declared here, and all else is alike.
 *
 * From 0.4 on the header has other names for the same things: those are not used, so that any header will do.
 */
#include "xla.h"

#include <string.h>

_Static_assert(XLA_FFI_API_MAJOR == XLA_MAJOR && XLA_FFI_API_MINOR >= XLA_TYPE_MINOR,
               "a header of jaxlib 0.8.1 or later");
/* A later header that moves one of these fields needs a look at all of this file. */
_Static_assert(offsetof(XLA_FFI_CallFrame, attrs) == 120 && sizeof(XLA_FFI_Buffer) == 48, "the call frame");
_Static_assert(offsetof(XLA_FFI_Api, XLA_FFI_Error_Create) == 48, "the functions of XLA");
_Static_assert(offsetof(XLA_FFI_Metadata, state_type_id) == 40, "the metadata");

/* XLA_FFI_Extension_Base, or XLA_FFI_InternalExtension. */
typedef struct Extension {
  size_t struct_size;
  int type;
  const struct Extension *next;
} Extension;

_Static_assert(sizeof(Extension) == offsetof(XLA_FFI_Metadata_Extension, metadata), "an extension");

/* XLA_FFI_State_{Set,Get}_Args of 0.2, and with the stage that 0.3 has in the middle. */
typedef struct State2 {
  size_t struct_size;
  void *extension_start, *ctx;
  XLA_FFI_TypeId *type_id;
  void *state;
} State2;

typedef struct State3 {
  size_t struct_size;
  void *extension_start, *ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId *type_id;
  void *state;
} State3;

#if XLA_FFI_API_MINOR >= 3
_Static_assert(sizeof(State3) == sizeof(XLA_FFI_State_Set_Args) && sizeof(State3) == sizeof(XLA_FFI_State_Get_Args) &&
                   offsetof(State3, type_id) == offsetof(XLA_FFI_State_Get_Args, type_id) &&
                   offsetof(State3, stage) == offsetof(XLA_FFI_State_Get_Args, stage),
               "the state of 0.3");
#else
_Static_assert(sizeof(State2) == sizeof(XLA_FFI_State_Set_Args) && sizeof(State2) == sizeof(XLA_FFI_State_Get_Args),
               "the state of 0.2");
#endif

int xla_minor(const XLA_FFI_Api *api) {
  const int minor = api->api_version.minor_version;
  return minor < XLA_OWN_MINOR ? minor : XLA_OWN_MINOR;
}

const XLA_FFI_Metadata_Extension *xla_metadata_request(const XLA_FFI_CallFrame *frame) {
  const Extension *extension = (const void *)frame->extension_start;
  while (extension && extension->type != XLA_FFI_Extension_Metadata) extension = extension->next;
  return (const XLA_FFI_Metadata_Extension *)extension;
}

void xla_reply_metadata(const XLA_FFI_CallFrame *frame, const XLA_FFI_Metadata_Extension *request,
                        XLA_FFI_Handler_Traits traits, XLA_FFI_TypeId state_type) {
  XLA_FFI_Metadata *metadata = request->metadata;
  metadata->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  metadata->api_version.extension_start = NULL;
  metadata->api_version.major_version = XLA_MAJOR;
  metadata->api_version.minor_version = xla_minor(frame->api);
  metadata->traits = traits;
  /* The size in the struct does not count the type, so only the version says that it is there. */
  if (xla_minor(frame->api) >= XLA_TYPE_MINOR) metadata->state_type_id = state_type;
}

XLA_FFI_Error *xla_error(const XLA_FFI_Api *api, const Failure *failure) {
  XLA_FFI_Error_Create_Args arguments = {
      .struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE, .message = failure->text, .errc = failure->code};
  return api->XLA_FFI_Error_Create(&arguments);
}

const XLA_FFI_ByteSpan *xla_string(const XLA_FFI_CallFrame *frame, const char *name, bool is_required,
                                   Failure *failure) {
  const XLA_FFI_Attrs *attributes = &frame->attrs;
  for (int64_t i = 0; i < attributes->size; ++i) {
    const XLA_FFI_ByteSpan *found = attributes->names[i];
    if (found->len != strlen(name) || memcmp(found->ptr, name, found->len) != 0) continue;
    if (attributes->types[i] == XLA_FFI_AttrType_STRING) return attributes->attrs[i];
    fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT, "flydsl: attribute `%s` is no string (type %d)", name,
         (int)attributes->types[i]);
    return NULL;
  }
  if (is_required) fail(failure, XLA_FFI_Error_Code_INVALID_ARGUMENT, "flydsl: attribute `%s` is missing", name);
  return NULL;
}

/* A call with the struct of the framework's version; `field` is the state, in or out. */
#define CALL_STATE(function, field) \
  if (xla_minor(frame->api) >= XLA_STAGE_MINOR) { \
    State3 arguments = {sizeof arguments, NULL, frame->ctx, XLA_FFI_ExecutionStage_INSTANTIATE, type, field}; \
    error = frame->api->function((void *)&arguments); \
    field = arguments.state; \
  } else { \
    State2 arguments = {sizeof arguments, NULL, frame->ctx, type, field}; \
    error = frame->api->function((void *)&arguments); \
    field = arguments.state; \
  }

XLA_FFI_Error *xla_set_state(const XLA_FFI_CallFrame *frame, XLA_FFI_TypeId *type, void *state) {
  XLA_FFI_Error *error;
  CALL_STATE(XLA_FFI_State_Set, state)
  return error;
}

XLA_FFI_Error *xla_get_state(const XLA_FFI_CallFrame *frame, XLA_FFI_TypeId *type, void **state) {
  XLA_FFI_Error *error;
  *state = NULL;
  CALL_STATE(XLA_FFI_State_Get, *state)
  return error;
}

XLA_FFI_Error *xla_get_stream(const XLA_FFI_CallFrame *frame, void **stream) {
  XLA_FFI_Stream_Get_Args arguments = {.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE, .ctx = frame->ctx};
  XLA_FFI_Error *error = frame->api->XLA_FFI_Stream_Get(&arguments);
  *stream = arguments.stream;
  return error;
}

XLA_FFI_Error *xla_get_ordinal(const XLA_FFI_CallFrame *frame, int32_t *ordinal) {
  XLA_FFI_DeviceOrdinal_Get_Args arguments = {.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE,
                                              .ctx = frame->ctx};
  XLA_FFI_Error *error = frame->api->XLA_FFI_DeviceOrdinal_Get(&arguments);
  *ordinal = arguments.device_ordinal;
  return error;
}
